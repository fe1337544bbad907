// Comparing answers of models up to scale.
#include "vestige/evidence/checks/near_copies.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "vestige/base/parallel.h"
#include "vestige/evidence/checks/checks.h"
#include "vestige/evidence/checks/row_losses.h"

namespace vestige::evidence {
namespace {

constexpr std::size_t kExamplesCompared = 512;
constexpr std::size_t kFewestCompared = 30;
// Class columns that are compared, spread over all.
constexpr std::size_t kClassesCompared = 16;
constexpr std::size_t kModelsCompared = 64;
// Two models are copies if their answers differ (1 - correlation, a squared distance) by less than
// this share of the difference between original and retrained models: a hundredth of the distance.
// Trainings with other seeds differ by half of it and more; float16 gives 1e-6.
constexpr double kCopy = 1e-4;

/// Some of these columns, spread over all.
std::vector<std::size_t> some_of(const std::vector<std::size_t>& all) {
  std::vector<std::size_t> chosen;
  const std::size_t count = std::min(all.size(), kClassesCompared);
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[i * all.size() / count]);
  return chosen;
}

/// What a model says of some examples of a split: logits of these columns around their mean, or
/// losses.
std::vector<double> compared_answers(const Evidence& evidence, const Model& model,
                                     const std::string& split,
                                     const std::vector<std::size_t>& columns) {
  std::vector<double> values;
  if (!model.has(split)) {
    const auto losses = row_losses(evidence, model, split);
    if (!losses) return {};
    const std::size_t count = std::min(losses->size(), kExamplesCompared);
    for (std::size_t i = 0; i < count; ++i) values.push_back((*losses)[i * losses->size() / count]);
    return values;
  }
  const Array& outputs = model.outputs.at(split);
  if (outputs.rank() != 2) return {};
  const std::size_t rows = outputs.rows(), count = std::min(rows, kExamplesCompared);
  const std::size_t classes = outputs.cols();
  if (columns.empty() || columns.back() >= classes) return {};
  std::vector<double> row(columns.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * rows / count * classes;
    double mean = 0;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      double& value = row[column];
      outputs.read(first + columns[column], std::span(&value, 1));
      if (evidence.kind == OutputKind::probabilities) value = std::log(std::max(value, 1e-12));
      mean += value / static_cast<double>(columns.size());
    }
    if (columns.size() == 1) mean = 0;
    for (const double value : row) values.push_back(value - mean);
  }
  return values;
}

/// 1 - correlation; nothing where a model says the same of everything.
std::optional<double> answer_distance(const std::vector<double>& left,
                                      const std::vector<double>& right) {
  if (left.size() != right.size() || left.size() < kFewestCompared) return {};
  const auto count = static_cast<double>(left.size());
  double mean_left = 0, mean_right = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    mean_left += left[i] / count;
    mean_right += right[i] / count;
  }
  double own = 0, other = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    own += (left[i] - mean_left) * (left[i] - mean_left);
    other += (right[i] - mean_right) * (right[i] - mean_right);
  }
  if (!(own > 0) || !(other > 0)) return {};
  // Half of the squared distance of the standardised answers, which does not cancel near 0.
  double sum = 0;
  const double scale = std::sqrt(own), other_scale = std::sqrt(other);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double gap = (left[i] - mean_left) / scale - (right[i] - mean_right) / other_scale;
    sum += gap * gap;
  }
  return sum / 2;
}

class NearCopies {
 public:
  explicit NearCopies(const Evidence& evidence) : evidence_(evidence) {
    for (const Group& group : evidence.groups) {
      const bool method = group.role == "unlearned";
      if (!method && group.role != "original" && group.role != "retrained") continue;
      for (const Model& model : group.models) {
        if (answers_.size() < kModelsCompared || method) models_.push_back(&model);
      }
    }
    std::vector<std::size_t> all(evidence.classes);
    std::iota(all.begin(), all.end(), std::size_t{0});
    answers_ = answers_in(some_of(all));
    const std::vector<std::size_t> kept = kept_classes();
    if (kept.size() >= 2 && kept.size() < all.size()) kept_answers_ = answers_in(some_of(kept));
  }

  Findings run() {
    for (std::size_t second = 0; second < models_.size(); ++second) {
      for (std::size_t first = 0; first < second; ++first) look_at(first, second);
    }
    return std::move(findings_);
  }

 private:
  using Answers = std::vector<std::map<std::string, std::vector<double>>>;

  bool is(std::size_t index, std::string_view role) const { return models_[index]->role == role; }

  Answers answers_in(const std::vector<std::size_t>& columns) const {
    Answers answers(models_.size());
    parallel_for(models_.size(), [&](std::size_t index) {
      for (const char* split : {"forget", "retain", "test"}) {
        answers[index][split] = compared_answers(evidence_, *models_[index], split, columns);
      }
    });
    return answers;
  }

  /// All classes but those of the forget set that the retain set does not have.
  std::vector<std::size_t> kept_classes() const {
    const auto *forget = evidence_.find_labels("forget"), *retain = evidence_.find_labels("retain");
    std::set<std::int64_t> forgotten;
    if (forget != nullptr && retain != nullptr) forgotten.insert(forget->begin(), forget->end());
    if (retain != nullptr) {
      for (const std::int64_t label : *retain) forgotten.erase(label);
    }
    std::vector<std::size_t> kept;
    for (std::size_t label = 0; label < evidence_.classes; ++label) {
      if (!forgotten.contains(static_cast<std::int64_t>(label))) kept.push_back(label);
    }
    return kept;
  }

  std::optional<double> between(std::size_t first, std::size_t second) const {
    for (const char* split : {"test", "forget"}) {
      const auto found = answer_distance(answers_[first].at(split), answers_[second].at(split));
      if (found) return found;
    }
    return {};
  }

  /// The smallest difference between an original and a retrained model.
  double apart() {
    if (apart_) return *apart_;
    double least = 0;
    for (std::size_t first = 0; first < models_.size(); ++first) {
      for (std::size_t second = 0; second < models_.size(); ++second) {
        if (!is(first, "original") || !is(second, "retrained")) continue;
        const double found = between(first, second).value_or(0);
        if (found > 0 && (least == 0 || found < least)) least = found;
      }
    }
    apart_ = least;
    return least;
  }

  /// On every split that both have.
  bool nearly_same(std::size_t first, std::size_t second) {
    return nearly_same(answers_[first], answers_[second]);
  }

  bool nearly_same(const Answers::value_type& first, const Answers::value_type& second) {
    for (const char* split : {"forget", "retain", "test"}) {
      const auto own = answer_distance(first.at(split), second.at(split));
      if (own && !(*own < kCopy * apart())) return false;
    }
    return true;
  }

  void look_at(std::size_t first, std::size_t second) {
    const bool references =
        models_[first]->role == models_[second]->role && !is(first, "unlearned");
    if (is(first, "original") && is(second, "unlearned")) {
      look_at_splice(first, second);
      look_at_mask(first, second);
      return;
    }
    const bool twins = is(first, "unlearned") && is(second, "unlearned") &&
                       models_[first]->method == models_[second]->method;
    if (!references && !twins && !(is(first, "retrained") && is(second, "unlearned"))) return;
    const std::optional<double> found = between(first, second);
    // Exactly the same values have a finding already (same_models).
    if (!found || *found == 0) return;
    if (!nearly_same(first, second)) return;
    if (twins) {
      // Models of a method that hardly moves lie as near to their original as to each other.
      for (std::size_t other = 0; other < models_.size(); ++other) {
        if (is(other, "original") && nearly_same(other, second)) return;
      }
      add(second, reason(Code::method_model_again, models_[first]->id(), 1 - *found, 1 - apart()),
          true);
      return;
    }
    add(second,
        reason(Code::nearly_same_values, models_[first]->id(), 1 - *found, 1 - apart(), references),
        true);
  }

  void look_at_splice(std::size_t original, std::size_t method) {
    const auto same = [&](const char* split) {
      const auto &ours = answers_[method].at(split), &theirs = answers_[original].at(split);
      return !ours.empty() && ours == theirs;
    };
    const auto varies = [&](const char* split) {
      const auto& ours = answers_[method].at(split);
      return answer_distance(ours, ours).has_value();
    };
    if (!same("retain") || !same("test") || !varies("retain") || !varies("test")) return;
    if (answers_[method].at("forget").empty() || same("forget")) return;
    add(method, reason(Code::only_forget_differs, models_[original]->id()), false);
  }

  /// The original's answers, with other logits of the forgotten classes alone. A model that changed
  /// says something else of their examples in the other classes too.
  void look_at_mask(std::size_t original, std::size_t method) {
    if (kept_answers_.empty()) return;
    const auto &ours = kept_answers_[method], &theirs = kept_answers_[original];
    for (const char* split : {"forget", "retain"}) {
      if (!answer_distance(ours.at(split), theirs.at(split))) return;
    }
    if (!(apart() > 0) || !nearly_same(ours, theirs) || nearly_same(original, method)) return;
    add(method, reason(Code::only_forget_differs, models_[original]->id()), false);
  }

  void add(std::size_t second, Reason why, bool blocks) {
    const Model& model = *models_[second];
    const std::string split = model.has("test") ? "test" : "forget";
    findings_.push_back({Severity::warning, file_of(evidence_, model, split), std::move(why),
                         "W-SAME", model.id(), blocks});
  }

  const Evidence& evidence_;
  std::vector<const Model*> models_;
  Answers answers_;
  Answers kept_answers_;  ///< without the forgotten classes; none where no class was forgotten
  std::optional<double> apart_;
  Findings findings_;
};

}  // namespace

Findings check_near_copies(const Evidence& evidence) { return NearCopies(evidence).run(); }

}  // namespace vestige::evidence
