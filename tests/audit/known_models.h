// Models with known answers (tests/reference/known*.npz) as evidence: fresh retrained,
// half-forgotten and untouched ones given as methods, drawn at random.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vestige/evidence/evidence.h"
#include "vestige/evidence/formats/npz.h"

namespace vestige::audit {

using evidence::Array;
using evidence::Evidence;
using evidence::Group;
using evidence::Model;

inline constexpr const char* kKnownSplits[] = {"forget", "retain", "test"};

/// A file of tests/reference: ROLE/SPLIT [models, rows, classes], labels/SPLIT and, where people
/// were forgotten, subjects/SPLIT.
class KnownModels {
 public:
  explicit KnownModels(const std::string& file = "known.npz")
      : archive_(VESTIGE_SOURCE_DIR "/tests/reference/" + file) {
    for (const std::string& key : archive_.keys()) arrays_.emplace(key, archive_.load(key));
  }

  /// Some of the forget rows and all others; models of a role by number.
  void add(Evidence& evidence, const std::string& role, const std::string& method,
           const std::string& from, const std::vector<std::size_t>& numbers) const {
    Group group{role, method, {}};
    for (const std::size_t number : numbers) {
      Model model;
      model.role = role;
      model.method = method;
      model.name = std::to_string(group.models.size());
      for (const char* split : kKnownSplits) {
        const Array all = arrays_.at(from + "/" + split).slice(number);
        const auto labels = arrays_.at(std::string("labels/") + split).integers();
        const std::vector<std::int64_t> persons = persons_of(split);
        std::vector<double> values;
        std::vector<std::int64_t> chosen;
        std::vector<std::string> names;
        for (const std::size_t place : places_of(split, all.rows(), persons)) {
          values.resize(values.size() + all.cols());
          all.read_row(place, std::span(values).last(all.cols()));
          chosen.push_back(labels[place]);
          if (!persons.empty()) names.push_back(std::to_string(persons[place]));
        }
        if (losses_alone) {
          model.losses[split] = losses_of(values, chosen, all.cols());
        } else {
          evidence.classes = all.cols();
          model.outputs[split] =
              Array::from_doubles(std::move(values), {chosen.size(), all.cols()});
          evidence.labels[split] = std::move(chosen);
        }
        if (!names.empty()) evidence.subjects[split] = std::move(names);
      }
      group.models.push_back(std::move(model));
    }
    evidence.groups.push_back(std::move(group));
  }

  bool has(const std::string& role) const { return arrays_.contains(role + "/test"); }
  std::size_t models(const std::string& role) const { return arrays_.at(role + "/test").rows(); }
  std::size_t forget_rows_given() const {
    const std::vector<std::int64_t> persons = persons_of("forget");
    if (persons.empty()) return std::min(forget_rows, arrays_.at("labels/forget").rows());
    return places_of("forget", persons.size(), persons).size();
  }

  std::size_t forget_rows = 900;
  bool losses_alone = false;  ///< models show the loss of each row and nothing else
  /// Persons by number, first and last: whose rows are to be forgotten (in forget and in test), and
  /// whose test rows are given beside them.
  std::pair<std::int64_t, std::int64_t> forgotten_persons = {0, 9};
  std::pair<std::int64_t, std::int64_t> unseen_persons = {10, 65};

 private:
  /// Cross entropy of logits [rows, classes].
  static Array losses_of(const std::vector<double>& logits, const std::vector<std::int64_t>& labels,
                         std::size_t classes) {
    std::vector<double> losses;
    for (std::size_t row = 0; row < labels.size(); ++row) {
      const double* own = logits.data() + row * classes;
      double sum = 0;
      for (std::size_t c = 0; c < classes; ++c) sum += std::exp(own[c]);
      losses.push_back(std::max(0.0, std::log(sum) - own[labels[row]]));
    }
    return Array::from_doubles(std::move(losses), {labels.size()});
  }

  std::vector<std::int64_t> persons_of(const std::string& split) const {
    const auto found = arrays_.find("subjects/" + split);
    return found == arrays_.end() ? std::vector<std::int64_t>() : found->second.integers();
  }

  std::vector<std::size_t> places_of(const std::string& split, std::size_t all,
                                     const std::vector<std::int64_t>& persons) const {
    const auto among = [](std::int64_t person, const auto& range) {
      return person >= range.first && person <= range.second;
    };
    const std::size_t rows =
        split == "forget" && persons.empty() ? std::min(all, forget_rows) : all;
    std::vector<std::size_t> places;
    for (std::size_t row = 0; row < rows; ++row) {
      // Spread over the split: the first half of the rows is what half-forgotten models lack.
      const std::size_t place = row * all / rows;
      const bool given = persons.empty() || split == "retain" ||
                         among(persons[place], forgotten_persons) ||
                         (split == "test" && among(persons[place], unseen_persons));
      if (given) places.push_back(place);
    }
    return places;
  }

  evidence::Npz archive_;
  std::map<std::string, Array> arrays_;
};

inline const KnownModels& known() {
  static const KnownModels models;
  return models;
}

inline std::vector<std::size_t> shuffled(std::size_t count, std::mt19937_64& generator) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::shuffle(numbers.begin(), numbers.end(), generator);
  return numbers;
}

inline std::vector<std::size_t> part(const std::vector<std::size_t>& all, std::size_t first,
                                     std::size_t count) {
  const std::size_t last = std::min(all.size(), first + count);
  return {all.begin() + static_cast<std::ptrdiff_t>(std::min(first, all.size())),
          all.begin() + static_cast<std::ptrdiff_t>(last)};
}

/// `models` per group where there are as many: 12 originals serve as controls and as a method.
inline Evidence draw(const KnownModels& from, std::size_t models, std::mt19937_64& generator) {
  const auto retrained = shuffled(from.models("retrained"), generator);
  const auto originals = shuffled(from.models("original"), generator);
  const auto half = shuffled(from.models("half"), generator);
  const std::size_t several = std::min<std::size_t>(models, 6);
  Evidence evidence;
  from.add(evidence, "original", "", "original", part(originals, 0, several));
  from.add(evidence, "retrained", "", "retrained", part(retrained, 0, models));
  from.add(evidence, "unlearned", "fresh", "retrained", part(retrained, models, models));
  from.add(evidence, "unlearned", "half", "half", part(half, 0, models));
  from.add(evidence, "unlearned", "untouched", "original", part(originals, several, several));
  if (from.has("shadow")) from.add(evidence, "shadow", "", "shadow", {0, 1, 2, 3});
  return evidence;
}

}  // namespace vestige::audit
