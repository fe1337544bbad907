// DSSE: payload in base64, signatures over its pre-authentication encoding.
#include "vestige/practice/envelope.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>

#include "vestige/base/base64.h"
#include "vestige/base/error.h"
#include "vestige/base/nesting.h"
#include "vestige/report/json/json_fields.h"

namespace vestige::practice {
namespace {

std::string encoded(std::string_view text) { return base64(std::as_bytes(std::span(text))); }

/// Nothing unless `text` is the one base64 text of some bytes.
std::optional<std::string> decoded(const std::string& text) {
  std::string bytes;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char letter : text) {
    std::uint32_t six = 0;
    if (letter >= 'A' && letter <= 'Z') {
      six = static_cast<std::uint32_t>(letter - 'A');
    } else if (letter >= 'a' && letter <= 'z') {
      six = static_cast<std::uint32_t>(letter - 'a') + 26;
    } else if (letter >= '0' && letter <= '9') {
      six = static_cast<std::uint32_t>(letter - '0') + 52;
    } else if (letter == '+' || letter == '/') {
      six = letter == '+' ? 62 : 63;
    } else {
      break;  // padding; anything else differs from what is encoded again
    }
    group = (group << 6U) | six;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>((group >> static_cast<unsigned>(bits)) & 255U);
  }
  if (encoded(bytes) != text) return std::nullopt;
  return bytes;
}

std::string envelope_text(const std::string& payload, const std::vector<Signature>& signatures) {
  Json list = Json::array();
  for (const Signature& own : signatures) {
    list.push_back({{"keyid", own.key_id}, {"sig", encoded(own.bytes)}});
  }
  return Json{{"payload", encoded(payload)}, {"payloadType", kPayloadType}, {"signatures", list}}
             .dump(1) +
         "\n";
}

std::string statement_text(const Json& statement) {
  return statement.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string pre_authentication_encoding(std::string_view type, std::string_view body) {
  return fmt::format("DSSEv1 {} {} {} {}", type.size(), type, body.size(), body);
}

std::string sealed(const Json& statement, const SigningKey* key) {
  const std::string payload = statement_text(statement);
  std::vector<Signature> signatures;
  if (key != nullptr) {
    signatures.push_back({CheckingKey::parse(key->public_pem(), "the key").id(),
                          key->sign(pre_authentication_encoding(kPayloadType, payload))});
  }
  return envelope_text(payload, signatures);
}

Envelope opened(const std::string& text, const std::string& where) {
  const Json json = parse_json(text);
  require(json.is_object() && json.contains("payload") && json.contains("signatures"),
          "{} is not a DSSE envelope: it was changed, or vestige dossier did not write it", where);
  const auto damaged = [&where](const char* what) {
    fail("{}: {} was changed after it was written", where, what);
  };
  Envelope envelope;
  const std::optional<std::string> payload = decoded(report::text_of(json, "payload"));
  if (!payload) damaged("the payload");
  envelope.payload = *payload;
  for (const Json& own : report::list_of(json, "signatures")) {
    const std::optional<std::string> bytes = decoded(report::text_of(own, "sig"));
    if (!bytes) damaged("a signature");
    envelope.signatures.push_back({report::text_of(own, "keyid"), *bytes});
  }
  if (envelope_text(envelope.payload, envelope.signatures) != text) damaged("the envelope");
  envelope.statement = parse_json(envelope.payload);
  if (!envelope.statement.is_object() || statement_text(envelope.statement) != envelope.payload) {
    damaged("the statement");
  }
  require(report::text_of(envelope.statement, "_type") == kStatementType,
          "{}: the statement has type '{}', this program reads {}", where,
          report::text_of(envelope.statement, "_type"), kStatementType);
  return envelope;
}

bool signed_by(const Envelope& envelope, const CheckingKey& key) {
  const std::string message = pre_authentication_encoding(kPayloadType, envelope.payload);
  for (const Signature& own : envelope.signatures) {
    if (own.key_id == key.id() && key.fits(message, own.bytes)) return true;
  }
  return false;
}

}  // namespace vestige::practice
