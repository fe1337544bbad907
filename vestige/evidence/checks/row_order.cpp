// Judging who is in another order.
#include "vestige/evidence/checks/row_order.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "vestige/evidence/checks/checks.h"
#include "vestige/evidence/checks/row_answers.h"

namespace vestige::evidence {
namespace {

// Dependences in standard deviations. Of 18,240 comparisons of shuffled with unshuffled rows of
// Fashion-MNIST models (400 or 512 rows) 1 % exceed 3.1, and the largest is 7.5; in one order they
// are 74 to 359.
constexpr double kBlind = 8;
constexpr double kSees = 20;
// How far the share of right answers lies above that of a random order: noise, and clearly beyond.
constexpr double kDeviations = 4;
constexpr double kFarAbove = 0.2;
// Below the first nothing is said; below the second a model that unlearning may have damaged
// gets a finding only if it does well on another split, and rows within classes are not compared.
constexpr std::size_t kFewestRows = 50;
constexpr std::size_t kManyRows = 200;
// Where labels are of one class beyond this share, chance is nearly right.
constexpr double kOneSided = 0.8;

/// How a model and those it is compared with agree.
struct Agreement {
  double largest = 0;
  std::vector<std::string> with;  ///< ids of those it was compared with
};

class OrderCheck {
 public:
  explicit OrderCheck(const Evidence& evidence) : evidence_(evidence) {
    for (const char* name : {"forget", "retain", "test", "calibration"}) {
      splits_.push_back(answers_on(evidence, name));
    }
    for (const SplitAnswers& split : splits_) {
      for (const Said& said : split.models) {
        double& rate = rate_[said.model];
        rate = std::max(rate, said.with_labels / static_cast<double>(split.rows.size()));
      }
    }
  }

  Findings run() {
    find_collapsed();
    for (const SplitAnswers& split : splits_) {
      if (split.models.empty() || split.rows.size() < kFewestRows) continue;
      if (!split.several_classes()) {
        check_within(split);
      } else if (!check_labels(split)) {
        check_models(split);
        check_within(split);
      }
    }
    check_everything();
    return std::move(findings_);
  }

 private:
  void add(const Model& model, const SplitAnswers& split, const char* code, Reason why) {
    findings_.push_back({Severity::warning, file_of(evidence_, model, split.name), std::move(why),
                         code, model.id()});
  }

  /// If the model knew the labels as well here as where it knows them best, it would show.
  bool does_well_elsewhere(const Said& said, const SplitAnswers& split) const {
    const auto rate = rate_.find(said.model);
    return rate != rate_.end() && rate->second * static_cast<double>(split.rows.size()) >= kSees;
  }

  /// With few rows the share of right answers tells more than all correlations together.
  static bool knows_labels(const Said& said, const SplitAnswers& split) {
    return said.with_labels >= kSees ||
           said.right - said.right_in_any_order >= kFarAbove + kDeviations * deviation(said, split);
  }

  static bool ignores_labels(const Said& said, const SplitAnswers& split) {
    return said.with_labels < kBlind &&
           said.right - said.right_in_any_order < kDeviations * deviation(said, split);
  }

  /// Of the share of right answers in a random order (binomial).
  static double deviation(const Said& said, const SplitAnswers& split) {
    const double chance = said.right_in_any_order;
    return std::sqrt(chance * (1 - chance) / static_cast<double>(split.rows.size()));
  }

  bool is_able(const Said& said) const {
    return said.readable && !said.collapsed && !collapsed_.contains(said.model);
  }

  /// The largest dependence of a model on any of the references.
  Agreement agreement(const SplitAnswers& split, std::size_t index, RowFeatures Said::*part) const {
    Agreement result;
    for (const std::size_t other : split.references) {
      const Said& reference = split.models[other];
      if (other == index || !is_able(reference)) continue;
      result.with.push_back(reference.model->id());
      result.largest =
          std::max(result.largest, dependence(split.models[index].*part, reference.*part));
    }
    return result;
  }

  /// The largest dependence of two references, `index` not among them.
  double agreement_of_others(const SplitAnswers& split, std::size_t index,
                             RowFeatures Said::*part) const {
    double largest = 0;
    for (const std::size_t left : split.references) {
      for (const std::size_t right : split.references) {
        if (left >= right || left == index || right == index) continue;
        if (!is_able(split.models[left]) || !is_able(split.models[right])) continue;
        largest =
            std::max(largest, dependence(split.models[left].*part, split.models[right].*part));
      }
    }
    return largest;
  }

  /// Collapsed on every split with several classes; on forget alone it is over-forgetting.
  void find_collapsed() {
    std::map<const Model*, std::pair<const SplitAnswers*, const Said*>> found;
    std::set<const Model*> others;
    for (const SplitAnswers& split : splits_) {
      for (const Said& said : split.models) {
        if (!said.readable || split.commonest_label > 0.5) continue;
        if (!said.collapsed) {
          others.insert(said.model);
        } else if (split.name != "forget") {
          found.try_emplace(said.model, &split, &said);
        }
      }
    }
    for (const SplitAnswers& split : splits_) {
      for (const Said& said : split.models) {
        const auto place = found.find(said.model);
        if (place == found.end() || place->second.second != &said) continue;
        if (others.contains(said.model)) continue;
        collapsed_.insert(said.model);
        // Constant outputs have a finding of their own.
        if (all_rows_equal(said.model->outputs.at(split.name))) continue;
        add(*said.model, split, "W-COLLAPSED",
            reason(Code::model_collapsed, said.most, said.right));
      }
    }
  }

  /// True, with a finding, if no model depends on the labels and the labels are to blame.
  bool check_labels(const SplitAnswers& split) {
    std::vector<std::size_t> able;
    for (std::size_t index = 0; index < split.models.size(); ++index) {
      const Said& said = split.models[index];
      if (!is_able(said)) continue;
      if (!ignores_labels(said, split)) return false;
      able.push_back(index);
    }
    if (able.size() < 2) return false;
    const bool fine_elsewhere = std::any_of(able.begin(), able.end(), [&](std::size_t index) {
      return does_well_elsewhere(split.models[index], split);
    });
    const double agree = agreement_of_others(split, split.models.size(), &Said::features);
    if (agree < kSees || !(fine_elsewhere || argmax_agree(split, able))) return false;
    double best = 0;
    for (const std::size_t index : able) best = std::max(best, split.models[index].right);
    findings_.push_back({Severity::warning, file_of(evidence_, "labels/" + split.name),
                         reason(Code::labels_in_other_order, split.name, best,
                                split.models[able.front()].right_in_any_order),
                         "W-LABELS", ""});
    return true;
  }

  /// Nobody knows a label of any split, and no two models agree: every loader shuffles.
  void check_everything() {
    std::vector<std::string> names;
    std::set<const Model*> models;
    double best = 0;
    for (const SplitAnswers& split : splits_) {
      if (split.rows.size() < kFewestRows || split.commonest_label > kOneSided) continue;
      std::size_t able = 0;
      for (const Said& said : split.models) {
        if (!is_able(said)) continue;
        if (!ignores_labels(said, split)) return;
        ++able;
        models.insert(said.model);
        best = std::max(best, said.right);
      }
      if (able < 2) continue;
      const double agree = agreement_of_others(split, split.models.size(), &Said::features);
      if (agree >= kBlind) return;
      names.push_back(split.name);
    }
    if (names.empty()) return;
    findings_.push_back({Severity::warning, "",
                         reason(Code::everything_at_chance, models.size(), names, best), "W-ORDER",
                         "", true});
  }

  /// Without another split to compare with, the models must agree in their answers.
  static bool argmax_agree(const SplitAnswers& split, const std::vector<std::size_t>& able) {
    const Said& first = split.models[able[0]];
    const Said& second = split.models[able[1]];
    return dependence(first.features, second.features) >
           0.3 * static_cast<double>(split.rows.size());
  }

  void check_models(const SplitAnswers& split) {
    for (std::size_t index = 0; index < split.models.size(); ++index) {
      const Said& said = split.models[index];
      if (!is_able(said) || !ignores_labels(said, split)) continue;
      const Said* other = nullptr;
      for (const Said& candidate : split.models) {
        if (!knows_labels(candidate, split)) continue;
        if (other == nullptr || candidate.with_labels > other->with_labels) other = &candidate;
      }
      const bool elsewhere = does_well_elsewhere(said, split);
      if (other == nullptr && !elsewhere) continue;
      if (split.rows.size() < kManyRows && said.model->role == "unlearned" && !elsewhere) continue;
      const Agreement others = agreement(split, index, &Said::features);
      if (others.largest >= kBlind) continue;
      add(*said.model, split, "W-ORDER",
          reason(Code::rows_in_other_order, split.name, said.right, said.right_in_any_order,
                 others.with, other == nullptr ? std::string() : other->model->id(),
                 other == nullptr ? std::nan("") : other->right, elsewhere));
      reported_.insert(&said);
    }
  }

  /// Rows shuffled within their classes, which labels cannot see.
  void check_within(const SplitAnswers& split) {
    if (split.rows.size() < kManyRows) return;
    for (std::size_t index = 0; index < split.models.size(); ++index) {
      const Said& said = split.models[index];
      if (!is_able(said) || reported_.contains(&said)) continue;
      const Agreement others = agreement(split, index, &Said::within);
      if (others.with.size() < 2 || others.largest >= kBlind) continue;
      if (agreement_of_others(split, index, &Said::within) < kSees) continue;
      add(*said.model, split, "W-ORDER", reason(Code::rows_in_other_order_in_classes, others.with));
    }
  }

  const Evidence& evidence_;
  std::vector<SplitAnswers> splits_;
  std::map<const Model*, double> rate_;  ///< largest dependence on labels per row, of all splits
  std::set<const Model*> collapsed_;
  std::set<const Said*> reported_;
  Findings findings_;
};

}  // namespace

Findings check_row_order(const Evidence& evidence) { return OrderCheck(evidence).run(); }

}  // namespace vestige::evidence
