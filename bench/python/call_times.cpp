// Times of metric functions in C++ on arrays of .npy files; call_bench.py times the same in Python.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/metrics/learn/entropy_attack.h"
#include "vestige/metrics/scores/iam.h"
#include "vestige/metrics/scores/rmia.h"
#include "vestige/metrics/stats/roc.h"

namespace {

/// The least of several runs, in seconds.
template <typename Call>
void report(const char* name, int repeats, Call&& call) {
  double least = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    const auto result = call();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    // The result is looked at, so that no call is left out.
    if (result.empty()) std::abort();
    least = std::min(least, taken.count());
  }
  fmt::print("{} {:.9f}\n", name, least);
}

}  // namespace

// Timed on one core (bench/python/call_bench.py says which).
// usage: call_times FOLDER REPEATS, with scores.npy, labels.npy, population.npy, probabilities.npy
int main(int count, char** arguments) {
  using namespace vestige;
  if (count != 3) return 2;
  const std::string folder = arguments[1];
  const int repeats = std::atoi(arguments[2]);
  const std::vector<double> scores = evidence::read_npy(folder + "/scores.npy").doubles();
  const std::vector<double> population = evidence::read_npy(folder + "/population.npy").doubles();
  const auto numbers = evidence::read_npy(folder + "/labels.npy").integers();
  const std::vector<int> labels(numbers.begin(), numbers.end());
  const evidence::Array outputs = evidence::read_npy(folder + "/probabilities.npy");
  const std::vector<double> values = outputs.doubles();
  const MatrixView probabilities{values.data(), outputs.rows(), outputs.cols()};
  report("auc", repeats, [&] { return std::vector<double>{metrics::auc(scores, labels)}; });
  report("iam_responses", repeats, [&] { return metrics::iam_responses(scores); });
  report("rmia_scores", repeats, [&] { return metrics::rmia_scores(scores, population, 1); });
  report("entropies", repeats, [&] { return metrics::entropies(probabilities); });
}
