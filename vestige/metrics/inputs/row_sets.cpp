// Target and unseen rows.
#include "vestige/metrics/inputs/row_sets.h"

#include <algorithm>
#include <set>

namespace vestige::metrics {
namespace {

template <class Name>
bool apart(const std::set<Name>& left, const std::vector<Name>& right) {
  return std::none_of(right.begin(), right.end(),
                      [&left](const Name& name) { return left.count(name) > 0; });
}

/// Names of a split, nullptr if there are none.
template <class Name>
const std::vector<Name>* find(const std::map<std::string, std::vector<Name>>& names,
                              const char* split) {
  const auto found = names.find(split);
  return found == names.end() || found->second.empty() ? nullptr : &found->second;
}

/// What forget has and retain has not, with nothing in common; empty otherwise.
template <class Name>
std::set<Name> vanished(const std::map<std::string, std::vector<Name>>& names) {
  const auto* forget = find(names, "forget");
  const auto* retain = find(names, "retain");
  if (forget == nullptr || retain == nullptr) return {};
  std::set<Name> all(forget->begin(), forget->end());
  return apart(all, *retain) ? all : std::set<Name>();
}

}  // namespace

std::string_view name(Forgotten forgotten) {
  switch (forgotten) {
    case Forgotten::rows:
      return "rows";
    case Forgotten::classes:
      return "classes";
    case Forgotten::subjects:
      return "subjects";
  }
  return "";
}

RowSets row_sets(const evidence::Evidence& evidence) {
  RowSets sets;
  const auto* forget = find(evidence.labels, "forget");
  const auto* test = find(evidence.labels, "test");
  if (forget == nullptr || test == nullptr) return sets;
  sets.forget = forget->size();
  const std::set<std::int64_t> classes = vanished(evidence.labels);
  const std::set<std::string> subjects = vanished(evidence.subjects);
  const auto* persons = find(evidence.subjects, "test");
  if (!classes.empty()) {
    sets.forgotten = Forgotten::classes;
  } else if (!subjects.empty()) {
    sets.forgotten = Forgotten::subjects;
  }
  std::vector<std::int64_t> target_labels = *forget, unseen_labels;
  for (std::size_t row = 0; row < test->size(); ++row) {
    const bool gone = classes.count((*test)[row]) > 0 ||
                      (sets.forgotten == Forgotten::subjects && persons != nullptr &&
                       row < persons->size() && subjects.count((*persons)[row]) > 0);
    (gone ? sets.target_test : sets.unseen).push_back(row);
    (gone ? target_labels : unseen_labels).push_back((*test)[row]);
  }
  sets.strata = std::make_shared<Strata>(strata_by_class(target_labels, unseen_labels));
  return sets;
}

RowSets sequence_sets(std::size_t forget, std::size_t test) {
  RowSets sets;
  sets.forget = forget;
  for (std::size_t row = 0; row < test; ++row) sets.unseen.push_back(row);
  sets.strata = std::make_shared<Strata>(one_stratum(forget, test));
  return sets;
}

}  // namespace vestige::metrics
