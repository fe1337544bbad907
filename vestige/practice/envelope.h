// A statement of in-toto (v1) in a DSSE envelope: what is said about which files, and who signed
// it. https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md,
// https://github.com/secure-systems-lab/dsse/blob/master/protocol.md
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/practice/signature.h"

namespace vestige::practice {

inline constexpr const char* kStatementType = "https://in-toto.io/Statement/v1";
inline constexpr const char* kPayloadType = "application/vnd.in-toto+json";

/// What a signature is over (DSSE's PAE): "DSSEv1 LENGTH TYPE LENGTH BODY", lengths in bytes.
std::string pre_authentication_encoding(std::string_view type, std::string_view body);

/// The envelope's file, signed where a key is given; one text for one statement and one key.
std::string sealed(const Json& statement, const SigningKey* key);

struct Signature {
  std::string key_id;
  std::string bytes;
};

struct Envelope {
  std::string payload;  ///< the statement's text
  Json statement;
  std::vector<Signature> signatures;
};

/// Reads an envelope's file; InputError where it is not exactly what `sealed` writes for its
/// content: a space more is a changed byte. `where` names it.
Envelope opened(const std::string& text, const std::string& where);

/// Whether one of the signatures fits the key.
bool signed_by(const Envelope& envelope, const CheckingKey& key);

}  // namespace vestige::practice
