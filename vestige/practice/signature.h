// Ed25519 signatures (RFC 8032) by OpenSSL's libcrypto; keys are PEM files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace vestige::practice {

/// A key of libcrypto.
struct KeyDeleter {
  void operator()(void* key) const;
};

/// A private key that signs. Nothing of it is ever written; only its public half can be asked for.
class SigningKey {
 public:
  /// From a PEM file that only its owner can read (as ssh wants it); InputError in one sentence for
  /// anything else: open to others, locked with a passphrase, another kind of key.
  static SigningKey read(const std::filesystem::path& path);

  std::string sign(std::string_view message) const;  ///< 64 bytes
  /// The public half as PEM.
  std::string public_pem() const;

 private:
  std::unique_ptr<void, KeyDeleter> key_;
};

/// What signatures are checked with.
class CheckingKey {
 public:
  /// From PEM: a public key, or a certificate (X.509), which must be valid now; InputError
  /// otherwise. `where` names it.
  static CheckingKey parse(std::string_view pem, const std::string& where);
  static CheckingKey read(const std::filesystem::path& path);

  bool fits(std::string_view message, std::string_view signature) const;
  /// SHA-256 of the key in DER (SubjectPublicKeyInfo): its name in signatures.
  std::string id() const;

 private:
  std::unique_ptr<void, KeyDeleter> key_;
};

}  // namespace vestige::practice
