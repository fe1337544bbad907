// How the conformal family fills in rows: settings, parameters, shares with their intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/metrics/conformal/conformal.h"
#include "vestige/metrics/conformal/conformal_evidence.h"
#include "vestige/metrics/conformal/miacr.h"
#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// One alpha under one rule.
struct Level {
  double alpha = 0.05;
  QuantileRule rule = QuantileRule::finite_sample;
};

struct ConformalSettings {
  Level level;
  ScoreOptions score;
  MemberRule member = MemberRule::probability;
};

const OptionTable<ConformalSettings>& conformal_options();
/// In force for a request; InputError for an alpha outside (0, 1) or an unknown score or rule.
ConformalSettings conformal_settings(const Request& request);

/// Makes rows of one comparison.
class RowWriter {
 public:
  RowWriter(const Comparison& comparison, const Request& request, const ConformalSettings& settings)
      : comparison_(comparison), request_(request), settings_(settings) {}

  /// A row that no alpha changes.
  Row plain(std::string_view id) const { return make_row(id, comparison_, request_); }
  /// A row in the setting alpha, score and rule.
  Row at(std::string_view id, const Level& level) const;

 private:
  const Comparison& comparison_;
  const Request& request_;
  const ConformalSettings& settings_;
};

/// Value part / whole with its Clopper-Pearson interval.
void set_share(Row& row, std::size_t part, std::size_t whole, const Reason& interval);
void set_undefined(Row& row, Reason why);
std::size_t count_ones(const std::vector<double>& flags);
/// As the terminal table prints it.
std::string printed(double value);

/// q with its interval on so many calibration rows.
struct SizedThreshold {
  std::size_t rows;
  Estimate q;
};

/// q on ever larger nested parts of the calibration rows, in an order drawn from the seed.
std::vector<SizedThreshold> q_over_size(const std::vector<double>& scores, const Level& level,
                                        std::uint64_t seed);

/// q of calibration scores, with notes on where they come from and how few they are.
Row q_row(const RowWriter& writer, std::string_view id, const std::vector<double>& scores,
          const Level& level, const ConformalInput& input, std::uint64_t seed);

}  // namespace vestige::metrics
