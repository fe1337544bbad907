// From findings about row order to what they mean for verdicts.
#include "vestige/audit/verdicts/disorder.h"

#include <algorithm>
#include <cmath>

#include "vestige/evidence/checks/checks.h"
#include "vestige/evidence/checks/obstacles.h"
#include "vestige/evidence/checks/row_order.h"
#include "vestige/metrics/inputs/accuracy.h"

namespace vestige::audit {
namespace {

using evidence::Evidence;
using evidence::Group;
using evidence::Model;

constexpr const char* kJudgedSplits[] = {"forget", "retain", "test"};

bool is_judged(const Group& group) {
  return group.role == "original" || group.role == "retrained" || group.role == "unlearned";
}

/// No more often right than answers drawn apart from the rows, by the same frequencies (three
/// standard deviations).
bool at_chance(const Context& context, const Evidence& evidence, const Model& model,
               const char* split) {
  const auto* labels = evidence.find_labels(model, split);
  if (!model.has(split) || labels == nullptr || evidence.classes < 2) return false;
  const metrics::Numbers answers = metrics::answered_classes(context, model.outputs.at(split));
  if (answers->size() != labels->size()) return false;
  std::vector<double> given(evidence.classes), truth(evidence.classes);
  double right = 0;
  const double share = 1 / static_cast<double>(labels->size());
  for (std::size_t row = 0; row < labels->size(); ++row) {
    const auto answer = static_cast<std::size_t>((*answers)[row]);
    const auto label = static_cast<std::size_t>((*labels)[row]);
    given[answer] += share;
    truth[label] += share;
    right += answer == label ? share : 0;
  }
  // Where nearly all labels are one class, chance is nearly right.
  if (*std::max_element(truth.begin(), truth.end()) > 0.8) return false;
  double chance = 0;
  for (std::size_t c = 0; c < given.size(); ++c) chance += given[c] * truth[c];
  return right <= chance + 3 * std::sqrt(chance * (1 - chance) * share);
}

bool somebody_at_chance(const Context& context, const Evidence& evidence) {
  for (const Group& group : evidence.groups) {
    if (!is_judged(group)) continue;
    for (const Model& model : group.models) {
      for (const char* split : kJudgedSplits) {
        if (at_chance(context, evidence, model, split)) return true;
      }
    }
  }
  return false;
}

}  // namespace

RowOrders::RowOrders(const Context& context, const Evidence& evidence) {
  const evidence::Findings orders = somebody_at_chance(context, evidence)
                                        ? evidence::check_row_order(evidence)
                                        : evidence::Findings{};
  add_blocking(evidence, orders);
  add_blocking(evidence, evidence::obstacles(evidence, orders));
  for (const evidence::Finding& finding : orders) {
    if (finding.code != "W-ORDER" && finding.code != "W-LABELS") continue;
    for (const char* split : kJudgedSplits) {
      if (finding.file == evidence::file_of(evidence, std::string("labels/") + split)) {
        doubts_.push_back({"labels", "", split, evidence::about(finding)});
      }
      for (const Group& group : evidence.groups) {
        for (const Model& model : group.models) {
          if (model.id() != finding.model) continue;
          if (finding.file != evidence::file_of(evidence, model, split)) continue;
          // Rows in another order within their classes leave the means that verdicts compare.
          if (!at_chance(context, evidence, model, split)) continue;
          doubts_.push_back({model.role, model.method, split, evidence::about(finding)});
        }
      }
    }
  }
}

void RowOrders::add_blocking(const Evidence& evidence, const evidence::Findings& findings) {
  for (const evidence::Finding& finding : findings) {
    const bool filter = finding.reason.code == result::Code::only_forget_differs;
    if (!finding.blocks_verdicts && !filter) continue;
    Doubt doubt{"labels", "", "", evidence::about(finding), !filter, filter};
    for (const Group& group : evidence.groups) {
      for (const Model& model : group.models) {
        if (model.id() != finding.model) continue;
        doubt.role = model.role;
        doubt.method = model.method;
      }
    }
    doubts_.push_back(std::move(doubt));
  }
}

Disorder RowOrders::of(const Group& method) const {
  Disorder found;
  for (const Doubt& doubt : doubts_) {
    const bool own = doubt.role == "unlearned" && doubt.method == method.method;
    const bool of_all =
        doubt.role == "original" || doubt.role == "retrained" || doubt.role == "labels";
    if (doubt.filter) {
      if (own) found.filtered = doubt.reason;
      continue;
    }
    const bool rests_on_it = of_all || doubt.blocks || doubt.split == "test";
    if ((own || of_all) && rests_on_it && found.obstacle.empty()) {
      found.obstacle = doubt.reason;
      found.wrong_evidence = doubt.blocks;
    }
    if (own && !rests_on_it && found.caution.empty()) {
      found.caution = result::reason(result::Code::split_in_other_order, doubt.split);
    }
  }
  return found;
}

}  // namespace vestige::audit
