// Checks from the TOML of a recipe.
#pragma once

#include <string>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/options.h"
#include "vestige/study/paper_checks.h"

namespace vestige::study {

inline std::vector<Check> checks_of(const std::string& toml) {
  return read_checks(parse_toml(toml, "test.toml")["checks"], "test.toml");
}

inline Check check_of(const std::string& body) {
  return checks_of("[[checks]]\nfinding = 'it is so'\nsource = 'paper'\n" + body).at(0);
}

/// Why it is refused; empty if it is not.
inline std::string check_error(const std::string& body) {
  try {
    check_of(body);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

inline CheckResult evaluate(const std::string& body, const std::vector<StudyRow>& rows) {
  return evaluate_checks({check_of(body)}, rows).at(0);
}

}  // namespace vestige::study
