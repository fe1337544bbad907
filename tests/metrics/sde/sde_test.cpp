// SDE: drawn sets, distributions against the literal algorithm, and verdicts by hand.
#include "vestige/metrics/sde/sde.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t index, double scale = 1) {
  Stream stream(21, "test.sde", index);
  Matrix matrix(rows, cols);
  for (double& value : matrix.values()) value = scale * stream.normal();
  return matrix;
}

std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

std::vector<HalvedSet> some_sets(std::size_t rows, std::size_t size, std::size_t count) {
  std::vector<HalvedSet> sets;
  for (std::size_t index = 0; index < count; ++index) {
    Stream stream(22, "test.sde.set", index);
    sets.push_back(draw_set(numbers(rows), size, stream));
  }
  return sets;
}

TEST(DrawSet, DistinctRowsInAscendingHalves) {
  Stream stream(1, "test.draw");
  const std::vector<std::uint32_t> pool{9, 4, 7, 1, 30, 22, 18, 5};
  for (int round = 0; round < 50; ++round) {
    const HalvedSet set = draw_set(pool, 6, stream);
    ASSERT_EQ(set.first.size(), 3U);
    ASSERT_EQ(set.second.size(), 3U);
    EXPECT_TRUE(std::is_sorted(set.first.begin(), set.first.end()));
    EXPECT_TRUE(std::is_sorted(set.second.begin(), set.second.end()));
    std::set<std::uint32_t> rows(set.first.begin(), set.first.end());
    rows.insert(set.second.begin(), set.second.end());
    EXPECT_EQ(rows.size(), 6U);
    for (const std::uint32_t row : rows) {
      EXPECT_NE(std::find(pool.begin(), pool.end(), row), pool.end());
    }
  }
}

// Close together rows are sorted by bits; those far apart, or there twice, by comparisons.
TEST(DrawSet, HalvesOfAnyPoolAscend) {
  const std::vector<std::uint32_t> pools[] = {
      numbers(300), {4'000'000'000, 3, 64, 63, 128, 70'000}, {5, 2, 2, 5, 9, 2, 5, 130}};
  for (const std::vector<std::uint32_t>& pool : pools) {
    Stream stream(2, "test.draw.any");
    const HalvedSet set = draw_set(pool, pool.size(), stream);
    EXPECT_TRUE(std::is_sorted(set.first.begin(), set.first.end()));
    EXPECT_TRUE(std::is_sorted(set.second.begin(), set.second.end()));
    std::vector<std::uint32_t> rows = set.first, expected = pool;
    rows.insert(rows.end(), set.second.begin(), set.second.end());
    std::sort(rows.begin(), rows.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(rows, expected);
  }
}

TEST(DrawSet, OddSizeLosesItsLastRow) {
  Stream stream(1, "test.draw");
  EXPECT_EQ(draw_set(numbers(9), 7, stream).size(), 6U);
  const HalvedSet set = halve(std::vector<std::uint32_t>{5, 3, 8, 1, 9});
  EXPECT_EQ(set.first, (std::vector<std::uint32_t>{5, 3}));
  EXPECT_EQ(set.second, (std::vector<std::uint32_t>{8, 1}));
}

TEST(DrawSet, RefusesFewerThanFourRows) {
  Stream stream(1, "test.draw");
  EXPECT_THROW(draw_set(numbers(9), 3, stream), InputError);
  EXPECT_THROW(draw_set(numbers(9), 10, stream), InputError);
}

TEST(SplitHalfDependence, MatchesTheLiteralAlgorithm) {
  const Matrix activations = random_matrix(50, 6, 1);
  const auto sets = some_sets(50, 30, 3);
  const auto results =
      split_half_dependence(activations, sets, {.sigma = 2, .shuffles = 10, .seed = 4});
  ASSERT_EQ(results.size(), 3U);
  for (std::size_t index = 0; index < sets.size(); ++index) {
    Stream stream(4, "sde.shuffle", index);
    const Permutations permutations = random_permutations(15, 10, stream);
    for (std::size_t t = 0; t < 10; ++t) {
      std::vector<std::uint32_t> shuffled;
      for (const std::uint32_t i : permutations.at(t)) shuffled.push_back(sets[index].second[i]);
      const double literal =
          hsic(rbf_kernel(activations, 2, sets[index].first), rbf_kernel(activations, 2, shuffled));
      EXPECT_NEAR(results[index].values[t], literal, 1e-14);
    }
  }
}

TEST(SplitHalfDependence, OneKernelMatrixOrManyGiveTheSame) {
  const Matrix activations = random_matrix(700, 20, 2);
  const auto sets = some_sets(700, 300, 4);
  DependenceOptions options{.shuffles = 30};
  options.share = 1;
  const auto whole = split_half_dependence(activations, sets, options);
  options.share = -1;
  const auto pieces = split_half_dependence(activations, sets, options);
  for (std::size_t index = 0; index < sets.size(); ++index) {
    EXPECT_NEAR(whole[index].moments.mean, pieces[index].moments.mean,
                1e-12 * whole[index].moments.mean);
    for (std::size_t t = 0; t < 30; ++t) {
      EXPECT_NEAR(whole[index].values[t], pieces[index].values[t], 1e-7 * whole[index].values[t]);
    }
  }
}

TEST(SplitHalfDependence, SameBytesForOneAndTwoThreads) {
  const Matrix activations = random_matrix(400, 16, 3);
  const auto sets = some_sets(400, 300, 6);
  for (const int whole : {-1, 1}) {
    const auto one = Context({.threads = 1}).run([&] {
      return split_half_dependence(activations, sets, {.shuffles = 20, .share = whole});
    });
    const auto two = Context({.threads = 2}).run([&] {
      return split_half_dependence(activations, sets, {.shuffles = 20, .share = whole});
    });
    for (std::size_t index = 0; index < sets.size(); ++index) {
      EXPECT_EQ(one[index].values, two[index].values);
      EXPECT_EQ(one[index].moments.mean, two[index].moments.mean);
      EXPECT_EQ(one[index].moments.variance, two[index].moments.variance);
    }
  }
}

TEST(SplitHalfDependence, MeasuresKernelDispersion) {
  // No pairing survives the shuffles: the mean is tr(HKH) tr(HLH) / (n - 1)^3, which is
  // (1 - k1) (1 - k2) / (n - 1) with the mean kernel values of the halves, and grows with the
  // spread of the rows. kernel_mean is the average of k1 and k2, which differ by a few per cent.
  const auto sets = some_sets(400, 200, 5);
  double previous = 0;
  for (const double scale : {0.2, 0.5, 1.0}) {
    const auto results =
        split_half_dependence(random_matrix(400, 10, 4, scale), sets, {.shuffles = 200});
    for (const Dependence& set : results) {
      const double share = 1 - set.kernel_mean;
      EXPECT_NEAR(set.moments.mean, share * share / 99, 0.02 * set.moments.mean);
      const double error = std::sqrt(set.moments.variance / 200);
      EXPECT_NEAR(mean(set.values), set.moments.mean, 5 * error);
    }
    EXPECT_GT(results.front().moments.mean, previous);
    previous = results.front().moments.mean;
  }
}

TEST(SplitHalfDependence, ConstantActivationsGiveZero) {
  const auto results = split_half_dependence(Matrix(300, 7), some_sets(300, 280, 2), {});
  for (const Dependence& set : results) {
    EXPECT_EQ(set.values, std::vector<double>(200, 0.0));
    EXPECT_EQ(set.moments.mean, 0);
    EXPECT_EQ(set.kernel_mean, 1);
    EXPECT_TRUE(degenerate_kernel(set.kernel_mean));
  }
  EXPECT_FALSE(references_differ(results[0].values, results[1].values));
}

TEST(SplitHalfDependence, RefusesBadSets) {
  const Matrix activations = random_matrix(10, 2, 5);
  EXPECT_THROW(split_half_dependence(activations, std::vector<HalvedSet>{{{0, 1}, {2}}}, {}),
               InputError);
  EXPECT_THROW(split_half_dependence(activations, std::vector<HalvedSet>{{{0, 1}, {2, 10}}}, {}),
               InputError);
}

TEST(Degenerate, OnlyAtTheEnds) {
  EXPECT_TRUE(degenerate_kernel(0.995));
  EXPECT_TRUE(degenerate_kernel(0.005));
  EXPECT_FALSE(degenerate_kernel(0.5));
}

TEST(Verdict, NearerReferenceWinsAndTiesCountAsOut) {
  std::vector<double> low, high, between;
  for (int i = 0; i < 100; ++i) {
    low.push_back(i);
    between.push_back(i + 30);
    high.push_back(i + 100);
  }
  EXPECT_TRUE(judge_by_jsd(between, low, high).in_training);
  EXPECT_FALSE(judge_by_jsd(between, high, low).in_training);
  const std::vector<double> far(100, 1e6);
  const SetVerdict tie = judge_by_jsd(far, low, high);
  EXPECT_FALSE(tie.in_training);
  EXPECT_TRUE(tie.tie);
  EXPECT_TRUE(judge_by_mean(1, 2, 4).in_training);
  EXPECT_FALSE(judge_by_mean(3, 2, 4).in_training);
  EXPECT_TRUE(judge_by_mean(3, 2, 4).tie);
  EXPECT_FALSE(judge_by_mean(3.5, 2, 4).in_training);
}

// Algorithm 1 word by word with each kernel: K, L, H K H L and the trace, and the exact mean from
// every shuffle of three rows. Sharing one kernel matrix leaves a set's H as it is, although the
// mean that a linear kernel takes away is then that of more rows.
TEST(SplitHalfDependence, LaplaceAndLinearMatchTheLiteralAlgorithm) {
  const Matrix rows = random_matrix(12, 5, 9);
  const HalvedSet set{{0, 1, 2}, {3, 4, 5}};
  const HalvedSet more{{6, 7, 8}, {9, 10, 11}};
  for (const KernelShape shape : {KernelShape::laplace, KernelShape::linear}) {
    const auto kernel = [&](const std::vector<std::uint32_t>& half, std::size_t i, std::size_t j) {
      double product = 0, squared = 0;
      for (std::size_t col = 0; col < 5; ++col) {
        product += rows(half[i], col) * rows(half[j], col);
        squared += std::pow(rows(half[i], col) - rows(half[j], col), 2);
      }
      return shape == KernelShape::linear ? product : std::exp(-std::sqrt(squared) / 2);
    };
    const auto centred = [&](const std::vector<std::uint32_t>& half, std::size_t i, std::size_t j) {
      double row = 0, column = 0, all = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        row += kernel(half, i, k) / 3;
        column += kernel(half, k, j) / 3;
        for (std::size_t m = 0; m < 3; ++m) all += kernel(half, k, m) / 9;
      }
      return kernel(half, i, j) - row - column + all;
    };
    double sum = 0;
    std::vector<std::size_t> order{0, 1, 2};
    do {
      double trace = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          trace += centred(set.first, i, j) * centred(set.second, order[i], order[j]);
        }
      }
      sum += trace / 4;  // (n - 1)^2
    } while (std::next_permutation(order.begin(), order.end()));
    for (const int share : {-1, 1}) {
      const HalvedSet sets[] = {set, more};
      const auto found = split_half_dependence(
          rows, sets, {.sigma = 2, .shuffles = 6, .share = share, .kernel = shape});
      EXPECT_NEAR(found[0].moments.mean, sum / 6, 1e-12);
    }
  }
}

// Plain oracles: KL of the 20 smoothed bins by numpy's histogram rule, Wasserstein of equal sizes
// as the mean distance of sorted values and, for unequal ones, of values repeated to a common size.
TEST(Verdict, DivergencesAgainstPlainOnes) {
  Stream stream(3, "sde_test.divergences");
  for (int draw = 0; draw < 20; ++draw) {
    std::vector<double> x(60), y(draw % 2 == 0 ? 60 : 40);
    for (double& value : x) value = stream.normal();
    for (double& value : y) value = 1 + 2 * stream.normal();
    const auto [low, high] = [&] {
      const auto [x0, x1] = std::minmax_element(x.begin(), x.end());
      const auto [y0, y1] = std::minmax_element(y.begin(), y.end());
      return std::pair(std::min(*x0, *y0), std::max(*x1, *y1));
    }();
    std::vector<double> p(20, 0.5), q(20, 0.5);
    const auto count = [&, low = low, high = high](const std::vector<double>& from,
                                                   std::vector<double>& into) {
      for (const double value : from) {
        const auto bin = static_cast<std::size_t>((value - low) / (high - low) * 20);
        into[std::min<std::size_t>(bin, 19)] += 1;
      }
      for (double& share : into) share /= static_cast<double>(from.size()) + 10;
    };
    count(x, p);
    count(y, q);
    double kl = 0;
    for (std::size_t bin = 0; bin < 20; ++bin) kl += p[bin] * std::log(p[bin] / q[bin]);
    EXPECT_NEAR(set_divergence(x, y, SetDivergence::kl), kl, 1e-12);
    const auto repeated = [](std::vector<double> from, std::size_t size) {
      std::sort(from.begin(), from.end());
      std::vector<double> all;
      for (const double value : from) all.insert(all.end(), size / from.size(), value);
      return all;
    };
    const std::vector<double> left = repeated(x, 120), right = repeated(y, 120);
    double moved = 0;
    for (std::size_t i = 0; i < 120; ++i) moved += std::abs(left[i] - right[i]) / 120;
    EXPECT_NEAR(set_divergence(x, y, SetDivergence::wasserstein), moved, 1e-12);
    EXPECT_EQ(set_divergence(x, x, SetDivergence::wasserstein), 0);
    EXPECT_EQ(set_divergence(x, x, SetDivergence::kl), 0);
  }
  // By hand: {0, 2} to {1, 5} moves 1 and 3.
  EXPECT_EQ(set_divergence(std::vector<double>{2, 0}, std::vector<double>{1, 5},
                           SetDivergence::wasserstein),
            2);
  EXPECT_TRUE(std::isnan(set_divergence({}, std::vector<double>{1}, SetDivergence::kl)));
}

// All three call the nearer reference; a far target, for which JSD and KL see two disjoint
// histograms, is decided by Wasserstein alone.
TEST(Verdict, FarTargetsAreDecidedByWasserstein) {
  std::vector<double> low, high, between, far;
  for (int i = 0; i < 100; ++i) {
    low.push_back(i);
    between.push_back(i + 30);
    high.push_back(i + 100);
    far.push_back(1e6);
  }
  for (const SetDivergence divergence :
       {SetDivergence::jsd, SetDivergence::kl, SetDivergence::wasserstein}) {
    EXPECT_TRUE(judge(between, low, high, divergence).in_training) << name(divergence);
    EXPECT_FALSE(judge(between, high, low, divergence).in_training) << name(divergence);
  }
  EXPECT_TRUE(judge(far, low, high, SetDivergence::jsd).tie);
  EXPECT_TRUE(judge(far, high, low, SetDivergence::wasserstein).in_training);
}

// The distance of means: any function of two samples will do.
TEST(Verdict, DivergencesOfOnesOwn) {
  const Divergence of_means = [](std::span<const double> target,
                                 std::span<const double> reference) {
    return std::abs(mean(target) - mean(reference));
  };
  const std::vector<double> low{1, 2, 3}, high{9, 10, 11}, between{4, 5};
  EXPECT_TRUE(judge(between, low, high, of_means).in_training);
  EXPECT_FALSE(judge(between, high, low, of_means).in_training);
  EXPECT_TRUE(judge(std::vector<double>{6}, low, high, of_means).tie);  // 4 from both
}

// The kernels that split_half_dependence makes itself, handed over as matrices.
TEST(Dependence, OfKernelsIsThatOfTheirRows) {
  Stream stream(3, "of kernels");
  for (const std::size_t half : {8U, 150U}) {  // above 128 rows sums are taken in floats
    Matrix rows(4 * half, 3);
    for (double& value : rows.values()) value = stream.normal();
    std::vector<std::uint32_t> pool(rows.rows());
    std::iota(pool.begin(), pool.end(), 0U);
    const std::vector<HalvedSet> sets{draw_set(pool, 2 * half, stream),
                                      draw_set(pool, 2 * half, stream)};
    const DependenceOptions options{.sigma = 2, .shuffles = 50, .seed = 5, .purpose = "p"};
    const std::vector<Dependence> wanted = split_half_dependence(rows, sets, options);
    for (std::size_t index = 0; index < sets.size(); ++index) {
      const Dependence found =
          dependence_of_kernels(rbf_kernel(rows, 2, sets[index].first),
                                rbf_kernel(rows, 2, sets[index].second), options, index);
      EXPECT_NEAR(found.moments.mean, wanted[index].moments.mean, 1e-15);
      ASSERT_EQ(found.values.size(), 50U);
      for (std::size_t shuffle = 0; shuffle < 50; ++shuffle) {
        EXPECT_NEAR(found.values[shuffle], wanted[index].values[shuffle],
                    1e-9 * wanted[index].values[shuffle]);
      }
    }
  }
  EXPECT_THROW(dependence_of_kernels(Matrix(3, 3), Matrix(4, 4), {}), InputError);
}

Dependence shifted(double centre) {
  Dependence result;
  for (int i = 0; i < 200; ++i) result.values.push_back(centre + 0.01 * i);
  result.moments.mean = centre;
  return result;
}

TEST(Verdict, PairsMustShowMoreDependenceInTraining) {
  const std::vector<Dependence> targets{shifted(1.1), shifted(4.8)};
  const std::vector<Dependence> ins{shifted(5), shifted(1), shifted(3)};
  const std::vector<Dependence> outs{shifted(1), shifted(5), shifted(3)};
  const auto pairs = judge_by_shuffles(targets, ins, outs);
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_TRUE(pairs[0].passed);
  EXPECT_FALSE(pairs[1].passed);  // the wrong way round
  EXPECT_FALSE(pairs[2].passed);  // no difference
  EXPECT_FALSE(pairs[0].verdicts[0].in_training);
  EXPECT_TRUE(pairs[0].verdicts[1].in_training);
  const auto means = judge_by_mean(targets, ins, outs);
  EXPECT_TRUE(means[0].passed && !means[1].passed && !means[2].passed);
  EXPECT_FALSE(means[0].verdicts[0].in_training);
  EXPECT_TRUE(means[0].verdicts[1].in_training);
}

PairVerdicts pair_of(std::vector<int> in_training) {
  PairVerdicts pair{true, {}};
  for (const int in : in_training) pair.verdicts.push_back({in != 0, false});
  return pair;
}

TEST(OutOfTrainingRate, MeanAndSpreadOverPassedPairs) {
  const std::vector<PairVerdicts> pairs{
      pair_of({0, 0, 1, 1}), {false, {}}, pair_of({0, 0, 0, 1}), pair_of({1, 1, 1, 1})};
  const OverPairs rate = out_of_training_rate(pairs);
  EXPECT_EQ(rate.passed, 3U);
  EXPECT_DOUBLE_EQ(rate.mean, (0.5 + 0.75 + 0) / 3);
  // numpy.quantile([0, 0.5, 0.75], 0.025) = 0.025, (..., 0.975) = 0.7375.
  EXPECT_NEAR(rate.lower, 0.025, 1e-15);
  EXPECT_NEAR(rate.upper, 0.7375, 1e-15);
  EXPECT_TRUE(std::isnan(rate.per_pair[1]));
  EXPECT_FALSE(rate.inconclusive());
}

TEST(OutOfTrainingRate, InconclusiveBelowHalf) {
  const PairVerdicts failed{false, {}};
  EXPECT_TRUE(
      out_of_training_rate(std::vector<PairVerdicts>{pair_of({0}), failed, failed}).inconclusive());
  EXPECT_FALSE(
      out_of_training_rate(std::vector<PairVerdicts>{pair_of({0}), failed}).inconclusive());
  EXPECT_TRUE(out_of_training_rate({}).inconclusive());
  EXPECT_TRUE(std::isnan(out_of_training_rate(std::vector<PairVerdicts>{failed}).mean));
}

TEST(F1, ByHand) {
  // Members 0..2 judged in, in, out; others judged in, out, out: TP 2, FP 1, FN 1, F1 = 4 / 6.
  const OverPairs score = f1_score(std::vector<PairVerdicts>{pair_of({1, 1, 0, 1, 0, 0})}, 3);
  EXPECT_DOUBLE_EQ(score.mean, 4.0 / 6);
  EXPECT_TRUE(std::isnan(score.lower));
  // No positives, none claimed: nothing to score.
  const std::vector<SetVerdict> none(2);
  EXPECT_TRUE(std::isnan(f1_of(none, std::vector<std::size_t>{0, 1}, 0)));
}

TEST(SplitHalfDependence, GroupsOverOneKernelAreTheirOwn) {
  const Matrix activations = random_matrix(400, 16, 5);
  const auto sets = some_sets(400, 300, 5);
  const SetGroup groups[] = {{std::span(sets).first(3), "one"},
                             {std::span(sets).subspan(3), "two"}};
  const auto together = split_half_dependence(activations, groups, {.shuffles = 20, .share = 1});
  ASSERT_EQ(together.size(), 2U);
  for (std::size_t group = 0; group < 2; ++group) {
    const auto alone =
        split_half_dependence(activations, groups[group].sets,
                              {.shuffles = 20, .purpose = groups[group].purpose, .share = 1});
    ASSERT_EQ(together[group].size(), alone.size());
    for (std::size_t index = 0; index < alone.size(); ++index) {
      EXPECT_EQ(together[group][index].values, alone[index].values);
      EXPECT_EQ(together[group][index].moments.variance, alone[index].moments.variance);
    }
  }
}

// Halves of 60 rows are shuffled in double, of 150 together, of 520 one by one; the fourth model
// has collapsed, the fifth has other columns.
TEST(SplitHalfDependence, ModelsTogetherHaveTheBytesOfEachAlone) {
  for (const std::size_t size : {120U, 300U, 1040U}) {
    std::vector<Matrix> activations;
    for (std::uint64_t index = 0; index < 5; ++index) {
      activations.push_back(random_matrix(1200, index == 4 ? 9 : 16, index, index == 3 ? 0 : 1));
    }
    std::vector<ModelRows> models;
    for (const Matrix& rows : activations) {
      models.push_back({rows, models.size() == 1 ? 3.0 : 0.0});
    }
    const auto sets = some_sets(1200, size, 4);
    const SetGroup groups[] = {{std::span(sets).first(3), "one"},
                               {std::span(sets).subspan(3), "two"}};
    for (const int share : {-1, 1}) {
      DependenceOptions options{.shuffles = 20, .share = share};
      const auto together = split_half_dependence(models, groups, options);
      ASSERT_EQ(together.size(), models.size());
      for (std::size_t model = 0; model < models.size(); ++model) {
        options.sigma = models[model].sigma;
        const auto alone = split_half_dependence(activations[model], groups, options);
        for (std::size_t group = 0; group < 2; ++group) {
          ASSERT_EQ(together[model][group].size(), groups[group].sets.size());
          for (std::size_t index = 0; index < groups[group].sets.size(); ++index) {
            const Dependence &left = together[model][group][index], &right = alone[group][index];
            EXPECT_EQ(left.values, right.values);
            EXPECT_EQ(left.moments.mean, right.moments.mean);
            EXPECT_EQ(left.kernel_mean, right.kernel_mean);
            EXPECT_EQ(left.values.front() == 0, model == 3);
          }
        }
      }
    }
  }
}

// Controls without enough rows have none.
TEST(SplitHalfDependence, GroupsMayBeEmpty) {
  const Matrix activations = random_matrix(40, 5, 6);
  const auto sets = some_sets(40, 20, 1);
  const SetGroup groups[] = {{{}, "none"}, {sets, "some"}};
  for (const int share : {-1, 0, 1}) {
    const auto found = split_half_dependence(activations, groups, {.shuffles = 20, .share = share});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_TRUE(found[0].empty());
    EXPECT_EQ(found[1].size(), 1U);
  }
}

TEST(SplitHalfDependence, RowsInAnyOrder) {
  // halve() keeps the order of the array, which need not be ascending.
  const Matrix activations = random_matrix(40, 5, 6);
  const std::vector<HalvedSet> sets{
      halve(std::vector<std::uint32_t>{31, 2, 17, 8, 25, 1, 39, 12, 0, 33})};
  const auto whole = split_half_dependence(activations, sets, {.shuffles = 20, .share = 1});
  const auto pieces = split_half_dependence(activations, sets, {.shuffles = 20, .share = -1});
  for (std::size_t t = 0; t < 20; ++t) {
    EXPECT_NEAR(whole[0].values[t], pieces[0].values[t], 1e-13);
  }
}

}  // namespace
}  // namespace vestige::metrics
