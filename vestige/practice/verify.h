// Checks a dossier: every byte, the signature and, given the evidence, every number.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "vestige/base/json.h"

namespace vestige::practice {

struct VerifyOptions {
  std::filesystem::path key{};       ///< public key or certificate of the signer; empty: not given
  std::filesystem::path evidence{};  ///< empty: that of the dossier, if it lies there
};

/// One thing that was looked at.
struct Finding {
  std::string what;  ///< a file, "signature", "evidence", "numbers"
  bool sound = false;
  std::string text;
};

struct Verification {
  std::vector<Finding> findings;
  bool sound() const;
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
