// Looking for the examples of one split in another.
#include "vestige/evidence/checks/shared_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "vestige/base/parallel.h"
#include "vestige/evidence/checks/checks.h"
#include "vestige/evidence/checks/row_losses.h"
#include "vestige/evidence/checks/same_models.h"
#include "vestige/evidence/checks/split_checks.h"

namespace vestige::evidence {
namespace {

constexpr std::pair<const char*, const char*> kPairs[] = {
    {"test", "forget"}, {"retain", "forget"}, {"test", "retain"}};
// Examples of a split that are looked for in the other one, spread over it.
constexpr std::size_t kLookedFor = 256;
// Class columns that are compared, spread over all.
constexpr std::size_t kColumnsCompared = 16;
// Share of examples that is found in the other split, beyond the share that the splits repeat by
// themselves (twice that share by digests). Digests know examples for certain.
constexpr double kShared = 0.05;
constexpr double kSharedDigests = 0.01;
// Logits of one input in two batches differ by rounding.
constexpr double kOtherBatch = 1e-4;

/// Examples of a split as a few numbers each.
struct Numbered {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::function<double(std::size_t row, std::size_t column)> at;
  const std::vector<std::int64_t>* labels = nullptr;  ///< none for language models
};

std::optional<Numbered> numbered(const Evidence& evidence, const Model& model,
                                 const std::string& split) {
  Numbered result;
  if (model.has(split)) {
    const Array* outputs = &model.outputs.at(split);
    const bool logarithms = evidence.kind == OutputKind::probabilities;
    const std::size_t all = outputs->cols();
    result.columns = std::min(all, kColumnsCompared);
    result.rows = outputs->rows();
    result.at = [outputs, logarithms, all, columns = result.columns](std::size_t row,
                                                                     std::size_t column) {
      double value = 0;
      outputs->read(row * all + column * all / columns, std::span(&value, 1));
      return logarithms ? std::log(std::max(value, 1e-45)) : value;
    };
    result.labels = evidence.find_labels(model, split);
    if (result.labels != nullptr && result.labels->size() != result.rows) return {};
    return result;
  }
  const auto losses = row_losses(evidence, model, split);
  if (!losses) return {};
  result.rows = losses->size();
  result.columns = 1;
  result.at = [losses](std::size_t row, std::size_t) { return (*losses)[row]; };
  return result;
}

/// Some examples of a split, ready to be looked for.
struct Sought {
  std::vector<std::size_t> rows;
  std::vector<std::vector<double>> values;  ///< of each
  std::vector<std::size_t> order;           ///< places in rows, by the value of column `key`
  std::vector<double> keys;                 ///< these values, in that order
  std::size_t key = 0;                      ///< the column that differs most
};

Sought sought(const Numbered& split) {
  Sought result;
  const std::size_t count = std::min(split.rows, kLookedFor);
  for (std::size_t i = 0; i < count; ++i) {
    result.rows.push_back(i * split.rows / count);
    auto& values = result.values.emplace_back();
    for (std::size_t col = 0; col < split.columns; ++col) {
      values.push_back(split.at(result.rows.back(), col));
    }
  }
  std::size_t most = 0;
  for (std::size_t col = 0; col < split.columns; ++col) {
    std::vector<double> column;
    for (const auto& values : result.values) column.push_back(values[col]);
    std::sort(column.begin(), column.end());
    const auto different = static_cast<std::size_t>(
        std::distance(column.begin(), std::unique(column.begin(), column.end())));
    if (different > most) result.key = col;
    most = std::max(most, different);
  }
  result.order.resize(count);
  std::iota(result.order.begin(), result.order.end(), std::size_t{0});
  std::sort(result.order.begin(), result.order.end(), [&](std::size_t left, std::size_t right) {
    return result.values[left][result.key] < result.values[right][result.key];
  });
  for (const std::size_t place : result.order) {
    result.keys.push_back(result.values[place][result.key]);
  }
  return result;
}

bool alike(double left, double right, double rounding) {
  return left == right ||
         std::abs(left - right) <= rounding * (1 + 0.1 * std::max(std::abs(left), std::abs(right)));
}

/// Which of the sought examples of `from` stand in `in`; an example is not found in itself.
std::vector<char> found_in(const Sought& what, const Numbered& from, const Numbered& in,
                           double rounding) {
  std::vector<char> found(what.rows.size());
  const bool same = &from == &in;
  for (std::size_t row = 0; row < in.rows; ++row) {
    const double value = in.at(row, what.key);
    const double reach = rounding * (1 + 0.1 * std::abs(value)) * 1.01;
    auto place = static_cast<std::size_t>(
        std::lower_bound(what.keys.begin(), what.keys.end(), value - reach) - what.keys.begin());
    for (; place < what.keys.size() && what.keys[place] <= value + reach; ++place) {
      const std::size_t index = what.order[place];
      const std::size_t own = what.rows[index];
      if (found[index] != 0 || (same && own == row)) continue;
      if (from.labels != nullptr && in.labels != nullptr &&
          (*from.labels)[own] != (*in.labels)[row]) {
        continue;
      }
      bool equal = true;
      for (std::size_t col = 0; col < in.columns && equal; ++col) {
        equal = alike(what.values[index][col], in.at(row, col), rounding);
      }
      found[index] = equal ? 1 : 0;
    }
  }
  return found;
}

double share_of(const std::vector<char>& found) {
  return static_cast<double>(std::count(found.begin(), found.end(), 1)) /
         static_cast<double>(std::max<std::size_t>(found.size(), 1));
}

/// Share of the smaller split that stands in the larger one; 0 if no more than chance. Sure models
/// give many examples of a class the same rounded outputs, so only examples that are alone in their
/// own split count, and by chance these are found more rarely than any example finds its like.
double shared_share(const Numbered& left, const Numbered& right) {
  const Numbered& small = left.rows <= right.rows ? left : right;
  const Numbered& large = left.rows <= right.rows ? right : left;
  if (small.rows == 0 || small.columns != large.columns) return 0;
  const Sought of_small = sought(small);
  // What is the same to the bit is found within a tolerance too: as a rule nothing is, and one look
  // is enough.
  if (share_of(found_in(of_small, small, large, kOtherBatch)) <= kShared) return 0;
  const Sought of_large = sought(large);
  for (const double rounding : {0.0, kOtherBatch}) {
    const std::vector<char> found = found_in(of_small, small, large, rounding);
    if (share_of(found) <= kShared) continue;
    const std::vector<char> repeated = found_in(of_small, small, small, rounding);
    std::vector<char> alone;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (repeated[i] == 0) alone.push_back(found[i]);
    }
    const double share = share_of(alone);
    if (std::count(alone.begin(), alone.end(), 1) < 3 && share < 1) continue;
    const double chance =
        std::max(share_of(repeated), share_of(found_in(of_large, large, large, rounding)));
    // Within a tolerance, as many as repeat in one split are found in a split of twice the size.
    if (share > kShared + (rounding > 0 ? 2 : 1) * chance) return share_of(found);
  }
  return 0;
}

/// The same file under two names, whatever the labels say.
bool same_file(const Model& model, const char* left, const char* right) {
  for (const auto* arrays : {&model.outputs, &model.losses, &model.tokens}) {
    const auto one = arrays->find(left);
    const auto other = arrays->find(right);
    if (one == arrays->end() || other == arrays->end()) continue;
    if (one->second.shape() != other->second.shape() ||
        one->second.dtype() != other->second.dtype()) {
      continue;
    }
    const auto ours = one->second.bytes();
    const auto theirs = other->second.bytes();
    if (ours.size() == theirs.size() && std::memcmp(ours.data(), theirs.data(), ours.size()) == 0 &&
        says_something(one->second)) {
      return true;
    }
  }
  return false;
}

std::string key_of(const Model& model, const char* split) {
  return model.has(split)               ? std::string(split)
         : model.losses.contains(split) ? std::string("losses/") + split
                                        : std::string("tokens/") + split;
}

/// Models with examples in common in the same two splits are one finding; methods have their own.
class SharedRows {
 public:
  explicit SharedRows(const Evidence& evidence) : evidence_(evidence) {
    for (const Group& group : evidence.groups) {
      for (const Model& model : group.models) {
        if (is_compared(model)) models_.push_back(&model);
      }
    }
  }

  Findings run() {
    for (const auto& [left, right] : kPairs) {
      by_digests(left, right);
      by_answers(left, right);
    }
    return std::move(findings_);
  }

 private:
  void by_digests(const char* left, const char* right) {
    const auto one = evidence_.digests.find(left), other = evidence_.digests.find(right);
    if (one == evidence_.digests.end() || other == evidence_.digests.end()) return;
    const bool swap = one->second.size() > other->second.size();
    const auto& small = swap ? *other : *one;
    const auto& large = swap ? *one : *other;
    std::unordered_map<std::int64_t, std::size_t> counts;
    for (const std::int64_t digest : large.second) ++counts[digest];
    std::size_t shared = 0, repeated = 0;
    for (const std::int64_t digest : small.second) shared += counts.count(digest);
    for (const auto& [digest, count] : counts) repeated += count > 1 ? count : 0;
    const auto share_of = [](std::size_t count, std::size_t all) {
      return static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(all, 1));
    };
    const double share = share_of(shared, small.second.size());
    if (share <= kSharedDigests + 2 * share_of(repeated, large.second.size())) return;
    findings_.push_back(
        {Severity::warning, file_of(evidence_, "digests/" + small.first),
         reason(Code::digests_shared, shared, small.second.size(), small.first, large.first),
         "W-SHARED", "", true});
  }

  void by_answers(const char* left, const char* right) {
    std::vector<double> shares(models_.size());
    parallel_for(models_.size(), [&](std::size_t index) {
      const Model& model = *models_[index];
      if (same_file(model, left, right)) {
        shares[index] = 1;
        return;
      }
      const auto one = numbered(evidence_, model, left);
      const auto other = numbered(evidence_, model, right);
      if (one && other) shares[index] = shared_share(*one, *other);
    });
    std::map<std::string, std::vector<std::size_t>> affected;  // by group; "": concerns all methods
    for (std::size_t index = 0; index < models_.size(); ++index) {
      if (shares[index] == 0) continue;
      const Model& model = *models_[index];
      const bool reference = model.role == "original" || model.role == "retrained";
      affected[reference ? std::string() : model.role + "/" + model.method].push_back(index);
    }
    const auto references = static_cast<std::size_t>(
        std::count_if(models_.begin(), models_.end(), [](const Model* model) {
          return model->role == "original" || model->role == "retrained";
        }));
    for (const auto& [group, indices] : affected) {
      if (!group.empty() && affected.contains("")) continue;
      // Outputs of a sure model that were rounded coincide; those of most models do not.
      const bool most = std::any_of(indices.begin(), indices.end(),
                                    [&](std::size_t index) { return shares[index] >= 0.5; });
      if (!most && (!group.empty() || 2 * indices.size() <= references)) continue;
      const Model& first = *models_[indices.front()];
      std::vector<std::string> others;
      for (std::size_t i = 1; i < indices.size(); ++i) others.push_back(models_[indices[i]]->id());
      findings_.push_back(
          {Severity::warning, file_of(evidence_, first, key_of(first, left)),
           reason(Code::splits_share_examples, file_of(evidence_, first, key_of(first, right)),
                  shares[indices.front()], others),
           "W-SHARED", group.empty() ? "" : first.id(), true});
    }
  }

  const Evidence& evidence_;
  std::vector<const Model*> models_;
  Findings findings_;
};

}  // namespace

Findings check_shared_rows(const Evidence& evidence) { return SharedRows(evidence).run(); }

}  // namespace vestige::evidence
