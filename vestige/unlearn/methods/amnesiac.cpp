// Wrong labels mixed with right ones.
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/relabel.h"

namespace vestige::unlearn {

Method amnesiac() {
  return {.id = "amnesiac",
          .summary = "forget examples with a wrong label, mixed with the retain examples",
          .source = "MIAU, Table 8 (relabel form of Graves et al. 2021)",
          .needs = {},
          .presets = {{"miau", {{"epochs", 3}, {"rate", 1e-4}, {"batch", 128}}}},
          .prepare = [](Options& options) -> Run {
            const train::Phase given = read_phase(
                options, {.epochs = 3, .rate = 1e-4, .weight_decay = 0, .optimizer = "adam"});
            return [given](Problem& problem) {
              train::Rows rows = problem.forget;
              rows.insert(rows.end(), problem.retain.begin(), problem.retain.end());
              Stream stream(problem.seed, "amnesiac");
              train::Phase phase = given;
              phase.objective = cross_entropy_with(
                  random_labels(problem.samples, problem.forget, LabelDraw::other, stream));
              return Outcome{train::run_phase(problem.network, problem.samples, rows, problem.seed,
                                              phase, problem.watch)};
            };
          }};
}

}  // namespace vestige::unlearn
