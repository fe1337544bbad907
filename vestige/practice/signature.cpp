// Keys and signatures by libcrypto.
#include "vestige/practice/signature.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <span>
#include <stdexcept>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/sha256.h"

namespace vestige::practice {
namespace {

constexpr std::size_t kSignatureBytes = 64;
/// Keys have some hundred bytes, certificates some thousand.
constexpr std::size_t kMostOfKey = std::size_t{1} << 20U;

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

EVP_PKEY* raw(const std::unique_ptr<void, KeyDeleter>& key) {
  return static_cast<EVP_PKEY*>(key.get());
}

Bio reading(std::string_view text) {
  Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
  if (!bio) throw std::runtime_error("libcrypto is out of memory");
  return bio;
}

std::string text_of_bio(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

/// Says that there is no passphrase; libcrypto would ask the terminal for one.
int no_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string date_text(const ASN1_TIME* time) {
  const Bio bio(BIO_new(BIO_s_mem()), BIO_free);
  ASN1_TIME_print(bio.get(), time);
  return text_of_bio(bio.get());
}

/// The public key of a certificate that is valid now; nullptr if the text is no certificate.
EVP_PKEY* key_of_certificate(std::string_view pem, const std::string& where) {
  const Bio bio = reading(pem);
  const Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free);
  if (!certificate) return nullptr;
  std::time_t now = std::time(nullptr);
  require(X509_cmp_time(X509_get0_notAfter(certificate.get()), &now) > 0,
          "{}: the certificate expired on {}: ask the signer for the current one, or give the "
          "public key alone if you trust it without a certificate",
          where, date_text(X509_get0_notAfter(certificate.get())));
  require(X509_cmp_time(X509_get0_notBefore(certificate.get()), &now) < 0,
          "{}: the certificate is not valid before {}: check the clock of this machine", where,
          date_text(X509_get0_notBefore(certificate.get())));
  return X509_get_pubkey(certificate.get());
}

}  // namespace

void KeyDeleter::operator()(void* key) const { EVP_PKEY_free(static_cast<EVP_PKEY*>(key)); }

SigningKey SigningKey::read(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    fail("cannot read the key {}: {}", path.string(), std::strerror(errno));
  }
  require(S_ISREG(status.st_mode), "the key {} is not a file", path.string());
  require((status.st_mode & 077U) == 0,
          "other users can read the key {} (mode {:04o}): chmod 600 it, and make a new one if they "
          "may have read it",
          path.string(), static_cast<unsigned>(status.st_mode & 07777U));
  std::string pem = read_file(path, kMostOfKey);
  bool locked = false;
  SigningKey key;
  {
    const Bio bio = reading(pem);
    key.key_.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, &locked));
  }
  OPENSSL_cleanse(pem.data(), pem.size());
  ERR_clear_error();
  require(!locked,
          "the key {} has a passphrase, which this program never asks for: give one without, on an "
          "encrypted disk",
          path.string());
  require(key.key_ != nullptr,
          "{} is not a private key in PEM: openssl genpkey -algorithm ed25519 -out KEY makes one",
          path.string());
  require(EVP_PKEY_base_id(raw(key.key_)) == EVP_PKEY_ED25519,
          "the key {} is not an Ed25519 key: openssl genpkey -algorithm ed25519 -out KEY makes one",
          path.string());
  return key;
}

std::string SigningKey::sign(std::string_view message) const {
  const DigestContext context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::array<unsigned char, kSignatureBytes> signature{};
  std::size_t size = signature.size();
  const bool good =
      context && EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, raw(key_)) == 1 &&
      EVP_DigestSign(context.get(), signature.data(), &size, bytes(message), message.size()) == 1 &&
      size == signature.size();
  if (!good) throw std::runtime_error("libcrypto cannot sign");
  return {reinterpret_cast<const char*>(signature.data()), size};
}

std::string SigningKey::public_pem() const {
  const Bio bio(BIO_new(BIO_s_mem()), BIO_free);
  if (!bio || PEM_write_bio_PUBKEY(bio.get(), raw(key_)) != 1) {
    throw std::runtime_error("libcrypto cannot write a public key");
  }
  return text_of_bio(bio.get());
}

CheckingKey CheckingKey::parse(std::string_view pem, const std::string& where) {
  require(pem.find("PRIVATE KEY") == std::string_view::npos,
          "{} is a private key: signatures are checked with the public one; openssl pkey -in KEY "
          "-pubout makes it",
          where);
  CheckingKey key;
  key.key_.reset(key_of_certificate(pem, where));
  if (!key.key_) {
    const Bio bio = reading(pem);
    key.key_.reset(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr));
  }
  ERR_clear_error();
  require(key.key_ != nullptr, "{} is not a public key or certificate in PEM", where);
  require(EVP_PKEY_base_id(raw(key.key_)) == EVP_PKEY_ED25519,
          "{} is not an Ed25519 key: give the signer's public key", where);
  return key;
}

CheckingKey CheckingKey::read(const std::filesystem::path& path) {
  return parse(read_file(path, kMostOfKey), path.string());
}

bool CheckingKey::fits(std::string_view message, std::string_view signature) const {
  if (signature.size() != kSignatureBytes) return false;
  const DigestContext context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const bool good =
      context && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, raw(key_)) == 1 &&
      EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(message),
                       message.size()) == 1;
  ERR_clear_error();
  return good;
}

std::string CheckingKey::id() const {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(raw(key_), &der);
  if (size <= 0) throw std::runtime_error("libcrypto cannot write a public key");
  const std::string name = sha256(std::as_bytes(std::span(der, static_cast<std::size_t>(size))));
  OPENSSL_free(der);
  return name;
}

}  // namespace vestige::practice
