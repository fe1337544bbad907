// Means of imported scores; what a score means is known to the program that gave it.
#include "vestige/metrics/imported/imported_family.h"

#include "vestige/metrics/mean_family.h"

namespace vestige::metrics {
namespace {

Reason needs(const std::string& model) {
  return reason(Code::needs_scores, model + "/scores/NAME/SPLIT.npy");
}

Support imported_support(const evidence::Evidence& evidence) {
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      if (!model.scores.empty()) return {true, {}};
    }
  }
  return {false, needs("ROLE/0")};
}

Direction direction_of(const evidence::Evidence& evidence, const std::string& score) {
  const auto found = evidence.score_directions.find(score);
  if (found == evidence.score_directions.end()) return Direction::match;
  return found->second == "higher"  ? Direction::higher
         : found->second == "lower" ? Direction::lower
                                    : Direction::match;
}

Measurements measure_imported(const Comparison& comparison, const Request& request, Progress&) {
  Measurements out;
  const evidence::Model& model = *comparison.candidate.front();
  for (const auto& [score, splits] : model.scores) {
    for (const auto& [split, values] : splits) {
      Row row = make_row("imported.mean", comparison, request);
      row.direction = direction_of(*comparison.evidence, score);
      row.settings["score"] = score;
      row.settings["split"] = split;
      set_mean(row, values.doubles());
      out.rows.push_back(std::move(row));
    }
  }
  if (out.rows.empty() && comparison.control == Control::none) {
    Row row = make_row("imported.mean", comparison, request);
    row.status = Status::skipped;
    row.notes = {needs(model.id())};
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace

Family imported_family() {
  return {.name = "imported",
          .summary = "scores that another program gave to examples",
          .metrics = {{.id = "imported.mean",
                       .direction = Direction::match,
                       .ideal = kUndefined,
                       .name = "mean imported score",
                       .what = "mean score of the examples of a split by another program"}},
          .support = imported_support,
          .prepare = each(measure_imported)};
}

}  // namespace vestige::metrics
