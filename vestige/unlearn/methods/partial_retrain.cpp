// From scratch on the retained rows and a part of the forgotten ones.
#include <algorithm>

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/retraining.h"

namespace vestige::unlearn {

Method partial_retrain() {
  return {.id = "partial_retrain",
          .summary = "from scratch on retain and a share 1-p of forget: a ruler, not a method",
          .source = "MIAU, 5.1",
          .needs = {.logits = false},
          .presets = {{"p25", {{"p", 0.25}}}, {"p50", {{"p", 0.5}}}, {"p75", {{"p", 0.75}}}},
          .prepare = [](Options& options) -> Run {
            const double removed = options.number("p", 0.5);
            if (!(removed >= 0 && removed <= 1)) options.wrong("p", "it must be between 0 and 1");
            return [removed](Problem& problem) {
              const train::Rows kept =
                  subset(problem.forget, 1 - removed, problem.seed, "partial_retrain");
              train::Rows rows = problem.retain;
              rows.insert(rows.end(), kept.begin(), kept.end());
              std::sort(rows.begin(), rows.end());
              Outcome outcome{train_from_scratch(problem, rows)};
              outcome.facts["kept_forget_rows"] = kept.size();
              return outcome;
            };
          }};
}

}  // namespace vestige::unlearn
