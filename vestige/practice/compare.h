// Two audits side by side: what changed in the answers, in the numbers beyond their intervals, and
// in what they were made from.
#pragma once

#include <string>
#include <vector>

#include "vestige/report/results.h"

namespace vestige::practice {

/// A method's verdict in both; a word is empty where the method is not there.
struct ChangedVerdict {
  std::string arm, method;
  std::string before, after;         ///< words
  std::vector<std::string> answers;  ///< "under-forgetting: not shown -> shown"
};

/// A number that lies outside the other one's interval, and the other outside its own.
struct MovedValue {
  std::string metric, subject;
  std::string arm;
  Json settings = Json::object();
  double before = metrics::kUndefined, after = metrics::kUndefined;
  double distance = 0;  ///< in half widths of the wider interval
};

/// A metric of a method whose status changed: "ok -> unreliable".
struct ChangedStatus {
  std::string metric, subject;
  std::string arm;
  std::string before, after;
  std::string note;  ///< the later one's reason
};

struct Comparison {
  std::string before, after;  ///< names of the files
  std::vector<ChangedVerdict> verdicts;
  std::vector<MovedValue> moved;  ///< farthest first
  std::vector<ChangedStatus> statuses;
  std::vector<std::string> inputs;         ///< "a.npy: other bytes", "b.npy: only in the later one"
  std::vector<std::string> circumstances;  ///< version, seed, options, grade, policy, rows
  std::size_t compared = 0;                ///< numbers that both have with an interval
  std::size_t without = 0;                 ///< numbers that both have and that have no interval
  std::size_t only_before = 0, only_after = 0;  ///< numbers that the other lacks
  std::size_t same_inputs = 0;

  /// Nothing that a reader must act on changed.
  bool quiet() const;
};

Comparison compare(const report::Results& before, const report::Results& after,
                   const std::string& before_name, const std::string& after_name);

Json comparison_json(const Comparison& comparison);
std::string comparison_text(const Comparison& comparison);

/// One audit of a page that compares several.
struct Named {
  std::string name;
  const report::Results* results = nullptr;
};
/// Strips with an arrow from each audit to the next, and what changed in between; one file without
/// scripts.
std::string comparison_page(const std::vector<Named>& audits,
                            const std::vector<Comparison>& comparisons);

}  // namespace vestige::practice
