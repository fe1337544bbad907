// What the epsilon family says about itself: ids with their words in verdicts, and its plots.
#include "vestige/metrics/epsilon/epsilon_family.h"

namespace vestige::metrics {
namespace {

constexpr std::string_view kSection = "Epsilon of every forget example";

}  // namespace

std::vector<MetricInfo> epsilon_metrics() {
  return {
      {.id = "epsilon.f_score",
       .direction = Direction::higher,
       .ideal = 1,
       .name = "forgetting quality F",
       .what = "forgetting quality F: mean over forget examples of 2^-(epsilon / 0.5), by bins",
       .shows_forgetting = true,
       .brief = "F",
       .speech = Speech{.place = 30,
                        .under = "its outputs on the forget examples differ from those of "
                                 "retrained models, with higher confidence",
                        .over = "its outputs on the forget examples differ from those of "
                                "retrained models, with lower confidence",
                        .core = true,
                        .distance = true}},
      {.id = "epsilon.final_score",
       .direction = Direction::higher,
       .ideal = 1,
       .name = "final score",
       .what = "F times the retain and the test accuracy relative to retrained models",
       .brief = "final",
       .tunes = true,
       .parts = {"epsilon.f_score"}},
      {"epsilon.f_score.split_kde", Direction::higher, 1, "F by split and smoothing",
       "F with thresholds fitted on half of the models, evaluated on the smoothed other half",
       true},
      {"epsilon.median", Direction::lower, 0, "median epsilon",
       "median epsilon over forget examples", true},
      {"epsilon.undefined", Direction::lower, 0, "examples without epsilon",
       "forget examples on which every attack is discarded"},
      {"epsilon.perfectly_separated", Direction::lower, 0, "examples separated perfectly",
       "forget examples on which some attack separates all models without an error"},
  };
}

std::vector<SeriesInfo> epsilon_series() {
  return {
      {"histogram", "epsilon", kSection, "Distribution of \u03b5 over forget examples",
       "\u03b5 measures how well the best attack separates unlearned from retrained models on one "
       "example. Values near 0 mean forgotten, large values mean remembered. The last bar holds "
       "all larger values.",
       "\u03b5"},
      {"sorted", "epsilon", kSection, "\u03b5 of every forget example, largest first",
       "The height at 10 % is the \u03b5 that the worst tenth of the forget examples exceeds. "
       "Where "
       "a method's curve lies above that of retrained models, retraining noise does not explain "
       "it.",
       "\u03b5"},
      {"examples", "epsilon.confidence", kSection,
       "Confidence of models on selected forget examples",
       "Each panel is one forget example: the confidence of retrained and of unlearned models in "
       "its label. Outlines that lie apart distinguish the unlearned models. The examples have the "
       "largest, median and smallest distance between original and retrained models.",
       "Scaled confidence"},
  };
}

}  // namespace vestige::metrics
