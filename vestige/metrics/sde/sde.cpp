// SDE: what reference sets make of the dependence of sets.
#include "vestige/metrics/sde/sde.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/stats/jsd.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr double kJsdTie = 1e-12;
constexpr double kPrecondition = 0.01;

void finish(OverPairs& result, std::span<const PairVerdicts> pairs) {
  std::vector<double> defined;
  for (const double value : result.per_pair) {
    if (!std::isnan(value)) defined.push_back(value);
  }
  for (const PairVerdicts& pair : pairs) {
    if (!pair.passed) continue;
    ++result.passed;
    result.verdicts += pair.verdicts.size();
    for (const Verdict& verdict : pair.verdicts) result.ties += verdict.tie ? 1 : 0;
  }
  result.mean = mean(defined);
  if (defined.size() < 2) return;
  result.lower = quantile(defined, 0.025);
  result.upper = quantile(defined, 0.975);
}

}  // namespace

bool degenerate_kernel(double kernel_mean) { return kernel_mean > 0.99 || kernel_mean < 0.01; }

Verdict judge_by_jsd(std::span<const double> target, std::span<const double> in,
                     std::span<const double> out) {
  const double difference =
      jensen_shannon_samples(target, in) - jensen_shannon_samples(target, out);
  return {difference < -kJsdTie, std::abs(difference) <= kJsdTie};
}

Verdict judge_by_mean(double target, double in, double out) {
  const double to_in = std::abs(target - in);
  const double to_out = std::abs(target - out);
  return {to_in < to_out, to_in == to_out};
}

bool references_differ(std::span<const double> in, std::span<const double> out) {
  return mann_whitney(in, out, Alternative::greater).p < kPrecondition;
}

std::vector<PairVerdicts> judge_by_jsd(std::span<const Dependence> targets,
                                       std::span<const Dependence> ins,
                                       std::span<const Dependence> outs) {
  require(ins.size() == outs.size(), "{} in-references and {} out-references: they come in pairs",
          ins.size(), outs.size());
  std::vector<PairVerdicts> pairs(ins.size());
  parallel_for(pairs.size(), [&](std::size_t index) {
    PairVerdicts& pair = pairs[index];
    pair.passed = references_differ(ins[index].values, outs[index].values);
    if (!pair.passed) return;
    for (const Dependence& target : targets) {
      pair.verdicts.push_back(judge_by_jsd(target.values, ins[index].values, outs[index].values));
    }
  });
  return pairs;
}

std::vector<PairVerdicts> judge_by_mean(std::span<const Dependence> targets,
                                        std::span<const Dependence> ins,
                                        std::span<const Dependence> outs) {
  require(ins.size() == outs.size(), "{} in-references and {} out-references: they come in pairs",
          ins.size(), outs.size());
  std::vector<PairVerdicts> pairs(ins.size());
  for (std::size_t index = 0; index < pairs.size(); ++index) {
    const double in = ins[index].moments.mean;
    const double out = outs[index].moments.mean;
    pairs[index].passed = in > out;
    if (!pairs[index].passed) continue;
    for (const Dependence& target : targets) {
      pairs[index].verdicts.push_back(judge_by_mean(target.moments.mean, in, out));
    }
  }
  return pairs;
}

OverPairs out_of_training_rate(std::span<const PairVerdicts> pairs) {
  OverPairs result;
  for (const PairVerdicts& pair : pairs) {
    const auto out = std::count_if(pair.verdicts.begin(), pair.verdicts.end(),
                                   [](const Verdict& verdict) { return !verdict.in_training; });
    result.per_pair.push_back(pair.verdicts.empty()
                                  ? kUndefined
                                  : static_cast<double>(out) /
                                        static_cast<double>(pair.verdicts.size()));
  }
  finish(result, pairs);
  return result;
}

double f1_of(std::span<const Verdict> verdicts, std::span<const std::size_t> indices,
             std::size_t members) {
  double agreed = 0;
  double wrong = 0;
  for (const std::size_t index : indices) {
    const bool member = index < members;
    if (member && verdicts[index].in_training) agreed += 1;
    if (member != verdicts[index].in_training) wrong += 1;
  }
  return agreed + wrong > 0 ? 2 * agreed / (2 * agreed + wrong) : kUndefined;
}

OverPairs f1_score(std::span<const PairVerdicts> pairs, std::size_t members) {
  OverPairs result;
  for (const PairVerdicts& pair : pairs) {
    std::vector<std::size_t> all(pair.verdicts.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    result.per_pair.push_back(f1_of(pair.verdicts, all, members));
  }
  finish(result, pairs);
  return result;
}

}  // namespace vestige::metrics
