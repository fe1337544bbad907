// Keys and certificates that exist for one test only.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <filesystem>
#include <string>

#include "vestige/base/file.h"

namespace vestige::testing {

struct Keys {
  std::string private_pem, public_pem;
  std::string secret;  ///< the 32 bytes themselves; empty for keys of another kind

  explicit Keys(int kind = EVP_PKEY_ED25519) {
    EVP_PKEY_CTX* context = EVP_PKEY_CTX_new_id(kind, nullptr);
    EVP_PKEY_keygen_init(context);
    EVP_PKEY_keygen(context, &key_);
    EVP_PKEY_CTX_free(context);
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key_, nullptr, nullptr, 0, nullptr, nullptr);
    private_pem = taken(bio);
    bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PUBKEY(bio, key_);
    public_pem = taken(bio);
    unsigned char bytes[32];
    std::size_t size = sizeof(bytes);
    if (EVP_PKEY_get_raw_private_key(key_, bytes, &size) == 1) {
      secret.assign(reinterpret_cast<const char*>(bytes), size);
    }
  }
  ~Keys() { EVP_PKEY_free(key_); }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  /// The private key in a file with these rights.
  std::filesystem::path put(const std::filesystem::path& path, unsigned rights = 0600) const {
    write_file(path, private_pem);
    std::filesystem::permissions(path, static_cast<std::filesystem::perms>(rights));
    return path;
  }
  /// The private key locked with a passphrase.
  std::string locked_pem() const {
    BIO* bio = BIO_new(BIO_s_mem());
    char word[] = "secret";
    PEM_write_bio_PrivateKey(bio, key_, EVP_aes_128_cbc(), reinterpret_cast<unsigned char*>(word),
                             6, nullptr, nullptr);
    return taken(bio);
  }
  /// A certificate of the public key, valid from and to seconds from now.
  std::string certificate(long from, long to) const {
    X509* made = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), from);
    X509_gmtime_adj(X509_getm_notAfter(made), to);
    X509_set_pubkey(made, key_);
    X509_sign(made, key_, nullptr);
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio, made);
    X509_free(made);
    return taken(bio);
  }

 private:
  static std::string taken(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    std::string text(data, static_cast<std::size_t>(size));
    BIO_free(bio);
    return text;
  }
  EVP_PKEY* key_ = nullptr;
};

}  // namespace vestige::testing
