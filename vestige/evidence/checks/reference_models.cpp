// Comparing retrained with original models.
#include "vestige/evidence/checks/reference_models.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "vestige/base/parallel.h"
#include "vestige/evidence/blocks.h"
#include "vestige/evidence/checks/checks.h"
#include "vestige/evidence/checks/row_losses.h"

namespace vestige::evidence {
namespace {

constexpr std::size_t kMostExamples = 4096;
constexpr std::size_t kMostModels = 8;
constexpr std::size_t kFewestExamples = 50;
// Accuracies on test examples that lie further apart than this are not those of one recipe.
constexpr double kFarApart = 0.25;
// Retrained models are surely less accurate than the originals on examples that both were trained
// on: those of tests/reference/known*.npz differ by at most 0.02.
constexpr double kBehind = 0.05;
// Retrained models know the forget set if their difference from the originals is surely (two
// standard errors) below this share of what the originals' memory of their training examples would
// give. Of the pairs of models of tests/reference/known*.npz no retrained model gets a finding;
// other originals in the place of retrained models are in 92 to 100 %.
constexpr double kOfExpected = 0.3;
constexpr double kSurely = 2;
// That memory must be this many of its own standard errors, and of those of the difference.
constexpr double kMemorised = 3;
constexpr double kTold = 6;
// Retrained models know the forget set at least this far on the way from test to retain.
constexpr double kAsTrained = 0.5;

struct Mean {
  double value = std::nan("");
  double error = 0;  ///< standard error
};

Mean mean_of(const std::vector<double>& values) {
  if (values.size() < 2) return {};
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += (value - sum / count) * (value - sum / count);
  return {sum / count, std::sqrt(squares / (count - 1) / count)};
}

/// What models of a group say of the examples of a split, the mean over models.
struct Known {
  std::vector<double> knows;  ///< probability of the label, or minus the loss; empty: nothing
  std::vector<double> right;  ///< share of models that answer the label; classifiers only
  std::vector<std::int64_t> labels;
};

bool add_answers(const Evidence& evidence, const Model& model, const std::string& split,
                 Known& known) {
  const auto* labels = evidence.find_labels(model, split);
  const Array& outputs = model.outputs.at(split);
  if (labels == nullptr || labels->size() != outputs.rows()) return false;
  const std::size_t classes = outputs.cols();
  const std::size_t count = std::min(kMostExamples, outputs.rows());
  known.knows.resize(count);
  known.right.resize(count);
  known.labels.resize(count);
  std::vector<double> values(classes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i * outputs.rows() / count;
    const std::int64_t label = (*labels)[row];
    if (label < 0 || static_cast<std::size_t>(label) >= classes) return false;
    probabilities(outputs, evidence.kind, row, values);
    const auto own = static_cast<std::size_t>(label);
    known.labels[i] = label;
    known.knows[i] += values[own];
    known.right[i] += std::max_element(values.begin(), values.end()) - values.begin() == label;
  }
  return true;
}

Known known_by(const Evidence& evidence, const Group& group, const std::string& split) {
  Known known;
  std::size_t models = 0;
  for (const Model& model : group.models) {
    if (models == kMostModels) break;
    if (model.has(split)) {
      if (!add_answers(evidence, model, split, known)) return {};
    } else if (const auto losses = row_losses(evidence, model, split)) {
      if (!known.knows.empty() && known.knows.size() != losses->size()) return {};
      known.knows.resize(losses->size());
      for (std::size_t i = 0; i < losses->size(); ++i) known.knows[i] -= (*losses)[i];
    } else {
      continue;
    }
    ++models;
  }
  for (auto* values : {&known.knows, &known.right}) {
    for (double& value : *values) value /= static_cast<double>(models);
  }
  return known;
}

class ReferenceCheck {
 public:
  ReferenceCheck(const Evidence& evidence, const Group& original, const Group& retrained)
      : evidence_(evidence) {
    for (const char* split : {"forget", "retain", "test"}) {
      original_[split] = known_by(evidence, original, split);
      retrained_[split] = known_by(evidence, retrained, split);
    }
    if (const auto* labels = evidence.find_labels("retain")) {
      retained_.insert(labels->begin(), labels->end());
    }
  }

  Findings run() {
    Reason why = accuracy_far();
    if (why.empty()) why = behind_on_retain();
    if (why.empty()) why = knows_class();
    if (why.empty()) why = knows_forget();
    if (why.empty()) why = retain_not_trained();
    if (why.empty()) return {};
    return {{Severity::warning, "", std::move(why), "W-RETRAINED", "", true}};
  }

 private:
  bool is_retained(std::int64_t label) const {
    return retained_.empty() || retained_.contains(label);
  }

  /// Classes without retain examples are left out: retrained models cannot know them.
  Reason accuracy_far() const {
    const Known &ours = retrained_.at("test"), &theirs = original_.at("test");
    if (ours.right.empty() || ours.right.size() != theirs.right.size()) return {};
    std::vector<double> left, right;
    for (std::size_t i = 0; i < ours.right.size(); ++i) {
      if (!is_retained(ours.labels[i])) continue;
      left.push_back(ours.right[i]);
      right.push_back(theirs.right[i]);
    }
    if (left.size() < kFewestExamples) return {};
    const Mean one = mean_of(left), other = mean_of(right);
    if (std::abs(one.value - other.value) < kFarApart + 3 * std::hypot(one.error, other.error)) {
      return {};
    }
    return reason(Code::retrained_accuracy_far, one.value, other.value, left.size());
  }

  /// Both were trained on the retain set.
  Reason behind_on_retain() const {
    const Known &ours = retrained_.at("retain"), &theirs = original_.at("retain");
    if (ours.right.size() < kFewestExamples || ours.right.size() != theirs.right.size()) return {};
    std::vector<double> lost(ours.right.size());
    for (std::size_t i = 0; i < lost.size(); ++i) lost[i] = theirs.right[i] - ours.right[i];
    const Mean difference = mean_of(lost);
    if (!(difference.value > kBehind + 3 * difference.error)) return {};
    return reason(Code::retrained_behind, mean_of(ours.right).value, mean_of(theirs.right).value,
                  lost.size());
  }

  /// What the originals memorised of the forget set they memorised of other training examples too.
  Reason retain_not_trained() const {
    const Known &ours = retrained_.at("forget"), &theirs = original_.at("forget");
    if (ours.right.size() < kFewestExamples || ours.right.size() != theirs.right.size()) return {};
    // Retrained models know nothing of a class without retain examples, memorised or not.
    if (!std::all_of(ours.labels.begin(), ours.labels.end(),
                     [this](std::int64_t label) { return is_retained(label); })) {
      return {};
    }
    std::vector<double> lost(ours.knows.size());
    for (std::size_t i = 0; i < lost.size(); ++i) lost[i] = theirs.knows[i] - ours.knows[i];
    const Mean memory = mean_of(lost);
    const Mean retain = mean_of(original_.at("retain").knows);
    const Mean test = mean_of(original_.at("test").knows);
    const double gap = retain.value - test.value;
    const double error = std::hypot(retain.error, test.error);
    // Retrained models must know forget examples as they know test examples: then the original's
    // advantage is memory, and not that forget examples are of another kind.
    const Mean unseen = mean_of(ours.knows), other = mean_of(retrained_.at("test").knows);
    const bool alike = std::abs(unseen.value - other.value) <
                       memory.value / 4 + kSurely * std::hypot(unseen.error, other.error);
    const bool memorised = alike && memory.value > kTold * memory.error;
    const bool unknown = gap < kSurely * error && gap + kSurely * error < memory.value / 4;
    if (!memorised || !unknown) return {};
    return reason(Code::retain_not_trained, retain.value, test.value, mean_of(theirs.knows).value,
                  mean_of(ours.knows).value);
  }

  /// A class that the retain set does not have cannot be answered. Small retain sets may lack a
  /// class by chance.
  Reason knows_class() const {
    const auto* retain = evidence_.find_labels("retain");
    const Known& forget = retrained_.at("forget");
    if (retain == nullptr || forget.right.empty()) return {};
    if (retain->size() < 20 * evidence_.classes) return {};
    std::map<std::int64_t, std::vector<double>> right;
    for (std::size_t i = 0; i < forget.labels.size(); ++i) {
      if (!is_retained(forget.labels[i])) right[forget.labels[i]].push_back(forget.right[i]);
    }
    for (const auto& [label, values] : right) {
      const double share = mean_of(values).value;
      if (values.size() < 20 || !(share > 0.5)) continue;
      return reason(Code::retrained_knows_class, label, share, values.size());
    }
    return {};
  }

  Reason knows_forget() const {
    const Known &ours = retrained_.at("forget"), &theirs = original_.at("forget");
    if (ours.knows.size() < kFewestExamples || ours.knows.size() != theirs.knows.size()) return {};
    const Mean original_retain = mean_of(original_.at("retain").knows);
    const Mean original_test = mean_of(original_.at("test").knows);
    const Mean retain = mean_of(retrained_.at("retain").knows);
    const Mean test = mean_of(retrained_.at("test").knows);
    const Mean forget = mean_of(ours.knows);
    std::vector<double> lost(ours.knows.size());
    for (std::size_t i = 0; i < lost.size(); ++i) lost[i] = theirs.knows[i] - ours.knows[i];
    const Mean difference = mean_of(lost);
    const double expected = original_retain.value - original_test.value;
    const double expected_error = std::hypot(original_retain.error, original_test.error);
    // NaN where a split is missing: no comparison holds.
    const bool memorised =
        expected > kTold * difference.error && expected > kMemorised * expected_error;
    const bool same = difference.value + kSurely * difference.error < kOfExpected * expected;
    const bool as_trained = forget.value > test.value + kAsTrained * (retain.value - test.value);
    if (!memorised || !same || !as_trained || !(retain.value > test.value)) return {};
    return reason(Code::retrained_knows_forget, ours.right.empty(), forget.value, retain.value,
                  test.value, mean_of(theirs.knows).value, difference.value, expected);
  }

  const Evidence& evidence_;
  std::map<std::string, Known> original_, retrained_;
  std::set<std::int64_t> retained_;
};

}  // namespace

namespace {

/// A model that is right on every test example where others are not: its answers were exported as
/// labels.
Findings check_label_source(const Evidence& evidence) {
  const auto* labels = evidence.find_labels("test");
  if (labels == nullptr || labels->size() < kFewestExamples) return {};
  std::vector<std::pair<const Model*, double>> right;
  for (const Group& group : evidence.groups) {
    if (group.role != "original" && group.role != "retrained" && group.role != "unlearned")
      continue;
    for (const Model& model : group.models) {
      Known known;
      if (!model.has("test") || !add_answers(evidence, model, "test", known)) continue;
      right.emplace_back(&model, mean_of(known.right).value);
    }
  }
  for (const auto& [model, own] : right) {
    if (own < 1) continue;
    // What became of an original answers nearly as it does.
    std::vector<double> others;
    for (const auto& [other, share] : right) {
      if (other->role != model->role && other->role != "unlearned") others.push_back(share);
    }
    const auto rows = static_cast<double>(std::min(labels->size(), kMostExamples));
    if (others.empty() || !((1 - *std::max_element(others.begin(), others.end())) * rows > 10)) {
      continue;
    }
    return {{Severity::warning, file_of(evidence, "labels/test"),
             reason(Code::labels_are_answers, "test",
                    *std::max_element(others.begin(), others.end()), labels->size(), model->id()),
             "W-LABELS", "", true}};
  }
  return {};
}

}  // namespace

Findings check_reference_models(const Evidence& evidence, const Findings& known) {
  if (Findings found = check_label_source(evidence); !found.empty()) return found;
  const Group* original = evidence.find("original");
  const Group* retrained = evidence.find("retrained");
  if (original == nullptr || retrained == nullptr) return {};
  const bool doubted = std::any_of(known.begin(), known.end(), [](const Finding& finding) {
    if (finding.code == "W-LABELS" || finding.code == "W-SHARED") return true;
    // Rows in another order within their classes leave means as they are.
    if (finding.reason.code == Code::rows_in_other_order_in_classes) return false;
    if (finding.code != "W-ORDER" && finding.code != "W-CLASSES" && finding.code != "W-UNITS") {
      return false;
    }
    return !finding.model.starts_with("unlearned/") && !finding.model.starts_with("partial/");
  });
  if (doubted) return {};
  return ReferenceCheck(evidence, *original, *retrained).run();
}

}  // namespace vestige::evidence
