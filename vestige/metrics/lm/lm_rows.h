// How the parts of the language-model families make their rows: one place for intervals, sequences
// without a score and the reasons for them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/metrics/family.h"
#include "vestige/metrics/lm/lm_evidence.h"

namespace vestige::metrics {

/// Values that are numbers.
std::vector<double> defined(std::span<const double> values);

class LmRows {
 public:
  LmRows(std::string_view family, const Comparison& comparison, const Request& request,
         Measurements& out)
      : family_(family), comparison_(comparison), request_(request), out_(out) {}

  const Comparison& comparison() const { return comparison_; }
  const Request& request() const { return request_; }
  const evidence::Evidence& evidence() const { return *comparison_.evidence; }
  const evidence::Model& model() const { return *comparison_.candidate.front(); }
  std::string_view family() const { return family_; }
  Measurements& out() { return out_; }

  /// "lm.WHAT" or "losses.WHAT".
  Row make(std::string_view what) const;
  /// FAMILY.SCORE.WHAT with the settings and facts of the score.
  Row make(const LmScore& score, std::string_view what) const;

  /// Adds the row; `why` is the reason where `left_out` sequences or all have no value.
  void push(Row row, std::size_t left_out = 0, const Reason& why = {});
  /// Adds a row that could not be measured; of a control nothing is said.
  void skip(Row row, Reason why);
  /// The mean of one value per row, with its interval; NaN values are left out.
  void push_mean(Row row, std::vector<double> terms, const Reason& why = {});

 private:
  std::string_view family_;
  const Comparison& comparison_;
  const Request& request_;
  Measurements& out_;
};

/// The retrained model that stands beside the candidate: of the same name, else the first; nullptr
/// if there is none.
const evidence::Model* retrained_beside(const Comparison& comparison);

/// True if the candidate and the others of its evidence can be scored: losses of forget and retain.
bool can_be_scored(const evidence::Model& model);
/// The first such model: what does not depend on a model is told there.
const evidence::Model* first_scored(const evidence::Evidence& evidence,
                                    std::string_view only_role = {});

}  // namespace vestige::metrics
