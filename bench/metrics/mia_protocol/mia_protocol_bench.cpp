// The plain membership protocol on 16 models, 4 of them targets, with 1,000 examples and 8 shadow
// models each: IAM by moments, RMIA by sorting and AUC by ranks against every level, every pair
// and every pair. The plain version leaves LiRA out, which has one form only.
#include <cmath>

#include "bench/support/ratio.h"
#include "tests/metrics/scores/iam_oracle.h"
#include "tests/metrics/scores/rmia_oracle.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/mia_protocol/mia_protocol.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kModels = 16, kTargets = 4, kRows = 1000, kShadows = 8;

struct ProtocolPool {
  Matrix probabilities{kModels, kRows}, population{kModels, kRows};
  std::vector<std::uint8_t> keep = std::vector<std::uint8_t>(kModels * kRows);
};

ProtocolPool make_pool() {
  Stream stream(1, "bench.mia_protocol");
  ProtocolPool pool;
  const auto draw = [&](double level) { return 1 / (1 + std::exp(-level - stream.normal())); };
  for (std::size_t row = 0; row < kRows; ++row) {
    for (const std::size_t model : stream.sample(kModels, kModels / 2)) {
      pool.keep[model * kRows + row] = 1;
    }
    for (std::size_t model = 0; model < kModels; ++model) {
      pool.probabilities(model, row) = draw(pool.keep[model * kRows + row]);
      pool.population(model, row) = draw(0);
    }
  }
  return pool;
}

double plain_auc(const std::vector<double>& scores, const std::uint8_t* keep) {
  double won = 0, pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (keep[i] == 0 || keep[j] != 0) continue;
      won += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
      ++pairs;
    }
  }
  return won / pairs;
}

/// AUC of IAM plus that of RMIA for one target.
double plain_target(const ProtocolPool& pool, std::size_t target) {
  const ShadowChoice choice = choose_shadows(pool.keep, kRows, target, kShadows, 1);
  const double side = kShadows / 2;
  const auto response = [](double p) { return iam_responses({&p, 1}).front(); };
  Matrix out(kShadows / 2, kRows);
  std::vector<double> in(kRows), own(kRows), x(kRows), z(kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    double both = 0, others = 0;
    for (std::size_t i = 0; i < kShadows / 2; ++i) {
      const double inside = pool.probabilities(choice.in[row][i], row);
      const double outside = pool.probabilities(choice.out[row][i], row);
      in[row] += response(inside) / side;
      out(i, row) = response(outside);
      both += (inside + outside) / (2 * side);
    }
    for (std::size_t model = 0; model < kModels; ++model) {
      if (model != target) others += pool.population(model, row) / (kModels - 1);
    }
    own[row] = response(pool.probabilities(target, row));
    x[row] = pool.probabilities(target, row) / both;
    z[row] = pool.population(target, row) / others;
  }
  const std::uint8_t* keep = &pool.keep[target * kRows];
  return plain_auc(plain_iam(own, out, in), keep) +
         plain_auc(plain_rmia(x, z, 1, PairRule::quotient), keep);
}

void BM_MiaProtocol(benchmark::State& state) {
  const ProtocolPool pool = make_pool();
  benchmarks::with_ratio(
      state,
      [&] {
        const MiaProtocol seen = mia_protocol({pool.probabilities, pool.keep, pool.population},
                                              {.shadows = kShadows, .targets = kTargets});
        return seen.iam.auc + seen.rmia.auc;
      },
      [&] {
        double sum = 0;
        for (std::size_t target = 0; target < kTargets; ++target) sum += plain_target(pool, target);
        return sum / kTargets;
      });
}
BENCHMARK(BM_MiaProtocol)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
