// Checks a dossier: every byte, the signature and, given the evidence, every number.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/json.h"
#include "vestige/result/names.h"
#include "vestige/result/reason.h"

namespace vestige::practice {

struct VerifyOptions {
  std::filesystem::path key{};       ///< public key or certificate of the signer; empty: not given
  std::filesystem::path evidence{};  ///< empty: that in the dossier, if any
  Context context = {};              ///< of the audit; its memory is that of the results
  std::filesystem::path ledger{};    ///< that holds the audit; empty: not given
  std::vector<std::string> allow_unchecked{};  ///< parts that may stay unchecked
};

enum class Validity { valid, invalid, not_checked };

/// One thing that was checked.
struct CheckedPart {
  std::string what{};  ///< a file or one of the parts: "signature", "evidence", "numbers", ...
  Validity outcome = Validity::not_checked;
  result::Reason reason{};

  static constexpr std::string_view kType = "CheckedPart";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("what", &CheckedPart::what,
          "a file, or a part: files, signature, signer, policy, ledger, evidence, numbers");
    visit("outcome", &CheckedPart::outcome, "valid, invalid or not_checked");
    visit("reason", &CheckedPart::reason, "what was found");
  }
};

struct Verification {
  std::vector<CheckedPart> findings{};
  std::vector<std::string> allow_unchecked{};  ///< as in the options

  /// Something is invalid.
  bool invalid() const;
  /// Parts that were not checked: those that were allowed to stay so, or the others.
  std::vector<std::string> unchecked(bool allowed) const;
  /// Everything was checked, except for what was allowed to stay unchecked, and nothing is invalid.
  bool valid() const;
};

/// InputError where there is no dossier to check, or where the key or the evidence that was given
/// cannot be read; whatever is wrong with the dossier itself is a finding.
Verification verify(const std::filesystem::path& dossier, const VerifyOptions& options);

/// Where two results differ in anything but how, when and by which build they were made:
/// "results/3/ value: 0.5 -> 0.6". Numbers may differ by 1e-9 of the larger one (or by 1e-12),
/// because another compiler or processor rounds otherwise.
struct NumberDifferences {
  std::size_t equal = 0;   ///< fields that are the same
  std::size_t nearly = 0;  ///< numbers that differ in their last digits
  std::vector<std::string> different;
};
NumberDifferences differences_between(const Json& stored, const Json& fresh);

Json verification_json(const Verification& verification);
std::string verification_text(const Verification& verification);

}  // namespace vestige::practice

namespace vestige::result {
VESTIGE_NAMES(practice::Validity, {practice::Validity::valid, "valid"},
              {practice::Validity::invalid, "invalid"},
              {practice::Validity::not_checked, "not_checked"})
}  // namespace vestige::result
