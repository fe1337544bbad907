// Rows and signals of probed models.
#include "vestige/metrics/returns/probe_rows.h"

#include <algorithm>
#include <set>

#include "vestige/evidence/probed.h"
#include "vestige/metrics/inputs/row_signals.h"

namespace vestige::metrics {
namespace {

/// Forget rows that some model of the probe was trained on.
std::set<std::size_t> rows_shown(const evidence::Evidence& evidence, const std::string& probe) {
  std::set<std::size_t> shown;
  for (const evidence::Group& group : evidence.groups) {
    if (group.role != evidence::kProbed) continue;
    if (evidence::probed_group(group.method).probe != probe) continue;
    for (const evidence::Model& model : group.models) {
      const auto found = model.members.find("forget");
      if (found == model.members.end()) continue;
      const std::vector<std::int64_t> members = found->second.integers();
      for (std::size_t row = 0; row < members.size(); ++row) {
        if (members[row] == 1) shown.insert(row);
      }
    }
  }
  return shown;
}

std::shared_ptr<const Strata> strata_of(const evidence::Evidence& evidence, const ProbeRows& rows) {
  const auto* forget = evidence.find_labels("forget");
  const auto* test = evidence.find_labels("test");
  if (forget == nullptr || test == nullptr) {
    return std::make_shared<Strata>(one_stratum(rows.targets(), rows.unseen.size()));
  }
  std::vector<std::int64_t> target, unseen;
  for (const std::size_t row : rows.forget) target.push_back((*forget)[row]);
  for (const std::size_t row : rows.target_test) target.push_back((*test)[row]);
  for (const std::size_t row : rows.unseen) unseen.push_back((*test)[row]);
  return std::make_shared<Strata>(strata_by_class(target, unseen));
}

}  // namespace

ProbedPairs probed_pairs(const evidence::Evidence& evidence, const Models& models,
                         const std::string& probe) {
  ProbedPairs pairs;
  for (const evidence::Model* model : models) {
    const evidence::Model* after = evidence::find_named(
        evidence::find_probed(evidence, probe, model->role, model->method), model->name);
    if (after != nullptr && can_speak(*model) && can_speak(*after)) pairs.push_back({model, after});
  }
  return pairs;
}

ProbeRows probe_rows(const evidence::Evidence& evidence, const RowSets& sets,
                     const std::string& probe) {
  ProbeRows rows;
  const std::set<std::size_t> shown = rows_shown(evidence, probe);
  for (std::size_t row = 0; row < sets.forget; ++row) {
    (shown.count(row) > 0 ? rows.shown : rows.forget).push_back(row);
  }
  rows.target_test = sets.target_test;
  rows.unseen = sets.unseen;
  if (!rows.empty()) rows.strata = strata_of(evidence, rows);
  return rows;
}

NamedSignal signal_rows(const Context& context, const evidence::Evidence& evidence,
                        const Models& models, const ProbeRows& rows) {
  NamedSignal found;
  found.rows = {Matrix(models.size(), rows.targets()), Matrix(models.size(), rows.unseen.size())};
  for (std::size_t place = 0; place < models.size(); ++place) {
    const auto forget = row_signals(context, evidence, *models[place], "forget");
    const auto test = row_signals(context, evidence, *models[place], "test");
    if (forget.empty() || test.empty() || forget.front().name != test.front().name) return {};
    const std::string name(forget.front().name);
    if (!found.name.empty() && found.name != name) return {};
    found.name = name;
    std::size_t column = 0;
    for (const std::size_t row : rows.forget) {
      found.rows.target(place, column++) = forget.front().values.at(row);
    }
    for (const std::size_t row : rows.target_test) {
      found.rows.target(place, column++) = test.front().values.at(row);
    }
    for (std::size_t i = 0; i < rows.unseen.size(); ++i) {
      found.rows.unseen(place, i) = test.front().values.at(rows.unseen[i]);
    }
  }
  return found;
}

ProbedSignal probed_signal(const Context& context, const evidence::Evidence& evidence,
                           const ProbedPairs& pairs, const ProbeRows& rows) {
  Models before, after;
  for (const ProbedPair& pair : pairs) {
    before.push_back(pair.before);
    after.push_back(pair.after);
  }
  NamedSignal ours = signal_rows(context, evidence, before, rows);
  NamedSignal theirs = signal_rows(context, evidence, after, rows);
  if (ours.name != theirs.name) return {};
  return {ours.name, std::move(ours.rows), std::move(theirs.rows)};
}

}  // namespace vestige::metrics
