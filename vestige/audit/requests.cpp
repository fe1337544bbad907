// Requests by rank among draws of unseen examples.
#include "vestige/audit/requests.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>

#include "vestige/audit/near_duplicates.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/requests.h"
#include "vestige/metrics/inputs/likelihood.h"
#include "vestige/metrics/inputs/row_sets.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/stats/multiple_testing.h"
#include "vestige/metrics/stats/probability.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::audit {
namespace {

using evidence::Evidence;
using evidence::Group;
using Values = std::vector<double>;

/// How probable a model finds the examples of a split, and which of them are compared.
struct Signal {
  result::RequestSignal name;
  std::function<bool(const evidence::Model&)> in;  ///< whether a model shows it on both splits
  std::function<Values(const evidence::Model&, std::string_view)> of;
  metrics::RowSets sets;
};

std::optional<Signal> signal_of(const Context& context, const Evidence& evidence) {
  const Group* retrained = evidence.find("retrained");
  if (retrained == nullptr || retrained->models.empty()) return std::nullopt;
  const evidence::Model& first = retrained->models.front();
  if (first.has("forget") && first.has("test")) {
    Signal signal{
        result::RequestSignal::probability,
        [](const evidence::Model& model) { return model.has("forget") && model.has("test"); },
        [&context, &evidence](const evidence::Model& model, std::string_view split) {
          return metrics::true_class(context, evidence, model, {split}).probability;
        },
        metrics::row_sets(evidence)};
    if (signal.sets.empty()) return std::nullopt;
    return signal;
  }
  const auto has_tokens = [](const evidence::Model& model) {
    return model.tokens.contains("forget") && model.tokens.contains("test");
  };
  if (!has_tokens(first)) return std::nullopt;
  const auto likelihoods = [&evidence](const evidence::Model& model, std::string_view split) {
    return metrics::sequence_likelihoods(evidence, model, split);
  };
  return Signal{result::RequestSignal::likelihood, has_tokens, likelihoods,
                metrics::sequence_sets(evidence, likelihoods(first, "forget").size(),
                                       likelihoods(first, "test").size())};
}

/// Whether some model of a group can be judged.
bool speaks(const Group& group, const Signal& signal) {
  return std::any_of(group.models.begin(), group.models.end(), signal.in);
}

/// Mean over the models of a group that show the signal, one value per example.
Values mean_over(const Group& group, const Signal& signal, std::string_view split) {
  Values mean;
  double models = 0;
  for (const evidence::Model& model : group.models) {
    if (!signal.in(model)) continue;
    ++models;
    const Values own = signal.of(model, split);
    mean.resize(own.size());
    for (std::size_t row = 0; row < own.size(); ++row) mean[row] += own[row];
  }
  for (double& value : mean) value /= models;
  return mean;
}

/// (left - right) of forget and of unseen examples, both minus the mean over unseen examples of the
/// same stratum, so that what models do to a whole class is no false alarm for a request of it.
struct Centred {
  Values forget, unseen;
};

Centred centred(const Group& left, const Group& right, const Signal& signal) {
  const auto difference = [&](std::string_view split) {
    Values values = mean_over(left, signal, split);
    const Values other = mean_over(right, signal, split);
    for (std::size_t row = 0; row < values.size(); ++row) values[row] -= other[row];
    return values;
  };
  Centred result{difference("forget"), {}};
  const Values test = difference("test");
  for (const std::size_t row : signal.sets.unseen) result.unseen.push_back(test[row]);
  const metrics::Strata& strata = *signal.sets.strata;
  Values sums(strata.count), counts(strata.count);
  for (std::size_t row = 0; row < result.unseen.size(); ++row) {
    sums[strata.unseen[row]] += result.unseen[row];
    counts[strata.unseen[row]] += 1;
  }
  const auto expected = [&](std::uint32_t stratum) {
    return counts[stratum] > 0 ? sums[stratum] / counts[stratum] : 0;
  };
  for (std::size_t row = 0; row < result.forget.size(); ++row) {
    result.forget[row] -= expected(strata.target[row]);
  }
  for (std::size_t row = 0; row < result.unseen.size(); ++row) {
    result.unseen[row] -= expected(strata.unseen[row]);
  }
  return result;
}

/// Means of `size` unseen examples, drawn with replacement, ascending. The mean over unseen
/// examples that everything was centred by is uncertain too: draws are wider by sqrt(1 + size /
/// unseen).
Values null_means(const Values& unseen, std::size_t size, std::size_t draws, std::uint64_t seed) {
  const double count = static_cast<double>(size);
  const double wider = std::sqrt(1 + count / static_cast<double>(unseen.size()));
  Values means(draws);
  parallel_ranges(draws, 256, [&](std::size_t first, std::size_t last) {
    for (std::size_t draw = first; draw < last; ++draw) {
      Stream stream(seed, "requests.null", (static_cast<std::uint64_t>(size) << 32U) | draw);
      double sum = 0;
      for (std::size_t row = 0; row < size; ++row) sum += unseen[stream.below(unseen.size())];
      means[draw] = wider * sum / count;
    }
  });
  std::sort(means.begin(), means.end());
  return means;
}

/// What a request that the method remembers as well as the original would look like.
struct Remembered {
  double mean = metrics::kUndefined;       ///< of original - retrained over forget, centred
  double deviation = metrics::kUndefined;  ///< of the same
  double unseen = metrics::kUndefined;     ///< deviation of method - retrained over unseen
  double unseen_examples = 0;
};

/// Normal approximation: probability that the mean of `size` such examples is beyond the one-sided
/// critical value at `level`.
double power_at(const Remembered& known, double size, double level) {
  const double critical = metrics::normal_critical(level) * known.unseen *
                          std::sqrt(1 / size + 1 / known.unseen_examples);
  const double error = known.deviation / std::sqrt(size);
  if (!(error > 0)) return known.mean > critical ? 1 : 0;
  return metrics::normal_probability((known.mean - critical) / error);
}

/// The smallest size with the power; nothing if a million examples do not have it.
std::optional<std::size_t> examples_needed(const Remembered& known, double level, double power) {
  if (!(known.mean > 0)) return std::nullopt;
  std::size_t low = 0, high = 1;
  while (power_at(known, static_cast<double>(high), level) < power) {
    low = high;
    high *= 2;
    if (high > (std::size_t{1} << 20U)) return std::nullopt;
  }
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (power_at(known, static_cast<double>(middle), level) < power ? low : high) = middle;
  }
  return high;
}

RequestWord word_of(const RequestVerdict& verdict, const RequestOptions& options) {
  const bool large = std::isnan(verdict.share) || verdict.share >= options.smallest_effect;
  if (verdict.adjusted <= options.level && large) return RequestWord::traces_remain;
  return verdict.power >= options.power ? RequestWord::no_trace_detected : RequestWord::not_decided;
}

/// What is known of a request before anything is measured.
RequestVerdict named_verdict(const evidence::ErasureRequest& request) {
  RequestVerdict verdict;
  verdict.request = request.name;
  verdict.subject = request.subject;
  verdict.date = request.date;
  verdict.examples = request.rows.size();
  return verdict;
}

/// Why answers that are there say nothing: they are somebody else's, in another order, or those of
/// a destroyed model. What a verdict lacks, requests may have.
result::Reason not_to_be_trusted(const Group& method, const RequestOptions& options) {
  using result::Code;
  constexpr Code kLacks[] = {Code::no_retrained_model,      Code::no_original_model,
                             Code::no_unseen_examples,      Code::outputs_missing,
                             Code::gap_labels_missing,      Code::nothing_to_compare,
                             Code::no_metric_tells_original};
  for (const result::Verdict& verdict : options.verdicts) {
    if (verdict.method != method.method) continue;
    if (!verdict.ruin.empty()) return verdict.ruin;
    const bool lacks =
        std::find(std::begin(kLacks), std::end(kLacks), verdict.obstacle.code) != std::end(kLacks);
    if (!verdict.obstacle.empty() && !lacks) return verdict.obstacle;
    for (const result::Reason& caution : verdict.cautions) {
      if (caution.code == Code::split_in_other_order) return caution;
    }
  }
  return {};
}

/// Every request of a method whose answers are missing or say nothing.
MethodRequests not_tested(const Group& method,
                          const std::vector<evidence::ErasureRequest>& requests,
                          result::Reason why) {
  MethodRequests result{.method = method.method};
  result.missing = std::move(why);
  for (const evidence::ErasureRequest& request : requests) {
    result.requests.push_back(named_verdict(request));
  }
  return result;
}

MethodRequests judge_method(const Group& method, const Group& retrained, const Group* original,
                            const Signal& signal,
                            const std::vector<evidence::ErasureRequest>& requests,
                            const RequestOptions& options) {
  if (!speaks(method, signal)) {
    return not_tested(method, requests,
                      result::reason(result::Code::request_needs_outputs, method.method));
  }
  if (result::Reason why = not_to_be_trusted(method, options); !why.empty()) {
    return not_tested(method, requests, std::move(why));
  }
  MethodRequests result{.method = method.method};
  const Centred own = centred(method, retrained, signal);
  Remembered known;
  known.unseen = std::sqrt(metrics::variance(own.unseen));
  known.unseen_examples = static_cast<double>(own.unseen.size());
  if (original != nullptr && speaks(*original, signal)) {
    const Centred full = centred(*original, retrained, signal);
    known.mean = metrics::mean(full.forget);
    known.deviation = std::sqrt(metrics::variance(full.forget));
  }
  const auto count = static_cast<double>(requests.size());
  // A request that stands alone among the others must pass level / requests.
  const double level = options.level / count;
  result.examples_needed = examples_needed(known, level, options.power);
  const auto draws = std::max(options.draws, static_cast<std::size_t>(std::ceil(10 / level)));
  std::map<std::size_t, Values> null_of;  // by size: many requests have the same
  std::vector<double> p_values;
  for (const evidence::ErasureRequest& request : requests) {
    RequestVerdict verdict = named_verdict(request);
    double sum = 0;
    for (const std::size_t row : request.rows) sum += own.forget[row];
    verdict.difference = sum / static_cast<double>(request.rows.size());
    if (known.mean > 0) verdict.share = verdict.difference / known.mean;
    Values& null = null_of[verdict.examples];
    if (null.empty()) null = null_means(own.unseen, verdict.examples, draws, options.seed);
    const auto above = null.end() - std::lower_bound(null.begin(), null.end(), verdict.difference);
    verdict.p = (1 + static_cast<double>(above)) / (1 + static_cast<double>(draws));
    if (!std::isnan(known.mean)) {
      verdict.power = power_at(known, static_cast<double>(verdict.examples), level);
    }
    p_values.push_back(verdict.p);
    result.requests.push_back(std::move(verdict));
  }
  const std::vector<double> adjusted = metrics::benjamini_hochberg(p_values);
  for (std::size_t place = 0; place < adjusted.size(); ++place) {
    result.requests[place].adjusted = adjusted[place];
    result.requests[place].word = word_of(result.requests[place], options);
  }
  std::stable_sort(result.requests.begin(), result.requests.end(),
                   [](const RequestVerdict& left, const RequestVerdict& right) {
                     const bool traces = left.word == RequestWord::traces_remain;
                     if (traces != (right.word == RequestWord::traces_remain)) return traces;
                     return left.p != right.p ? left.p < right.p
                                              : left.difference > right.difference;
                   });
  return result;
}

std::vector<evidence::ErasureRequest> requests_in(const Evidence& evidence,
                                                  const std::optional<Signal>& signal,
                                                  const RequestOptions& options) {
  const auto* labels = evidence.find_labels("forget");
  const std::size_t rows = labels != nullptr ? labels->size() : signal ? signal->sets.forget : 0;
  return options.file ? evidence::parse_requests(*options.file, evidence, rows)
                      : evidence::read_requests(evidence, rows);
}

}  // namespace

std::vector<evidence::ErasureRequest> asked_requests(const Evidence& evidence,
                                                     const RequestOptions& options) {
  if (!evidence::has_requests(evidence)) return {};
  return requests_in(evidence, signal_of(options.context, evidence), options);
}

std::optional<Requests> judge_requests(const Evidence& evidence, const RequestOptions& options) {
  if (!evidence::has_requests(evidence)) return std::nullopt;
  const std::optional<Signal> signal = signal_of(options.context, evidence);
  const std::vector<evidence::ErasureRequest> requests = requests_in(evidence, signal, options);
  Requests result;
  result.level = options.level;
  result.power = options.power;
  result.near_duplicates = near_duplicates(evidence);
  if (!signal) {
    result.missing = result::Code::requests_need_retrained;
    return result;
  }
  result.signal = signal->name;
  for (const Group* method : evidence.unlearned()) {
    result.methods.push_back(judge_method(*method, *evidence.find("retrained"),
                                          evidence.find("original"), *signal, requests, options));
  }
  return result;
}

}  // namespace vestige::audit
