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

constexpr double kTie = 1e-12;
constexpr std::size_t kDivergenceBins = 20;
constexpr double kPrecondition = 0.01;

bool usable(std::span<const double> values) {
  return !values.empty() &&
         std::none_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

/// In nats. Bins that the reference leaves empty would make it infinite, hence the half count.
double binned_kl(std::span<const double> target, std::span<const double> reference) {
  if (!usable(target) || !usable(reference)) return kUndefined;
  const SampleHistograms bins = pooled_histograms(target, reference, kDivergenceBins);
  const double targets = static_cast<double>(target.size()) + 0.5 * kDivergenceBins;
  const double references = static_cast<double>(reference.size()) + 0.5 * kDivergenceBins;
  double sum = 0;
  for (std::size_t bin = 0; bin < kDivergenceBins; ++bin) {
    const double p = (bins.x[bin] + 0.5) / targets;
    sum += p * std::log(p / ((bins.y[bin] + 0.5) / references));
  }
  return sum;
}

/// Integral of |F - G| over the merged values, so that the samples may differ in size.
double wasserstein_samples(std::span<const double> target, std::span<const double> reference) {
  if (!usable(target) || !usable(reference)) return kUndefined;
  std::vector<double> x(target.begin(), target.end()), y(reference.begin(), reference.end());
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  double sum = 0, last = std::min(x.front(), y.front());
  for (std::size_t i = 0, j = 0; i < x.size() || j < y.size();) {
    const double next = j == y.size() || (i < x.size() && x[i] <= y[j]) ? x[i] : y[j];
    const double below_x = static_cast<double>(i) / static_cast<double>(x.size());
    const double below_y = static_cast<double>(j) / static_cast<double>(y.size());
    sum += std::abs(below_x - below_y) * (next - last);
    last = next;
    while (i < x.size() && x[i] <= next) ++i;
    while (j < y.size() && y[j] <= next) ++j;
  }
  return sum;
}

void finish(OverPairs& result, std::span<const PairVerdicts> pairs) {
  std::vector<double> defined;
  for (const double value : result.per_pair) {
    if (!std::isnan(value)) defined.push_back(value);
  }
  for (const PairVerdicts& pair : pairs) {
    if (!pair.passed) continue;
    ++result.passed;
    result.verdicts += pair.verdicts.size();
    for (const SetVerdict& verdict : pair.verdicts) result.ties += verdict.tie ? 1 : 0;
  }
  result.mean = mean(defined);
  if (defined.size() < 2) return;
  result.lower = quantile(defined, 0.025);
  result.upper = quantile(defined, 0.975);
}

}  // namespace

std::string_view name(SetDivergence divergence) {
  switch (divergence) {
    case SetDivergence::jsd:
      return "jsd";
    case SetDivergence::kl:
      return "kl";
    case SetDivergence::wasserstein:
      return "wasserstein";
  }
  return "";
}

double set_divergence(std::span<const double> target, std::span<const double> reference,
                      SetDivergence divergence) {
  switch (divergence) {
    case SetDivergence::jsd:
      break;
    case SetDivergence::kl:
      return binned_kl(target, reference);
    case SetDivergence::wasserstein:
      return wasserstein_samples(target, reference);
  }
  return jensen_shannon_samples(target, reference);
}

SetVerdict judge(std::span<const double> target, std::span<const double> in,
                 std::span<const double> out, SetDivergence divergence) {
  const double to_in = set_divergence(target, in, divergence);
  const double to_out = set_divergence(target, out, divergence);
  const double scale = divergence == SetDivergence::jsd ? 1 : std::max(to_in, to_out);
  const double difference = to_in - to_out;
  return {difference < -kTie * scale, std::abs(difference) <= kTie * scale};
}

SetVerdict judge(std::span<const double> target, std::span<const double> in,
                 std::span<const double> out, const Divergence& divergence) {
  const double to_in = divergence(target, in);
  const double to_out = divergence(target, out);
  const double difference = to_in - to_out;
  const double tie = kTie * std::max(to_in, to_out);
  return {difference < -tie, std::abs(difference) <= tie};
}

bool degenerate_kernel(double kernel_mean) { return kernel_mean > 0.99 || kernel_mean < 0.01; }

SetVerdict judge_by_jsd(std::span<const double> target, std::span<const double> in,
                        std::span<const double> out) {
  return judge(target, in, out, SetDivergence::jsd);
}

SetVerdict judge_by_mean(double target, double in, double out) {
  const double to_in = std::abs(target - in);
  const double to_out = std::abs(target - out);
  return {to_in < to_out, to_in == to_out};
}

bool references_differ(std::span<const double> in, std::span<const double> out) {
  return mann_whitney(in, out, Alternative::greater).p < kPrecondition;
}

std::vector<PairVerdicts> judge_by_shuffles(std::span<const Dependence> targets,
                                            std::span<const Dependence> ins,
                                            std::span<const Dependence> outs,
                                            SetDivergence divergence) {
  require(ins.size() == outs.size(), "{} in-references and {} out-references: they come in pairs",
          ins.size(), outs.size());
  std::vector<PairVerdicts> pairs(ins.size());
  parallel_for(pairs.size(), [&](std::size_t index) {
    PairVerdicts& pair = pairs[index];
    pair.passed = references_differ(ins[index].values, outs[index].values);
    if (!pair.passed) return;
    for (const Dependence& target : targets) {
      pair.verdicts.push_back(
          judge(target.values, ins[index].values, outs[index].values, divergence));
    }
  });
  return pairs;
}

std::vector<PairVerdicts> judge_by_shuffles(std::span<const Dependence> targets,
                                            std::span<const Dependence> ins,
                                            std::span<const Dependence> outs,
                                            const Divergence& divergence) {
  require(ins.size() == outs.size(), "{} in-references and {} out-references: they come in pairs",
          ins.size(), outs.size());
  std::vector<PairVerdicts> pairs(ins.size());
  for (std::size_t index = 0; index < pairs.size(); ++index) {
    pairs[index].passed = references_differ(ins[index].values, outs[index].values);
    if (!pairs[index].passed) continue;
    for (const Dependence& target : targets) {
      pairs[index].verdicts.push_back(
          judge(target.values, ins[index].values, outs[index].values, divergence));
    }
  }
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
                                   [](const SetVerdict& verdict) { return !verdict.in_training; });
    result.per_pair.push_back(pair.verdicts.empty()
                                  ? kUndefined
                                  : static_cast<double>(out) /
                                        static_cast<double>(pair.verdicts.size()));
  }
  finish(result, pairs);
  return result;
}

double f1_of(std::span<const SetVerdict> verdicts, std::span<const std::size_t> indices,
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
