// Target and unseen rows.
#include "vestige/metrics/inputs/row_sets.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace vestige::metrics {
namespace {

template <class Name>
bool apart(const std::unordered_set<Name>& left, const std::vector<Name>& right) {
  return std::none_of(right.begin(), right.end(),
                      [&left](const Name& name) { return left.count(name) > 0; });
}

/// Names of a split, nullptr if there are none.
template <class Name>
const std::vector<Name>* find(const std::map<std::string, std::vector<Name>>& names,
                              std::string_view split) {
  const auto found = names.find(std::string(split));
  return found == names.end() || found->second.empty() ? nullptr : &found->second;
}

/// What forget has and retain has not, with nothing in common; empty otherwise.
template <class Name>
std::unordered_set<Name> vanished(const std::map<std::string, std::vector<Name>>& names) {
  const auto* forget = find(names, "forget");
  const auto* retain = find(names, "retain");
  if (forget == nullptr || retain == nullptr) return {};
  std::unordered_set<Name> all(forget->begin(), forget->end());
  return apart(all, *retain) ? all : std::unordered_set<Name>();
}

/// One per row of `split`: whether its name vanished.
template <class Name>
std::vector<bool> marked(const std::map<std::string, std::vector<Name>>& names,
                         std::string_view split, std::size_t rows) {
  std::vector<bool> result(rows, false);
  const std::unordered_set<Name> gone = vanished(names);
  const auto* own = find(names, split);
  if (own == nullptr) return result;
  for (std::size_t row = 0; row < std::min(rows, own->size()); ++row) {
    result[row] = gone.count((*own)[row]) > 0;
  }
  return result;
}

/// Numbers the subjects of both sides; each has its own, for no forgotten subject has unseen rows.
void add_persons(const evidence::Evidence& evidence, const RowSets& sets, Strata& strata) {
  const auto* forget = find(evidence.subjects, "forget");
  const auto* test = find(evidence.subjects, "test");
  if (forget == nullptr || test == nullptr) return;
  const auto numbered = [](std::unordered_map<std::string, std::uint32_t>& numbers,
                           const std::string& name) {
    return numbers.emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second;
  };
  std::unordered_map<std::string, std::uint32_t> forgotten, others;
  for (const std::string& name : *forget) {
    strata.target_person.push_back(numbered(forgotten, name));
  }
  for (const std::size_t row : sets.target_test) {
    strata.target_person.push_back(numbered(forgotten, test->at(row)));
  }
  for (const std::size_t row : sets.unseen) {
    strata.unseen_person.push_back(numbered(others, test->at(row)));
  }
}

}  // namespace

std::string_view name(Forgotten forgotten) {
  switch (forgotten) {
    case Forgotten::rows:
      return "rows";
    case Forgotten::classes:
      return "classes";
    case Forgotten::subclasses:
      return "subclasses";
    case Forgotten::subjects:
      return "subjects";
  }
  return "";
}

Forgotten forgotten_as_a_whole(const evidence::Evidence& evidence) {
  if (!vanished(evidence.labels).empty()) return Forgotten::classes;
  if (!vanished(evidence.subclasses).empty()) return Forgotten::subclasses;
  if (!vanished(evidence.subjects).empty()) return Forgotten::subjects;
  return Forgotten::rows;
}

std::vector<bool> of_the_forgotten(const evidence::Evidence& evidence, std::string_view split) {
  const auto* labels = find(evidence.labels, split);
  if (labels == nullptr) return {};
  switch (forgotten_as_a_whole(evidence)) {
    case Forgotten::classes:
      return marked(evidence.labels, split, labels->size());
    case Forgotten::subclasses:
      return marked(evidence.subclasses, split, labels->size());
    case Forgotten::subjects:
      return marked(evidence.subjects, split, labels->size());
    case Forgotten::rows:
      break;
  }
  return std::vector<bool>(labels->size(), false);
}

RowSets row_sets(const evidence::Evidence& evidence) {
  RowSets sets;
  const auto* forget = find(evidence.labels, "forget");
  const auto* test = find(evidence.labels, "test");
  if (forget == nullptr || test == nullptr) return sets;
  sets.forget = forget->size();
  sets.forgotten = forgotten_as_a_whole(evidence);
  const std::vector<bool> whole = of_the_forgotten(evidence, "test");
  std::vector<std::int64_t> target_labels = *forget, unseen_labels;
  for (std::size_t row = 0; row < test->size(); ++row) {
    const bool gone = whole[row];
    (gone ? sets.target_test : sets.unseen).push_back(row);
    (gone ? target_labels : unseen_labels).push_back((*test)[row]);
  }
  Strata strata = strata_by_class(target_labels, unseen_labels);
  if (sets.forgotten == Forgotten::subjects) add_persons(evidence, sets, strata);
  sets.strata = std::make_shared<Strata>(std::move(strata));
  return sets;
}

RowSets sequence_sets(const evidence::Evidence& evidence, std::size_t forget, std::size_t test) {
  RowSets sets;
  sets.forget = forget;
  const auto* persons = find(evidence.subjects, "forget");
  const auto* others = find(evidence.subjects, "test");
  const bool known = persons != nullptr && others != nullptr && persons->size() == forget &&
                     others->size() == test;
  if (known && forgotten_as_a_whole(evidence) == Forgotten::subjects) {
    sets.forgotten = Forgotten::subjects;
  }
  const std::vector<bool> gone = sets.forgotten == Forgotten::subjects
                                     ? marked(evidence.subjects, "test", test)
                                     : std::vector<bool>(test, false);
  for (std::size_t row = 0; row < test; ++row) {
    (gone[row] ? sets.target_test : sets.unseen).push_back(row);
  }
  Strata strata = one_stratum(forget + sets.target_test.size(), sets.unseen.size());
  if (sets.forgotten == Forgotten::subjects) add_persons(evidence, sets, strata);
  sets.strata = std::make_shared<Strata>(std::move(strata));
  return sets;
}

}  // namespace vestige::metrics
