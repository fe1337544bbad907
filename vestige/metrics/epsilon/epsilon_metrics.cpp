// What the epsilon family says about itself: ids with their words in verdicts, and its plots.
#include "vestige/metrics/epsilon/epsilon_family.h"

namespace vestige::metrics {
namespace {

constexpr std::string_view kSection = "Epsilon of every forget row";

}  // namespace

std::vector<MetricInfo> epsilon_metrics() {
  return {
      {.id = "epsilon.f_score",
       .direction = Direction::higher,
       .ideal = 1,
       .name = "forgetting quality F",
       .what = "forgetting quality F: mean over forget rows of 2^-(eps / 0.5), by bins",
       .shows_forgetting = true,
       .brief = "F",
       .headline = 1,
       .speech = Speech{.place = 30,
                        .under = "its answers on the forgotten rows can be told from those of "
                                 "retrained models, and are surer",
                        .over = "its answers on the forgotten rows can be told from those of "
                                "retrained models, and are less sure",
                        .core = true,
                        .distance = true}},
      {.id = "epsilon.final_score",
       .direction = Direction::higher,
       .ideal = 1,
       .name = "final score",
       .what = "F times the retain and the test accuracy relative to retrained",
       .brief = "final",
       .tunes = true,
       .parts = {"epsilon.f_score"}},
      {"epsilon.f_score.split_kde", Direction::higher, 1, "F by split and smoothing",
       "F with thresholds fitted on half of the models, judged on the smoothed other half", true},
      {"epsilon.median", Direction::lower, 0, "median epsilon", "median eps over forget rows",
       true},
      {"epsilon.undefined", Direction::lower, 0, "rows without epsilon",
       "forget rows on which every attack is discarded"},
      {"epsilon.perfectly_separated", Direction::lower, 0, "rows told apart perfectly",
       "forget rows on which some attack tells every model apart"},
  };
}

std::vector<SeriesInfo> epsilon_series() {
  return {
      {"histogram", "epsilon", kSection, "How many forget rows have which \u03b5",
       "\u03b5 says how well the best attack tells unlearned from retrained models on one row: "
       "mass "
       "at the left is forgotten, mass at the right is remembered; the last bar holds everything "
       "beyond.",
       "\u03b5"},
      {"sorted", "epsilon", kSection, "\u03b5 of every forget row, worst first",
       "The height at 10 % is the \u03b5 that the worst tenth of the forget rows exceeds; a curve "
       "that stays above the floor remembers those rows better than retraining noise explains.",
       "\u03b5"},
      {"examples", "epsilon.confidence", kSection, "What models say about chosen forget rows",
       "Each panel is one forget row: how confident retrained models are of its label, and how "
       "confident unlearned ones are; two outlines that lie apart give the unlearned models away. "
       "Rows were chosen by how far the originals lie from the retrained models: largest, median "
       "and smallest.",
       "Scaled confidence"},
  };
}

}  // namespace vestige::metrics
