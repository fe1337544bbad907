// Jensen-Shannon divergences against scipy's values in tests/reference and by hand.
#include "vestige/metrics/stats/jsd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/metrics/support/attack_case.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

TEST(Jsd, ReferenceCasesOfSamples) {
  for (const char* name : {"identical_odd", "t200_b20", "ties_int", "tiny"}) {
    const AttackCase test_case("jsd", name);
    const std::vector<double> x = test_case.input("x"), y = test_case.input("y");
    const auto bins = static_cast<std::size_t>(test_case.parameter("bins"));
    const SampleHistograms histograms = pooled_histograms(x, y, bins);
    test_case.check("edges", histograms.edges);
    test_case.check("hist_x", histograms.x);
    test_case.check("hist_y", histograms.y);
    const double bits = jensen_shannon_samples(x, y, bins);
    test_case.check("jsd_bits", {bits});
    test_case.check("jsd_nats", {bits * std::numbers::ln2});
  }
}

TEST(Jsd, ReferenceCasesOfVectors) {
  for (const char* name : {"same", "zeros"}) {
    const AttackCase test_case("jsd_vectors", name);
    const std::vector<double> p = test_case.input("p"), q = test_case.input("q");
    const std::size_t cols = test_case.columns("p");
    std::vector<double> bits, smoothed;
    for (std::size_t row = 0; row < p.size() / cols; ++row) {
      const std::span<const double> left(p.data() + row * cols, cols);
      const std::span<const double> right(q.data() + row * cols, cols);
      bits.push_back(jensen_shannon(left, right));
      smoothed.push_back(jensen_shannon_smoothed(left, right));
    }
    test_case.check("jsd_bits", bits);
    test_case.check("sfron_js_eps1e20", smoothed);
  }
}

TEST(Jsd, DisjointIsExactlyOneAndEqualExactlyZero) {
  // A verdict ties only if two such distances are the same double.
  Stream stream(3, "test.jsd");
  for (int round = 0; round < 100; ++round) {
    std::vector<double> low, high;
    for (int i = 0; i < 200; ++i) {
      low.push_back(stream.uniform());
      high.push_back(50 + stream.uniform() * static_cast<double>(1 + round));
    }
    EXPECT_EQ(jensen_shannon_samples(low, high), 1);
    EXPECT_EQ(jensen_shannon_samples(low, low), 0);
  }
}

TEST(Jsd, ByHand) {
  // p = (1/2, 1/2), q = (1, 0), m = (3/4, 1/4):
  // (1/2 log2(2/3) + 1/2 log2 2) / 2 + log2(4/3) / 2 = 0.311278...
  const std::vector<double> p{1, 1}, q{5, 0};
  EXPECT_NEAR(jensen_shannon(p, q), 0.25 * std::log2(2.0 / 3) + 0.25 + 0.5 * std::log2(4.0 / 3),
              1e-15);
  EXPECT_DOUBLE_EQ(jensen_shannon(p, q), jensen_shannon(q, p));
}

TEST(Jsd, Undefined) {
  const std::vector<double> some{1, 2};
  EXPECT_TRUE(std::isnan(jensen_shannon_samples({}, some)));
  EXPECT_TRUE(std::isnan(jensen_shannon_samples(std::vector<double>{std::nan("")}, some)));
  EXPECT_TRUE(std::isnan(jensen_shannon(std::vector<double>{0, 0}, some)));
  EXPECT_THROW(jensen_shannon(some, std::vector<double>{1}), InputError);
  EXPECT_THROW(pooled_histograms(some, some, 0), InputError);
  EXPECT_THROW(pooled_histograms(some, std::vector<double>{INFINITY}, 5), InputError);
}

TEST(Jsd, CountsAreThoseOfAPlainSearch) {
  Stream stream(4, "test.jsd.plain");
  for (std::size_t count = 1; count < 24; ++count) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < count; ++i) {
      // Tenths, so that many lie on an edge.
      x.push_back(std::floor(20 * stream.uniform()) / 10);
      y.push_back(std::floor(30 * stream.uniform()) / 10);
    }
    const SampleHistograms histograms = pooled_histograms(x, y, 7);
    std::vector<double> all = x;
    all.insert(all.end(), y.begin(), y.end());
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    if (*low == *high) continue;
    EXPECT_EQ(histograms.edges.front(), *low);
    EXPECT_EQ(histograms.edges.back(), *high);
    for (std::size_t bin = 0; bin < 7; ++bin) {
      const auto inside = [&](double value) {
        const bool below_end = bin == 6 || value < histograms.edges[bin + 1];
        return value >= histograms.edges[bin] && below_end;
      };
      EXPECT_EQ(histograms.x[bin], static_cast<double>(std::count_if(x.begin(), x.end(), inside)));
      EXPECT_EQ(histograms.y[bin], static_cast<double>(std::count_if(y.begin(), y.end(), inside)));
    }
  }
}

TEST(Jsd, ConstantSamplesAreWidened) {
  // numpy widens a range of width 0 by 0.5 to both sides: the value lies in the middle bin.
  const std::vector<double> same{2, 2, 2};
  const SampleHistograms histograms = pooled_histograms(same, same, 4);
  EXPECT_EQ(histograms.edges, (std::vector<double>{1.5, 1.75, 2, 2.25, 2.5}));
  EXPECT_EQ(histograms.x, (std::vector<double>{0, 0, 3, 0}));
  EXPECT_EQ(jensen_shannon_samples(same, same), 0);
}

}  // namespace
}  // namespace vestige::metrics
