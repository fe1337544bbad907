// Thresholds on scores.
#include "vestige/metrics/iam/unlearning_risk.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "vestige/base/error.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

// Where scores are cut before their logarithm is taken.
constexpr double kCut = 1e-12;

struct Count {
  std::size_t flagged = 0;
  std::size_t n = 0;

  void add(bool is_flagged) {
    ++n;
    flagged += is_flagged ? 1U : 0U;
  }
};

GroupRate rate_of(std::string group, const Count& count) {
  return {std::move(group), count.flagged, count.n, clopper_pearson(count.flagged, count.n)};
}

void check(std::size_t facts, std::size_t scores, std::string_view what) {
  require(facts == 0 || facts == scores, "{} {} for {} scores: give one per row", facts, what,
          scores);
}

}  // namespace

std::string_view name(Difficulty difficulty) {
  switch (difficulty) {
    case Difficulty::hard:
      return "hard";
    case Difficulty::moderate:
      return "moderate";
    case Difficulty::easy:
      return "easy";
  }
  return "";
}

Difficulty difficulty_of(double mean_out_confidence) {
  if (mean_out_confidence < 0.1) return Difficulty::hard;
  return mean_out_confidence < 0.9 ? Difficulty::moderate : Difficulty::easy;
}

RiskRate risk_rate(std::span<const double> scores, Risk risk, double threshold,
                   const RowFacts& facts, std::size_t worst_rows) {
  check(facts.classes.size(), scores.size(), "classes");
  check(facts.subjects.size(), scores.size(), "subjects");
  check(facts.out_confidence.size(), scores.size(), "confidences");
  RiskRate result;
  Count all;
  std::map<std::int64_t, Count> classes;
  std::map<std::string, Count> subjects;
  std::map<Difficulty, Count> difficulties;
  for (std::size_t row = 0; row < scores.size(); ++row) {
    if (std::isnan(scores[row])) continue;
    const bool flagged =
        risk == Risk::under_unlearned ? scores[row] > threshold : scores[row] < threshold;
    all.add(flagged);
    if (!facts.classes.empty()) classes[facts.classes[row]].add(flagged);
    if (!facts.subjects.empty()) subjects[facts.subjects[row]].add(flagged);
    if (!facts.out_confidence.empty()) {
      difficulties[difficulty_of(facts.out_confidence[row])].add(flagged);
    }
    if (flagged) result.worst.push_back(row);
  }
  result.flagged = all.flagged;
  result.n = all.n;
  result.rate = clopper_pearson(all.flagged, all.n);
  for (const auto& [label, count] : classes) {
    result.by_class.push_back(rate_of(std::to_string(label), count));
  }
  for (const auto& [subject, count] : subjects) {
    result.by_subject.push_back(rate_of(subject, count));
  }
  for (const auto& [difficulty, count] : difficulties) {
    result.by_difficulty.push_back(rate_of(std::string(name(difficulty)), count));
  }
  std::stable_sort(result.by_subject.begin(), result.by_subject.end(),
                   [](const GroupRate& left, const GroupRate& right) {
                     return left.rate.value > right.rate.value;
                   });
  const double sign = risk == Risk::under_unlearned ? -1 : 1;
  std::stable_sort(result.worst.begin(), result.worst.end(),
                   [&](std::size_t left, std::size_t right) {
                     return sign * scores[left] < sign * scores[right];
                   });
  result.worst.resize(std::min(result.worst.size(), worst_rows));
  return result;
}

double weighted_cross_entropy(std::span<const double> forget, std::span<const double> retain) {
  if (forget.empty() || retain.empty()) return kUndefined;
  const auto cut = [](double score) {
    return std::isnan(score) ? score : std::clamp(score, kCut, 1 - kCut);
  };
  const double weight = static_cast<double>(forget.size()) / static_cast<double>(retain.size());
  double sum = 0;
  for (const double score : retain) sum += weight * std::log(cut(score));
  for (const double score : forget) sum += std::log(1 - cut(score));
  return -sum / static_cast<double>(forget.size() + retain.size());
}

}  // namespace vestige::metrics
