// What a user of the library writes: a metric on plain numbers, and an audit of a folder.
#include <vestige/version.h>

#include <cstdio>
#include <vector>

#include "vestige/audit/audit.h"
#include "vestige/evidence/reader.h"
#include "vestige/metrics/stats/roc.h"

int main(int argc, char** argv) {
  const std::vector<double> scores = {0.1, 0.4, 0.35, 0.8};
  const std::vector<int> labels = {0, 0, 1, 1};
  std::printf("auc %g\n", vestige::metrics::auc(scores, labels));  // 3 of 4 pairs are in order
  if (argc > 1) {
    const auto reading = vestige::evidence::load(argv[1]);
    const auto result = vestige::audit::audit(reading.evidence, {.metrics = {"utility"}});
    std::printf("%s\n", result.rows.empty() ? "no rows" : "audited");
  }
}
