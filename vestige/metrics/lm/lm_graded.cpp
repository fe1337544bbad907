// ScoreUI: does a score follow what models are known to have seen?
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "vestige/metrics/lm/lm_parts.h"
#include "vestige/metrics/stats/rank_tests.h"

namespace vestige::metrics {
namespace {

using evidence::Evidence;
using evidence::Group;
using evidence::Model;

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

/// Share of forget that a graded model's training left out: evidence.toml, or the name in per cent.
std::optional<double> removed_share(const Evidence& evidence, const Group& group) {
  const auto declared = evidence.removed_fraction.find(group.method);
  if (declared != evidence.removed_fraction.end()) return declared->second;
  const std::optional<double> percent = number_in(group.method);
  if (!percent || *percent < 0 || *percent > 100) return std::nullopt;
  return *percent / 100;
}

/// How far a checkpoint came: declared membership, or what follows the first point of its name
/// ("original.100": 100, "original.0.5": 0.5).
std::optional<double> step_of(const Evidence& evidence, const Group& group) {
  const auto declared = evidence.membership.find(group.method);
  if (declared != evidence.membership.end()) return declared->second;
  const std::size_t point = group.method.find('.');
  if (point == std::string::npos) return std::nullopt;
  return number_in(std::string_view(group.method).substr(point + 1));
}

/// Scores and known membership of many models, by score.
class Gathered {
 public:
  Gathered(const LmEvidence& lm, std::string_view family, bool forget_only)
      : lm_(lm), family_(family), forget_only_(forget_only) {}

  /// The scores of one model.
  void add(const std::vector<LmScore>& scores, double known) {
    ++models_;
    last_ = scores;
    for (const LmScore& score : scores) {
      if (!score.missing.empty()) continue;
      if (family_ == "losses" && !from_losses(score.name)) continue;
      const std::span<const double> values(score.values);
      for (const double value : forget_only_ ? values.first(lm_.forget_rows()) : values) {
        if (std::isnan(value)) continue;
        values_[score.name].push_back(value);
        known_[score.name].push_back(known);
      }
    }
  }

  void add(const Group* group, double known) {
    if (group == nullptr) return;
    for (const Model& model : group->models) {
      if (can_be_scored(model)) add(lm_.scores(model), known);
    }
  }

  void push(std::string_view role, Code note, LmRows& rows) const {
    for (const LmScore& score : last_) {
      const auto found = values_.find(score.name);
      if (found == values_.end()) continue;
      Row row = rows.make(score, "spearman");
      row.subject = {std::string(role), {}, {}};
      row.control = Control::graded;
      row.value = spearman(found->second, known_.at(score.name)).rho;
      row.n = found->second.size();
      row.notes = {reason(note)};
      row.settings["over"] = std::string(role);
      row.settings["rows"] = forget_only_ ? "forget" : "all";
      row.facts["graded"] = models_;
      rows.push(std::move(row), 0, Code::scores_all_equal);
    }
  }

  std::size_t models() const { return models_; }

 private:
  const LmEvidence& lm_;
  std::string_view family_;
  bool forget_only_;
  std::size_t models_ = 0;
  std::map<std::string_view, std::vector<double>> values_;
  std::map<std::string_view, std::vector<double>> known_;
  std::vector<LmScore> last_;
};

/// The forget sequences of all graded models, whose membership is known, together.
void add_partial(const LmEvidence& lm, LmRows& rows) {
  const Evidence& evidence = rows.evidence();
  Gathered gathered(lm, rows.family(), true);
  gathered.add(evidence.find("original"), 1);
  gathered.add(evidence.find("retrained"), 0);
  for (const Group& group : evidence.groups) {
    if (group.role != "partial") continue;
    const std::optional<double> removed = removed_share(evidence, group);
    if (removed) gathered.add(&group, 1 - *removed);
  }
  gathered.push("partial", Code::membership_by_removal, rows);
}

/// The sequences of one training at several steps: the longer, the better known.
void add_checkpoints(const LmEvidence& lm, LmRows& rows) {
  const Evidence& evidence = rows.evidence();
  Gathered all(lm, rows.family(), false);
  Gathered forget(lm, rows.family(), true);
  for (const Group& group : evidence.groups) {
    const std::optional<double> step =
        group.role == "checkpoint" ? step_of(evidence, group) : std::nullopt;
    if (!step) continue;
    for (const Model& model : group.models) {
      if (!can_be_scored(model)) continue;
      const std::vector<LmScore> scores = lm.scores(model);
      all.add(scores, *step);
      forget.add(scores, *step);
    }
  }
  if (all.models() < 2) return;
  all.push("checkpoint", Code::membership_by_training, rows);
  forget.push("checkpoint", Code::membership_by_training, rows);
}

}  // namespace

void add_graded(const LmSettings& settings, LmRows& rows) {
  const bool partial = &rows.model() == first_scored(rows.evidence(), "partial");
  bool checkpoints = false;
  for (const Group& group : rows.evidence().groups) {
    checkpoints = checkpoints || group.role == "checkpoint";
  }
  checkpoints = checkpoints && &rows.model() == first_scored(rows.evidence());
  if (!partial && !checkpoints) return;
  const LmEvidence lm(rows.comparison(), settings);
  if (partial) add_partial(lm, rows);
  if (checkpoints) add_checkpoints(lm, rows);
}

}  // namespace vestige::metrics
