// Conformance cases: inputs with expected values from public reference implementations, which
// anyone can run against an installation.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/json.h"
#include "vestige/base/matrix.h"
#include "vestige/evidence/formats/array.h"

namespace vestige::audit {

/// One case.json with its arrays. Literals become arrays too; "nan", "inf", "-inf" are numbers.
struct ConformanceCase {
  std::string metric;
  std::string name;
  std::map<std::string, evidence::Array> inputs;
  std::map<std::string, Json> literals;  ///< inputs that were given as literals, as they stand
  Json params;
  std::map<std::string, evidence::Array> expected;
  std::map<std::string, std::string>
      expected_errors;  ///< field -> error name, where one is expected
  double absolute = 0;
  double relative = 0;

  bool has(std::string_view input) const;
  /// An input as flat doubles / integers; InputError if it is missing.
  std::vector<double> numbers(std::string_view input) const;
  std::vector<std::int64_t> integers(std::string_view input) const;
  /// An input of rank 2 (higher ranks are flattened behind the first dimension).
  Matrix matrix(std::string_view input) const;
  /// A parameter, or `fallback` where the case does not give it.
  double parameter(std::string_view name, double fallback) const;
};

/// Computed fields by the names that `expected` uses, flattened row by row.
using ConformanceValues = std::map<std::string, std::vector<double>>;

/// How one metric is run. Every expected field must be computed, or be named as informative: a
/// field that is neither fails the case, so that nothing is passed over in silence.
struct ConformanceRunner {
  std::string_view metric;
  ConformanceValues (*run)(const ConformanceCase&);
  std::vector<std::string_view> informative;
};

/// Outcome of one case.
struct ConformanceOutcome {
  std::string metric;
  std::string name;
  enum class Verdict { passed, failed, skipped } verdict = Verdict::skipped;
  std::string detail;  ///< first mismatch, or why it was skipped
};

ConformanceCase read_case(const std::filesystem::path& case_json);
/// Runs one case with the runner of its metric; skipped if there is none.
ConformanceOutcome run_case(const ConformanceCase& test_case,
                            std::span<const ConformanceRunner> runners,
                            const Context& context = {});
/// Every runner of the core.
std::span<const ConformanceRunner> core_runners();

}  // namespace vestige::audit
