// Signatures against RFC 8032's test vector, the envelope against DSSE's, and keys that are
// refused.
#include "vestige/practice/signature.h"

#include <gtest/gtest.h>

#include "tests/practice/keys.h"
#include "tests/support.h"
#include "vestige/base/error.h"
#include "vestige/practice/envelope.h"

namespace vestige::practice {
namespace {

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(at, 2), nullptr, 16));
  }
  return bytes;
}

// RFC 8032, section 7.1, TEST 2: one byte 0x72. The PEM is that key in PKCS #8 (RFC 8410: the
// prefix 302e020100300506032b657004220420 before the 32 bytes).
TEST(Ed25519, SignsAsTheStandardsTestVector) {
  const testing::TemporaryFolder folder;
  write_file(folder / "key.pem",
             "-----BEGIN PRIVATE KEY-----\n"
             "MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7\n"
             "-----END PRIVATE KEY-----\n");
  std::filesystem::permissions(folder / "key.pem", std::filesystem::perms(0600));
  EXPECT_EQ(SigningKey::read(folder / "key.pem").sign("\x72"),
            from_hex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                     "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"));
}

// The protocol's own example: payload "hello world", type "http://example.com/HelloWorld".
TEST(Dsse, EncodesAsTheProtocolsExample) {
  EXPECT_EQ(pre_authentication_encoding("http://example.com/HelloWorld", "hello world"),
            "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
}

class KeyTest : public ::testing::Test {
 protected:
  std::string refusal() const {
    try {
      SigningKey::read(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
  static std::string refusal_of(const std::string& pem) {
    try {
      CheckingKey::parse(pem, "key");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  testing::TemporaryFolder folder;
  testing::Keys keys;
  std::filesystem::path path = folder / "key.pem";
};

TEST_F(KeyTest, WhatWasSignedFitsItsKeyAndNoOther) {
  keys.put(path);
  const SigningKey key = SigningKey::read(path);
  const std::string signature = key.sign("message");
  const CheckingKey own = CheckingKey::parse(key.public_pem(), "own");
  EXPECT_EQ(key.public_pem(), keys.public_pem);
  EXPECT_TRUE(own.fits("message", signature));
  EXPECT_FALSE(own.fits("massage", signature));
  EXPECT_FALSE(own.fits("message", signature.substr(1)));
  const testing::Keys other;
  EXPECT_FALSE(CheckingKey::parse(other.public_pem, "other").fits("message", signature));
}

TEST_F(KeyTest, KeysThatOthersCanReadAreRefused) {
  for (const unsigned rights : {0640U, 0604U, 0620U, 0666U}) {
    keys.put(path, rights);
    EXPECT_NE(refusal().find("chmod 600"), std::string::npos) << rights;
  }
  keys.put(path, 0400);
  EXPECT_EQ(refusal(), "accepted");
}

TEST_F(KeyTest, OtherKindsOfKeysAreRefused) {
  EXPECT_NE(refusal().find("cannot read the key"), std::string::npos);
  write_file(path, keys.locked_pem());
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  EXPECT_NE(refusal().find("passphrase"), std::string::npos) << refusal();
  write_file(path, "no key\n");
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  EXPECT_NE(refusal().find("not a private key in PEM"), std::string::npos);
  const testing::Keys exchange(EVP_PKEY_X25519);
  exchange.put(path);
  EXPECT_NE(refusal().find("not an Ed25519 key"), std::string::npos) << refusal();
  EXPECT_NE(refusal_of(exchange.public_pem).find("not an Ed25519 key"), std::string::npos);
  EXPECT_NE(refusal_of(keys.private_pem).find("is a private key"), std::string::npos);
  EXPECT_NE(refusal_of("nothing").find("not a public key"), std::string::npos);
}

TEST_F(KeyTest, CertificatesMustBeValidNow) {
  EXPECT_EQ(refusal_of(keys.certificate(-1000, 1000)), "accepted");
  EXPECT_NE(refusal_of(keys.certificate(-1000, -10)).find("expired on"), std::string::npos);
  EXPECT_NE(refusal_of(keys.certificate(500, 1000)).find("not valid before"), std::string::npos);
  EXPECT_EQ(CheckingKey::parse(keys.certificate(-9, 9), "c").id(),
            CheckingKey::parse(keys.public_pem, "k").id());
}

}  // namespace
}  // namespace vestige::practice
