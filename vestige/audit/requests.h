// Verdicts per erasure request: does a method still know the examples of one request better than
// models that never saw them? docs/practice/requests.md has the definitions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/evidence/evidence.h"
#include "vestige/evidence/requests.h"
#include "vestige/result/requests.h"
#include "vestige/result/verdict.h"

namespace vestige::audit {

struct RequestOptions {
  double level = 0.05;           ///< expected share of false alarms among requests with traces
  double power = 0.8;            ///< below this a request without traces is not decided
  double smallest_effect = 0.1;  ///< share of what the original memorised; less is no trace
  std::size_t draws = 9999;      ///< of unseen examples, at least
  std::uint64_t seed = 1;
  std::optional<std::string> file = {};  ///< requests.csv where the evidence is not on disk
  Context context = {};
  /// Verdicts on the same evidence: where the answers of a method are wrong or destroyed, nothing
  /// is said about its requests.
  std::vector<result::Verdict> verdicts = {};
};

using result::MethodRequests;
using result::NearDuplicate;
using result::Requests;
using result::RequestVerdict;
using result::RequestWord;

/// The requests of requests.csv; none without that file. InputError for a mistake in it.
std::vector<evidence::ErasureRequest> asked_requests(const evidence::Evidence& evidence,
                                                     const RequestOptions& options);

/// Nothing where the evidence has no requests.
std::optional<Requests> judge_requests(const evidence::Evidence& evidence,
                                       const RequestOptions& options);

}  // namespace vestige::audit
