// From token arrays to scores.
#include "vestige/metrics/lm/lm_evidence.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/losses.h"
#include "vestige/metrics/inputs/likelihood.h"
#include "vestige/metrics/learn/bag_of_words.h"
#include "vestige/metrics/lm/lm_scores.h"
#include "vestige/metrics/lm/lm_target.h"
#include "vestige/metrics/scores/emia.h"
#include "vestige/metrics/scores/iam.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

using evidence::Model;

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

/// Texts of their own for RMIA to compare with; without them it takes the test set.
constexpr const char* kPopulation = "population";

/// The models of a checkpoint, "original.100", or one model by its id.
Models named_models(const evidence::Evidence& evidence, const std::string& name) {
  Models found;
  for (const evidence::Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      if (model.id() == name || group.id() == name ||
          (group.role == "checkpoint" && group.method == name)) {
        found.push_back(&model);
      }
    }
  }
  require(!found.empty(),
          "lm.fitted is {}: there is no such model; name a checkpoint (original.100) or a model by "
          "its folder (checkpoint/original.100/0)",
          name);
  return found;
}

}  // namespace

bool from_losses(std::string_view score) {
  for (const std::string_view name :
       {"loss", "ratio", "reference", "emia_p", "emia_r", "lira", "rmia", "iam"}) {
    if (score == name) return true;
  }
  return false;
}

bool has_losses_of(const Model& model, std::initializer_list<std::string_view> splits) {
  return std::all_of(splits.begin(), splits.end(), [&](std::string_view split) {
    return evidence::has_tokens(model, split) || evidence::has_losses(model, split);
  });
}

std::vector<double> row_losses(const evidence::Evidence& evidence, const Model& model,
                               std::string_view split) {
  if (!evidence::has_tokens(model, split)) return evidence::read_losses(evidence, model, split);
  return lm_losses(evidence::read_log_probabilities(evidence, model, split).sequences());
}

Models lm_shadows(const evidence::Evidence& evidence, std::string_view other, std::size_t limit) {
  Models result;
  const evidence::Group* group = evidence.find("shadow");
  if (group == nullptr) return result;
  for (const Model& model : group->models) {
    if (limit != 0 && result.size() == limit) break;
    if (has_losses_of(model, {"forget", other})) result.push_back(&model);
  }
  return result;
}

LmEvidence::LmEvidence(const Comparison& comparison, const LmSettings& settings,
                       std::string_view other)
    : evidence_(*comparison.evidence), settings_(settings), other_(other) {
  const Model& candidate = *comparison.candidate.front();
  forget_rows_ = sequence_count(candidate, "forget");
  other_rows_ = sequence_count(candidate, other);
  population_ = has_losses_of(candidate, {kPopulation}) ? kPopulation : "test";
  read_shadows(settings);
  read_fitted(settings.fitted.empty() ? comparison.original
                                      : named_models(evidence_, settings.fitted));
}

void LmEvidence::read_shadows(const LmSettings& settings) {
  const Models models = lm_shadows(evidence_, other_, settings.shadows);
  if (models.empty()) return;
  shadows_ = Matrix(models.size(), forget_rows_ + other_rows_);
  bool all_population = true;
  bool all_train = true;
  for (std::size_t index = 0; index < models.size(); ++index) {
    fill_row(shadows_, index, query_losses(*models[index]));
    all_population = all_population && has_losses_of(*models[index], {population_});
    all_train = all_train && has_losses_of(*models[index], {"shadow_train"});
  }
  std::vector<std::vector<double>> train;
  for (std::size_t index = 0; index < models.size(); ++index) {
    if (all_population) {
      const std::vector<double> population = losses(*models[index], population_);
      if (index == 0) shadows_population_ = Matrix(models.size(), population.size());
      fill_row(shadows_population_, index, population);
    }
    if (all_train) {
      train.push_back(lm_iam_responses(losses(*models[index], "shadow_train"), settings.iam));
    }
  }
  offline_in_ = offline_in(train);
}

void LmEvidence::read_fitted(const Models& models) {
  Models usable;
  for (const Model* model : models) {
    if (!has_losses_of(*model, {"forget", other_})) continue;
    usable.push_back(model);
    fitted_by_.push_back(model->id());
  }
  if (usable.empty()) return;
  Matrix queries(usable.size(), forget_rows_ + other_rows_);
  bool all_population = true;
  for (std::size_t index = 0; index < usable.size(); ++index) {
    fill_row(queries, index, query_losses(*usable[index]));
    all_population = all_population && has_losses_of(*usable[index], {population_});
  }
  fitted_ = column_means(queries);
  if (!all_population) return;
  Matrix populations;
  for (std::size_t index = 0; index < usable.size(); ++index) {
    const std::vector<double> population = losses(*usable[index], population_);
    if (index == 0) populations = Matrix(usable.size(), population.size());
    fill_row(populations, index, population);
  }
  fitted_population_ = column_means(populations);
}

std::vector<double> LmEvidence::losses(const Model& model, std::string_view split) const {
  return row_losses(evidence_, model, split);
}

std::vector<double> LmEvidence::query_losses(const Model& model) const {
  return joined(losses(model, "forget"), losses(model, other_));
}

std::vector<std::string> LmEvidence::texts() const {
  const auto forget = evidence_.text.find("forget");
  const auto other = evidence_.text.find(other_);
  if (forget == evidence_.text.end() || other == evidence_.text.end()) return {};
  std::vector<std::string> all = forget->second;
  all.insert(all.end(), other->second.begin(), other->second.end());
  return all;
}

Reason LmEvidence::needs_shadow() const {
  return reason(Code::needs_shadow_models, 1,
                fmt::format("shadow/0/{{tokens,losses}}/{{forget,{}}}.npy", other_));
}

std::string LmEvidence::token_files(const Model& model, std::string_view suffix) const {
  return fmt::format("{}/tokens/{{forget,{}}}{}", model.folder, other_, suffix);
}

LmScore LmEvidence::ratio(const Target& target) const {
  LmScore score{.name = "ratio", .why_undefined = Code::reference_loss_is_zero};
  if (shadows_.rows() == 0) {
    score.missing = needs_shadow();
    return score;
  }
  score.values = lm_ratio_scores(target.losses, column_means(shadows_));
  score.facts["shadows"] = shadows_.rows();
  return score;
}

LmScore LmEvidence::reference(const Target& target) const {
  LmScore score{.name = "reference"};
  if (shadows_.rows() == 0) {
    score.missing = needs_shadow();
    return score;
  }
  score.values = column_means(shadows_);
  for (std::size_t row = 0; row < score.values.size(); ++row) {
    score.values[row] -= target.losses[row];
  }
  score.facts["shadows"] = shadows_.rows();
  return score;
}

LmScore LmEvidence::emia_p(const Target& target) const {
  LmScore score{.name = "emia_p"};
  if (!has_losses_of(target.model, {"test"})) {
    score.missing = reason(Code::needs_test_set, target.model.folder + "/{tokens,losses}/test.npy");
    return score;
  }
  const std::vector<double> population = losses(target.model, "test");
  score.values = metrics::emia_p(target.losses, population);
  score.facts["population"] = population.size();
  return score;
}

LmScore LmEvidence::emia_r(const Target& target) const {
  LmScore score{.name = "emia_r"};
  if (shadows_.rows() == 0) {
    score.missing = needs_shadow();
    return score;
  }
  score.values = metrics::emia_r(target.losses, shadows_);
  score.facts["shadows"] = shadows_.rows();
  return score;
}

LmScore LmEvidence::lira(const Target& target) const {
  LmScore score{.name = "lira", .why_undefined = Code::responses_do_not_vary};
  if (shadows_.rows() == 0) {
    score.missing = needs_shadow();
    return score;
  }
  score.values = lm_lira(target.losses, shadows_, fitted_);
  score.settings["mode"] = fitted_.empty() ? "offline" : "online";
  score.facts["shadows"] = shadows_.rows();
  if (!fitted_.empty()) score.facts["fitted"] = fitted_by_;
  return score;
}

LmScore LmEvidence::rmia(const Target& target) const {
  LmScore score{.name = "rmia", .why_undefined = Code::likelihood_ratio_undefined};
  if (shadows_.rows() == 0) {
    score.missing = needs_shadow();
  } else if (shadows_population_.rows() == 0 || !has_losses_of(target.model, {population_})) {
    score.missing =
        reason(Code::needs_test_set, fmt::format("{}/tokens/{}.npy, shadow/0/tokens/{}.npy",
                                                 target.model.folder, population_, population_));
  }
  if (!score.missing.empty()) return score;
  const bool online = !fitted_.empty() && !fitted_population_.empty();
  const std::vector<double> none;
  const std::vector<double> population = losses(target.model, population_);
  const LmRmiaOptions& options = settings_.rmia;
  score.values =
      lm_rmia({target.losses, shadows_, online ? fitted_ : none},
              {population, shadows_population_, online ? fitted_population_ : none}, options);
  score.settings["mode"] = online ? "online" : "offline";
  score.facts["shadows"] = shadows_.rows();
  score.facts["gamma"] = options.gamma;
  score.facts["population"] = population.size();
  if (population_ != "test") score.facts["population_split"] = population_;
  if (!online) score.facts["a"] = options.a;
  return score;
}

LmScore LmEvidence::iam(const Target& target) const {
  LmScore score{.name = "iam", .why_undefined = Code::responses_do_not_vary};
  if (shadows_.rows() == 0) {
    score.missing = needs_shadow();
  } else if (fitted_.empty() && std::isnan(offline_in_)) {
    score.missing =
        reason(Code::needs_fitted_model, fmt::format("original/0/tokens/{{forget,{}}}.npy", other_),
               "shadow/0/tokens/shadow_train.npy");
  }
  if (!score.missing.empty()) return score;
  Matrix responses(shadows_.rows(), shadows_.cols());
  for (std::size_t model = 0; model < shadows_.rows(); ++model) {
    fill_row(responses, model, lm_iam_responses(shadows_.row(model), settings_.iam));
  }
  const bool online = !fitted_.empty();
  const std::vector<double> in = online ? lm_iam_responses(fitted_, settings_.iam)
                                        : std::vector<double>(target.losses.size(), offline_in_);
  const std::vector<double> own = lm_iam_responses(target.losses, settings_.iam);
  if (settings_.iam.batch == 0) {
    score.values = lm_iam(own, shadow_moments(responses), in, settings_.iam);
  } else {
    const std::vector<std::size_t> order = batch_order(own.size());
    Matrix shadows(responses.rows(), responses.cols());
    std::vector<double> targets, fitted;
    for (std::size_t place = 0; place < order.size(); ++place) {
      targets.push_back(own[order[place]]);
      fitted.push_back(in[order[place]]);
      for (std::size_t model = 0; model < shadows.rows(); ++model) {
        shadows(model, place) = responses(model, order[place]);
      }
    }
    const std::vector<double> found =
        lm_iam(targets, shadow_moments(shadows), fitted, settings_.iam);
    score.values.resize(found.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
      score.values[order[place]] = found[place];
    }
  }
  score.settings["mode"] = online ? "online" : "offline";
  score.facts = {{"direction", name(settings_.iam.direction)},
                 {"levels", settings_.iam.levels},
                 {"epsilon1", settings_.iam.epsilon1},
                 {"epsilon2", settings_.iam.epsilon2},
                 {"shadows", shadows_.rows()}};
  if (online) score.facts["fitted"] = fitted_by_;
  if (settings_.iam.batch > 0) score.settings["batch"] = settings_.iam.batch;
  return score;
}

std::vector<std::size_t> LmEvidence::batch_order(std::size_t rows) const {
  // Mixed, because a batch of forget sequences alone has another spread than a mixed one.
  return Stream(settings_.seed, "lm.iam.batches").permutation(rows);
}

std::vector<LmScore> LmEvidence::scores(const Model& model) const {
  Target target{model, {}, {}, query_losses(model)};
  if (evidence::has_tokens(model, "forget")) {
    target.forget = evidence::read_tokens(evidence_, model, "forget");
  }
  if (evidence::has_tokens(model, other_)) {
    target.other = evidence::read_tokens(evidence_, model, other_);
  }
  LmScore loss{.name = "loss", .values = lm_loss_scores(target.losses)};
  return {std::move(loss), lower(target),         zlib(target, false), zlib(target, true),
          ratio(target),   reference(target),     min_k(target),       min_k_plus_plus(target),
          surp(target),    gradient_norm(target), emia_p(target),      emia_r(target),
          lira(target),    rmia(target),          iam(target)};
}

LmScore LmEvidence::bag_of_words(std::uint64_t seed) const {
  LmScore score{.name = "bag_of_words", .why_undefined = Code::no_common_word};
  const std::vector<std::string> all = texts();
  if (all.empty()) {
    score.missing = reason(Code::needs_texts, "text/{forget,retain}.txt");
    return score;
  }
  std::vector<int> labels(forget_rows_, 0);
  labels.resize(all.size(), 1);
  BagOfWordsOptions options{.classifier = settings_.bag_of_words, .seed = seed};
  if (options.classifier == BagOfWordsClassifier::forest) {
    // As in the program of Meeus et al.: all frequent words of two characters and more.
    options.max_words = 0;
    options.shortest = 2;
  }
  score.values = bag_of_words_scores(all, labels, options);
  score.facts = {{"folds", options.folds},
                 {"classifier", name(options.classifier)},
                 {"words", vocabulary(all, options).size()},
                 {"min_share", options.min_share}};
  return score;
}

}  // namespace vestige::metrics
