// What the family sde says about itself: ids, words and plots.
#include "vestige/metrics/sde/sde_family.h"

namespace vestige::metrics {

std::vector<MetricInfo> sde_metrics() {
  return {
      {.id = "sde.otr",
       .direction = Direction::higher,
       .ideal = kUndefined,
       .name = "SDE out-of-training rate",
       .what =
           "share of sets of forget examples whose split-half dependence is nearer to test than "
           "to retain",
       .shows_forgetting = true,
       .brief = "SDE OTR",
       .speech = Speech{.place = 50,
                        .under = "sets of forget examples still look trained on",
                        .over = "sets of forget examples look less trained on than unseen examples",
                        .core = true,
                        .against_retain = true}},
      {"sde.closed_form.otr", Direction::higher, kUndefined,
       "SDE out-of-training rate, closed form", "the same by the exact mean over all shuffles",
       true},
      {"sde.reference_passed", Direction::higher, kUndefined, "reference pairs that pass",
       "reference pairs in which retain is more dependent than test"},
      {"sde.reference_p", Direction::lower, kUndefined, "U test of the first reference pair",
       "one-sided p that retain is more dependent than test, shuffles as samples"},
      {"sde.f1.control", Direction::higher, 1, "F1 on retain and test sets",
       "F1 of telling sets of retain from sets of test examples"},
      {"sde.f1.retrained", Direction::higher, 1, "F1 on a retrained model",
       "F1 of telling sets of retain from sets of forget examples, on a retrained model"},
      {"sde.h.forget", Direction::match, kUndefined, "dependence of forget sets",
       "mean split-half dependence of sets of forget examples"},
      {"sde.batch.same", Direction::match, kUndefined, "dependence within fixed batches",
       "mean split-half dependence of sets that are one batch of training"},
      {"sde.batch.cross", Direction::match, kUndefined, "dependence across fixed batches",
       "mean split-half dependence of sets with one example of each of as many batches"},
      {"sde.batch.gap", Direction::match, kUndefined, "dependence within over across batches",
       "how much larger the first is than the second, as a share of the second"},
      {"sde.batch.p", Direction::match, kUndefined, "U test of batches",
       "one-sided p that sets of one batch are more dependent, sets as samples"},
      {"sde.batch.passed", Direction::match, kUndefined, "batches that pass the paper's U test",
       "share of pairs with p < 0.01, shuffles as samples"},
  };
}

std::vector<SeriesInfo> sde_series() {
  return {
      {"histogram", "sde.h", "Scores of examples", "{}: dependence of the layer on the forget set",
       "Compare the outline of the forget set with two references: sets that were in training and "
       "sets that were not. It should lie on the second.",
       "HSIC of split halves"},
      {"curve", "sde.f1", "Split-half dependence", "{}: F1 over the kernel's bandwidth",
       "Where the curve is flat and high, the choice of bandwidth does not matter. The dashed line "
       "is the square root of the dimension, the rule of the paper.",
       "sigma"}};
}

}  // namespace vestige::metrics
