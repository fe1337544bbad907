// Comparing losses sequence by sequence.
#include "vestige/evidence/checks/loss_order.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "vestige/evidence/checks/checks.h"
#include "vestige/evidence/checks/dependence.h"
#include "vestige/evidence/checks/row_losses.h"
#include "vestige/evidence/checks/split_checks.h"

namespace vestige::evidence {
namespace {

// As for the rows of classifiers (row_order.cpp), in standard deviations.
constexpr double kIndependent = 8;
constexpr double kAgrees = 20;
constexpr std::size_t kFewestSequences = 50;
constexpr std::size_t kManySequences = 200;
constexpr std::size_t kOthersCompared = 6;
// Bits per nat, how far the ratio of means may lie off, and the least rank correlation.
constexpr double kBitsPerNat = 1.4426950408889634;
constexpr double kNearUnit = 0.04;
constexpr double kNearlyOne = 0.15;
constexpr double kSameOrder = 0.9;
// Original and retrained models have about the same loss on retain and test; published ones of 7
// billion parameters correlate by 0.5.
constexpr double kSimilarOrder = 0.4;

struct Losses {
  const Model* model = nullptr;
  std::shared_ptr<const std::vector<double>> values;
  RowFeatures ranks;
  double mean = 0;
  double deviation = 0;
};

RowFeatures ranks_of_losses(const std::vector<double>& values) {
  Matrix column(values.size(), 1);
  for (std::size_t row = 0; row < values.size(); ++row) column(row, 0) = values[row];
  return row_features(column);
}

/// Every compared model with losses of the split, all with the same number of sequences.
std::vector<Losses> losses_on(const Evidence& evidence, const std::string& split) {
  std::vector<Losses> result;
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      if (!is_compared(model) || model.has(split)) continue;
      const auto values = row_losses(evidence, model, split);
      if (values == nullptr || values->size() < kFewestSequences) continue;
      if (!result.empty() && result.front().values->size() != values->size()) return {};
      Losses losses{&model, values, ranks_of_losses(*values)};
      const auto count = static_cast<double>(values->size());
      losses.mean = std::accumulate(values->begin(), values->end(), 0.0) / count;
      for (const double value : *values) {
        losses.deviation += (value - losses.mean) * (value - losses.mean) / count;
      }
      losses.deviation = std::sqrt(losses.deviation);
      result.push_back(std::move(losses));
    }
  }
  return result;
}

bool is_reference(const Model& model) {
  return model.role == "original" || model.role == "retrained";
}

/// Spearman's correlation: ranks are centred and of length 1.
double correlation(const Losses& left, const Losses& right) {
  double sum = 0;
  for (std::size_t row = 0; row < left.values->size(); ++row) {
    sum += left.ranks.values(row, 0) * right.ranks.values(row, 0);
  }
  return sum;
}

/// Put back into numeric order what was listed in the order of sorted texts ("0", "1", "10", "2").
std::vector<double> in_numeric_order(const std::vector<double>& values) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < values.size(); ++i) names.push_back(std::to_string(i));
  std::sort(names.begin(), names.end());
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[std::stoul(names[i])] = values[i];
  return result;
}

class LossOrderCheck {
 public:
  explicit LossOrderCheck(const Evidence& evidence) : evidence_(evidence) {}

  Findings run() {
    for (const char* split : {"forget", "retain", "test"}) {
      const std::vector<Losses> losses = losses_on(evidence_, split);
      if (losses.size() < 2) continue;
      check_order(split, losses);
      if (std::string_view(split) != "forget") look_at_units(split, losses);
    }
    add_units();
    return std::move(findings_);
  }

 private:
  std::string loss_file(const Model& model, const std::string& split) const {
    const bool tokens = !model.losses.contains(split);
    return file_of(evidence_, model, (tokens ? "tokens/" : "losses/") + split);
  }

  /// Models of other groups first: those of one group were exported together.
  static std::vector<const Losses*> others_of(const std::vector<Losses>& losses,
                                              const Losses& one) {
    std::vector<const Losses*> others;
    for (const bool own : {false, true}) {
      for (const Losses& other : losses) {
        const bool same_group =
            other.model->role == one.model->role && other.model->method == one.model->method;
        if (&other != &one && same_group == own && others.size() < kOthersCompared) {
          others.push_back(&other);
        }
      }
    }
    return others;
  }

  static double strongest(const std::vector<const Losses*>& others, const RowFeatures& ranks) {
    double most = 0;
    for (const Losses* other : others) most = std::max(most, dependence(ranks, other->ranks));
    return most;
  }

  /// A model that forgot too much has other losses; one that is shuffled has the same.
  static bool is_typical(const Losses& one, const std::vector<const Losses*>& others) {
    return std::any_of(others.begin(), others.end(), [&](const Losses* other) {
      return std::abs(one.mean - other->mean) < 0.5 * other->deviation &&
             one.deviation < 2 * other->deviation && 2 * one.deviation > other->deviation;
    });
  }

  void check_order(const std::string& split, const std::vector<Losses>& losses) {
    double agreement = 0;
    for (std::size_t left = 0; left < losses.size() && left < kOthersCompared; ++left) {
      for (std::size_t right = 0; right < left; ++right) {
        agreement = std::max(agreement, dependence(losses[left].ranks, losses[right].ranks));
      }
    }
    if (agreement < kIndependent) {
      if (losses.front().values->size() < kManySequences) return;
      if (!evidence_.sequence_losses && losses.front().model->tokens.empty()) return;
      findings_.push_back({Severity::warning, "",
                           reason(Code::losses_agree_nowhere, split, losses.size()), "W-ORDER", "",
                           true});
      return;
    }
    for (const Losses& one : losses) {
      const std::vector<const Losses*> others = others_of(losses, one);
      if (strongest(others, one.ranks) >= kIndependent) continue;
      double among_others = 0;
      for (const Losses* other : others) {
        among_others = std::max(among_others, strongest(others_than(others, other), other->ranks));
      }
      const bool reference = is_reference(*one.model);
      const bool sorted =
          strongest(others, ranks_of_losses(in_numeric_order(*one.values))) >= kAgrees;
      const bool shuffled = among_others >= kAgrees && (reference || is_typical(one, others));
      if (!sorted && !shuffled) continue;
      std::vector<std::string> names;
      for (const Losses* other : others) names.push_back(other->model->id());
      findings_.push_back({Severity::warning, loss_file(*one.model, split),
                           reason(Code::losses_in_other_order, split, names, sorted), "W-ORDER",
                           one.model->id(), true});
    }
  }

  static std::vector<const Losses*> others_than(std::vector<const Losses*> all, const Losses* one) {
    std::erase(all, one);
    return all;
  }

  /// A model whose mean is that of all original and retrained models times one constant.
  struct Unit {
    const Model* model = nullptr;
    const Model* other = nullptr;
    std::string file;
    double ratio = 0;
    double correlation = 0;
    std::vector<std::string> splits{};  ///< where it is so
    bool everywhere = true;
  };

  void look_at_units(const std::string& split, const std::vector<Losses>& losses) {
    for (const Losses& one : losses) {
      auto unit = std::find_if(units_.begin(), units_.end(),
                               [&](const Unit& known) { return known.model == one.model; });
      if (unit == units_.end()) {
        unit = units_.insert(units_.end(), Unit{one.model, nullptr, loss_file(*one.model, split)});
      }
      const Losses* first = nullptr;
      bool apart = true;
      for (const Losses& other : losses) {
        const bool same_group =
            other.model->role == one.model->role && other.model->method == one.model->method;
        // Unlearning changes losses, so that only original and retrained models tell what is usual.
        if (same_group || !is_reference(*other.model)) continue;
        if (first == nullptr) first = &other;
        const double ratio = one.mean / other.mean;
        const double constant = ratio > 1 ? kBitsPerNat : 1 / kBitsPerNat;
        // The others must agree among themselves, or nothing tells who is in another unit.
        apart = apart && std::abs(first->mean / other.mean - 1) < kNearlyOne &&
                std::abs(ratio / constant - 1) < kNearlyOne;
      }
      if (first == nullptr) continue;
      const double ratio = one.mean / first->mean;
      const double constant = ratio > 1 ? kBitsPerNat : 1 / kBitsPerNat;
      const double same = correlation(one, *first);
      unit->everywhere = unit->everywhere && apart &&
                         same > (is_reference(*one.model) ? kSimilarOrder : kSameOrder) &&
                         std::abs(ratio / constant - 1) < kNearUnit;
      unit->splits.push_back(split);
      unit->other = first->model;
      unit->ratio = ratio;
      unit->correlation = same;
    }
  }

  void add_units() {
    for (const Unit& unit : units_) {
      if (!unit.everywhere || unit.other == nullptr) continue;
      // Of original and retrained models either may be in another unit: one finding is enough.
      if (unit.model->role == "original" && unit.other->role == "retrained") continue;
      findings_.push_back(
          {Severity::warning, unit.file,
           reason(Code::loss_unit, unit.ratio, unit.correlation, unit.other->id(), unit.splits),
           "W-UNITS", unit.model->id(), true});
    }
  }

  const Evidence& evidence_;
  std::vector<Unit> units_;
  Findings findings_;
};

}  // namespace

Findings check_loss_order(const Evidence& evidence) { return LossOrderCheck(evidence).run(); }

}  // namespace vestige::evidence
