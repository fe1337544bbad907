// From token arrays to scores.
#include "vestige/metrics/lm/lm_evidence.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/learn/bag_of_words.h"
#include "vestige/metrics/lm/lm_scores.h"
#include "vestige/metrics/scores/iam.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

using evidence::Model;
using evidence::TokenSplit;

constexpr const char* kNeedsShadow =
    "needs a shadow model: add shadow/0/tokens/{forget,retain}.npy with offsets";
constexpr const char* kNoSpread = "the shadow models' responses are all the same";

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void fill_row(Matrix& matrix, std::size_t row, const std::vector<double>& values) {
  std::copy(values.begin(), values.end(), matrix.row(row).begin());
}

/// Mean over models of the losses at each sequence.
std::vector<double> column_means(const Matrix& losses) {
  std::vector<double> result(losses.cols());
  for (std::size_t row = 0; row < losses.cols(); ++row) {
    double sum = 0;
    for (std::size_t model = 0; model < losses.rows(); ++model) sum += losses(model, row);
    result[row] = sum / static_cast<double>(losses.rows());
  }
  return result;
}

/// With weights p the mean of ln p is minus the entropy, which tells the two conventions apart
/// where both arrays were exported.
bool mean_is_minus_entropy(const TokenSplit& split) {
  if (split.entropy.empty()) return false;
  double difference = 0;
  for (std::size_t token = 0; token < split.mean.size(); ++token) {
    difference += std::abs(split.mean[token] + split.entropy[token]);
  }
  return difference / static_cast<double>(split.mean.size()) < 0.01;
}

}  // namespace

struct LmEvidence::Target {
  const Model& model;
  TokenSplit forget;
  TokenSplit retain;
  std::vector<double> losses;  ///< forget, then retain

  /// A score of forget, then of retain.
  template <typename Score>
  std::vector<double> both(const Score& score) const {
    return joined(score(forget), score(retain));
  }
};

const OptionTable<LmSettings>& lm_options() {
  using Settings = LmSettings;
  static const auto percent = [](const Json& value) -> std::string {
    const auto number = value.get<double>();
    return number > 0 && number <= 100
               ? ""
               : "give a share of tokens in per cent, more than 0 and at most 100";
  };
  static const OptionTable<Settings> table =
      OptionTable<Settings>("lm")
          .number(
              "k", "Per cent of tokens in min-k%, min-k%++ and SURP",
              [](Settings & s) -> auto& { return s.k; }, percent)
          .count(
              "levels", "IAM levels of language models",
              [](Settings & s) -> auto& { return s.iam.levels; }, at_least(2))
          .choice(
              "direction", "IAM levels from original to shadow (code) or back (paper)",
              [](Settings & s) -> auto& { return s.iam.direction; },
              std::vector<std::pair<std::string, LmDirection>>{{"paper", LmDirection::paper},
                                                               {"code", LmDirection::code}})
          .number(
              "epsilon1", "Bounds IAM responses near p = 0",
              [](Settings & s) -> auto& { return s.iam.epsilon1; }, above(0))
          .number(
              "epsilon2", "Bounds IAM responses near p = 1",
              [](Settings & s) -> auto& { return s.iam.epsilon2; }, above(0))
          .count(
              "shadows", "Shadow models to use, the first in name order; 0: all",
              [](Settings & s) -> auto& { return s.shadows; });
  return table;
}

LmSettings lm_settings(const Request& request) { return lm_options().read(request.options); }

bool has_tokens(const Model& model, std::initializer_list<std::string_view> splits) {
  return std::all_of(splits.begin(), splits.end(),
                     [&](std::string_view split) { return evidence::has_tokens(model, split); });
}

Models lm_shadows(const evidence::Evidence& evidence, std::size_t limit) {
  Models result;
  const evidence::Group* group = evidence.find("shadow");
  if (group == nullptr) return result;
  for (const Model& model : group->models) {
    if (limit != 0 && result.size() == limit) break;
    if (has_tokens(model, {"forget", "retain"})) result.push_back(&model);
  }
  return result;
}

LmEvidence::LmEvidence(const Comparison& comparison, const LmSettings& settings)
    : evidence_(*comparison.evidence), settings_(settings) {
  const Model& candidate = *comparison.candidate.front();
  forget_rows_ = candidate.tokens.at("forget.offsets").size() - 1;
  retain_rows_ = candidate.tokens.at("retain.offsets").size() - 1;
  read_shadows(settings);
  read_originals(comparison.original);
}

void LmEvidence::read_shadows(const LmSettings& settings) {
  const Models models = lm_shadows(evidence_, settings.shadows);
  if (models.empty()) return;
  shadows_ = Matrix(models.size(), forget_rows_ + retain_rows_);
  bool all_test = true;
  bool all_train = true;
  for (std::size_t index = 0; index < models.size(); ++index) {
    fill_row(shadows_, index, query_losses(*models[index]));
    all_test = all_test && has_tokens(*models[index], {"test"});
    all_train = all_train && has_tokens(*models[index], {"shadow_train"});
  }
  std::vector<std::vector<double>> train;
  for (std::size_t index = 0; index < models.size(); ++index) {
    if (all_test) {
      const std::vector<double> test = losses(*models[index], "test");
      if (index == 0) shadows_test_ = Matrix(models.size(), test.size());
      fill_row(shadows_test_, index, test);
    }
    if (all_train) {
      train.push_back(lm_iam_responses(losses(*models[index], "shadow_train"), settings.iam));
    }
  }
  offline_in_ = offline_in(train);
}

void LmEvidence::read_originals(const Models& originals) {
  Models usable;
  for (const Model* model : originals) {
    if (has_tokens(*model, {"forget", "retain"})) usable.push_back(model);
  }
  if (usable.empty()) return;
  Matrix queries(usable.size(), forget_rows_ + retain_rows_);
  bool all_test = true;
  for (std::size_t index = 0; index < usable.size(); ++index) {
    fill_row(queries, index, query_losses(*usable[index]));
    all_test = all_test && has_tokens(*usable[index], {"test"});
  }
  original_ = column_means(queries);
  if (!all_test) return;
  Matrix tests;
  for (std::size_t index = 0; index < usable.size(); ++index) {
    const std::vector<double> test = losses(*usable[index], "test");
    if (index == 0) tests = Matrix(usable.size(), test.size());
    fill_row(tests, index, test);
  }
  original_test_ = column_means(tests);
}

std::vector<double> LmEvidence::losses(const Model& model, std::string_view split) const {
  return lm_losses(evidence::read_tokens(evidence_, model, split).sequences());
}

std::vector<double> LmEvidence::query_losses(const Model& model) const {
  return joined(losses(model, "forget"), losses(model, "retain"));
}

LmScore LmEvidence::lower(const Target& target) const {
  LmScore score{.name = "lower", .why_undefined = "the loss of the lower-cased text is 0"};
  if (target.forget.lower.empty() || target.retain.lower.empty()) {
    score.missing = fmt::format(
        "needs log-probabilities of the lower-cased text: add {}/tokens/{{forget,retain}}"
        ".lower.npy and .lower.offsets.npy",
        target.model.folder);
    return score;
  }
  score.values = lm_ratio_scores(target.losses, target.both([](const TokenSplit& split) {
    return lm_losses(split.lower_sequences());
  }));
  return score;
}

LmScore LmEvidence::zlib(const Target& target) const {
  LmScore score{.name = "zlib", .why_undefined = "the text is empty"};
  const auto forget = evidence_.text.find("forget");
  const auto retain = evidence_.text.find("retain");
  if (forget == evidence_.text.end() || retain == evidence_.text.end()) {
    score.missing = "needs the texts: add text/{forget,retain}.txt, one sequence per line";
    return score;
  }
  std::vector<std::string> texts = forget->second;
  texts.insert(texts.end(), retain->second.begin(), retain->second.end());
  score.values = lm_zlib_scores(target.losses, texts);
  return score;
}

LmScore LmEvidence::ratio(const Target& target) const {
  LmScore score{.name = "ratio", .why_undefined = "the loss of the shadow models is 0"};
  if (shadows_.rows() == 0) {
    score.missing = kNeedsShadow;
    return score;
  }
  score.values = lm_ratio_scores(target.losses, column_means(shadows_));
  score.facts["shadows"] = shadows_.rows();
  return score;
}

LmScore LmEvidence::min_k_plus_plus(const Target& target) const {
  LmScore score{.name = "min_k_plus_plus",
                .why_undefined = "the standard deviation is 0 at every position"};
  if (target.forget.mean.empty() || target.forget.deviation.empty() || target.retain.mean.empty() ||
      target.retain.deviation.empty()) {
    score.missing = fmt::format(
        "needs mean and standard deviation of ln p over the vocabulary: add "
        "{}/tokens/{{forget,retain}}.mean.npy and .std.npy",
        target.model.folder);
    return score;
  }
  score.values = target.both([&](const TokenSplit& split) {
    return min_k_plus_plus_scores(split.sequences(), split.mean, split.deviation, settings_.k);
  });
  score.facts["k"] = settings_.k;
  const bool weighted =
      mean_is_minus_entropy(target.forget) && mean_is_minus_entropy(target.retain);
  score.facts["moments"] = !evidence_.token_moments.empty() ? evidence_.token_moments
                           : weighted                       ? "weighted"
                                                            : "unknown";
  return score;
}

LmScore LmEvidence::surp(const Target& target) const {
  LmScore score{.name = "surp", .why_undefined = "no token is surprising"};
  if (target.forget.entropy.empty() || target.retain.entropy.empty()) {
    score.missing = fmt::format(
        "needs the entropy at every position: add {}/tokens/{{forget,retain}}.entropy.npy",
        target.model.folder);
    return score;
  }
  const SurpOptions options{.k = settings_.k};
  score.values = target.both([&](const TokenSplit& split) {
    return surp_scores(split.sequences(), split.entropy, options);
  });
  score.facts["k"] = options.k;
  score.facts["max_entropy"] = options.max_entropy;
  return score;
}

LmScore LmEvidence::lira(const Target& target) const {
  LmScore score{.name = "lira", .why_undefined = kNoSpread};
  if (shadows_.rows() == 0) {
    score.missing = kNeedsShadow;
    return score;
  }
  score.values = lm_lira(target.losses, shadows_, original_);
  score.settings["mode"] = original_.empty() ? "offline" : "online";
  score.facts["shadows"] = shadows_.rows();
  return score;
}

LmScore LmEvidence::rmia(const Target& target) const {
  LmScore score{.name = "rmia", .why_undefined = "a likelihood ratio is not a number"};
  if (shadows_.rows() == 0) {
    score.missing = kNeedsShadow;
  } else if (shadows_test_.rows() == 0 || !has_tokens(target.model, {"test"})) {
    score.missing = fmt::format(
        "needs test sequences as the population: add {}/tokens/test.npy and "
        "shadow/0/tokens/test.npy with offsets",
        target.model.folder);
  }
  if (!score.missing.empty()) return score;
  const bool online = !original_.empty() && !original_test_.empty();
  const std::vector<double> none;
  const std::vector<double> test = losses(target.model, "test");
  const LmRmiaOptions options;
  score.values = lm_rmia({target.losses, shadows_, online ? original_ : none},
                         {test, shadows_test_, online ? original_test_ : none}, options);
  score.settings["mode"] = online ? "online" : "offline";
  score.facts["shadows"] = shadows_.rows();
  score.facts["gamma"] = options.gamma;
  score.facts["population"] = test.size();
  if (!online) score.facts["a"] = options.a;
  return score;
}

LmScore LmEvidence::iam(const Target& target) const {
  LmScore score{.name = "iam", .why_undefined = kNoSpread};
  if (shadows_.rows() == 0) {
    score.missing = kNeedsShadow;
  } else if (original_.empty() && std::isnan(offline_in_)) {
    score.missing =
        "needs a fitted end: add original/0/tokens/{forget,retain}.npy (online) or "
        "shadow/0/tokens/shadow_train.npy (offline), with offsets";
  }
  if (!score.missing.empty()) return score;
  Matrix responses(shadows_.rows(), shadows_.cols());
  for (std::size_t model = 0; model < shadows_.rows(); ++model) {
    fill_row(responses, model, lm_iam_responses(shadows_.row(model), settings_.iam));
  }
  const bool online = !original_.empty();
  const std::vector<double> in = online ? lm_iam_responses(original_, settings_.iam)
                                        : std::vector<double>(target.losses.size(), offline_in_);
  score.values = lm_iam(lm_iam_responses(target.losses, settings_.iam), shadow_moments(responses),
                        in, settings_.iam);
  score.settings["mode"] = online ? "online" : "offline";
  score.facts = {{"direction", name(settings_.iam.direction)},
                 {"levels", settings_.iam.levels},
                 {"epsilon1", settings_.iam.epsilon1},
                 {"epsilon2", settings_.iam.epsilon2},
                 {"shadows", shadows_.rows()}};
  return score;
}

std::vector<LmScore> LmEvidence::scores(const Model& model) const {
  Target target{model,
                evidence::read_tokens(evidence_, model, "forget"),
                evidence::read_tokens(evidence_, model, "retain"),
                {}};
  target.losses = target.both([](const TokenSplit& split) { return lm_losses(split.sequences()); });
  LmScore loss{.name = "loss", .values = lm_loss_scores(target.losses)};
  LmScore min_k{.name = "min_k", .facts = {{"k", settings_.k}}};
  min_k.values = target.both(
      [&](const TokenSplit& split) { return min_k_scores(split.sequences(), settings_.k); });
  return {std::move(loss),         lower(target), zlib(target), ratio(target), std::move(min_k),
          min_k_plus_plus(target), surp(target),  lira(target), rmia(target),  iam(target)};
}

LmScore LmEvidence::bag_of_words(std::uint64_t seed) const {
  LmScore score{.name = "bag_of_words",
                .why_undefined = "no word is in 5 % of the texts, or a split has one text"};
  const auto forget = evidence_.text.find("forget");
  const auto retain = evidence_.text.find("retain");
  if (forget == evidence_.text.end() || retain == evidence_.text.end()) {
    score.missing = "needs the texts: add text/{forget,retain}.txt, one sequence per line";
    return score;
  }
  std::vector<std::string> texts = forget->second;
  texts.insert(texts.end(), retain->second.begin(), retain->second.end());
  std::vector<int> labels(forget_rows_, 0);
  labels.resize(texts.size(), 1);
  const BagOfWordsOptions options{.seed = seed};
  score.values = bag_of_words_scores(texts, labels, options);
  score.facts = {{"folds", options.folds},
                 {"words", vocabulary(texts, options).size()},
                 {"min_share", options.min_share}};
  return score;
}

}  // namespace vestige::metrics
