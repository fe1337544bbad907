// Verdicts per erasure request: does a method still know the rows of one request better than models
// that never saw them? The unseen rows are the yardstick here too (docs/practice/requests.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/estimate.h"

namespace vestige::audit {

struct RequestOptions {
  double level = 0.05;           ///< expected share of false alarms among requests with traces
  double power = 0.8;            ///< below this a request without traces cannot be decided
  double smallest_effect = 0.1;  ///< share of what the original knows; less is no trace
  std::size_t draws = 9999;      ///< of unseen rows, at least
  std::uint64_t seed = 1;
  std::optional<std::string> file = {};  ///< requests.csv where the evidence is not on disk
};

struct RequestVerdict {
  std::string request, subject, date;
  std::size_t rows = 0;
  /// Mean over its rows of (method - retrained) minus the same on unseen rows of the same class.
  double difference = metrics::kUndefined;
  double share = metrics::kUndefined;     ///< of what the original knows of forget rows
  double p = metrics::kUndefined;         ///< one-sided, by rank among draws of unseen rows
  double adjusted = metrics::kUndefined;  ///< over the requests (Benjamini and Hochberg)
  double power = metrics::kUndefined;  ///< that a fully remembered request of so many rows is seen
  std::string word;                    ///< "TRACES REMAIN", "NO TRACE SHOWN", "CANNOT BE DECIDED"
};

struct MethodRequests {
  std::string method;
  std::size_t rows_needed = 0;           ///< of a request, for the declared power; 0: not known
  std::vector<RequestVerdict> requests;  ///< worst first
};

/// A forget row with a retain row that is nearly the same: it cannot be forgotten while that stays.
struct NearDuplicate {
  std::size_t forget = 0, retain = 0;  ///< rows
  double similarity = 0;               ///< 1: the same
  std::string by;                      ///< "activations penultimate", "text"
};

struct Requests {
  std::string signal;   ///< what was compared
  std::string missing;  ///< why nothing could be tested; empty if it could
  std::vector<MethodRequests> methods;
  std::vector<NearDuplicate> duplicates;  ///< at most one per forget row
};

/// Nothing (no methods, no signal, no duplicates) where the evidence has no requests.
Requests judge_requests(const evidence::Evidence& evidence, const RequestOptions& options);

/// null without requests.
Json requests_json(const Requests& requests, const RequestOptions& options);

}  // namespace vestige::audit
