// vestige.metrics: kernels, HSIC, split-half dependence, MMD and Wasserstein distances.
#include "python/bindings/module.h"
#include "python/bindings/result.h"
#include "vestige/metrics/kernels/hsic.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/mmd.h"
#include "vestige/metrics/sde/sde.h"
#include "vestige/metrics/sde/wasserstein.h"

namespace vestige::python {
namespace {

using namespace vestige::metrics;

/// Two samples with the same columns.
template <typename Function>
auto two_matrices(Function function) {
  return [function](const Doubles& x, const Doubles& y, auto option) {
    const MatrixView a = matrix_of(x, "x");
    const MatrixView b = matrix_of(y, "y");
    require(a.cols == b.cols, "x has {} columns and y has {}: both must have the same", a.cols,
            b.cols);
    return unlocked([&] { return function(a, b, option); });
  };
}

std::vector<HalvedSet> halved(const std::vector<AnyArray>& sets, std::size_t rows) {
  std::vector<HalvedSet> result;
  for (const AnyArray& set : sets) {
    const Integers<std::int64_t> given(set, "sets");
    std::vector<std::uint32_t> numbers;
    for (const std::int64_t row : given.span()) {
      require(row >= 0 && static_cast<std::size_t>(row) < rows,
              "sets name row {}: activations have the rows 0 to {}", row, rows - 1);
      numbers.push_back(static_cast<std::uint32_t>(row));
    }
    require(numbers.size() >= 4, "a set has {} rows: give at least 4", numbers.size());
    result.push_back(halve(numbers));
  }
  return result;
}

void add_dependence(py::module_& m) {
  Result<PermutationMoments>(m, "PermutationMoments", "Over all permutations.")
      .field("mean", &PermutationMoments::mean, "exact")
      .field("variance", &PermutationMoments::variance, "exact; needs 4 rows");
  Result<Dependence>(m, "Dependence", "HSIC between the halves of one set over shuffles.")
      .field("values", &Dependence::values, "one per shuffle")
      .field("moments", &Dependence::moments, "PermutationMoments")
      .field("kernel_mean", &Dependence::kernel_mean, "mean of both kernels off the diagonal");
  Result<SetVerdict>(m, "SetVerdict", "One in/out verdict.")
      .field("in_training", &SetVerdict::in_training, "nearer to the in-training reference")
      .field("tie", &SetVerdict::tie, "both references equally far: counts as out");
  Result<PairVerdicts>(m, "PairVerdicts", "What one reference pair says about the targets.")
      .field("passed", &PairVerdicts::passed, "the pair meets its precondition")
      .field("verdicts", &PairVerdicts::verdicts, "one per target; empty if it does not");
  Result<OverPairs>(m, "OverPairs", "A share or score per reference pair.")
      .field("per_pair", &OverPairs::per_pair, "nan for pairs that did not pass")
      .field("passed", &OverPairs::passed, "pairs")
      .field("ties", &OverPairs::ties, "over all passed pairs")
      .field("verdicts", &OverPairs::verdicts, "over all passed pairs")
      .field("mean", &OverPairs::mean, "over passed pairs")
      .field("lower", &OverPairs::lower, "2.5 % quantile over passed pairs")
      .field("upper", &OverPairs::upper, "97.5 % quantile over passed pairs")
      .type()
      .def("inconclusive", &OverPairs::inconclusive, "Fewer than half of the pairs passed.");
  m.def(
      "split_half_dependence",
      [](const Doubles& activations, const std::vector<AnyArray>& sets, double sigma,
         std::size_t shuffles, std::uint64_t seed) {
        const MatrixView values = matrix_of(activations, "activations");
        const std::vector<HalvedSet> halves = halved(sets, values.rows);
        return unlocked([&] {
          return split_half_dependence(values, std::span<const HalvedSet>(halves),
                                       {.sigma = sigma, .shuffles = shuffles, .seed = seed});
        });
      },
      py::arg("activations"), py::arg("sets"), py::kw_only(), py::arg("sigma") = 0.,
      py::arg("shuffles") = 200, py::arg("seed") = 1,
      "H of every set of row numbers, its first half against its second; sigma 0: sqrt(columns).");
  using List = const std::vector<Dependence>&;
  m.def(
      "judge_by_jsd",
      [](List targets, List ins, List outs) {
        require_same(ins.size(), "ins", outs.size(), "outs");
        return judge_by_shuffles(std::span<const Dependence>(targets),
                                 std::span<const Dependence>(ins),
                                 std::span<const Dependence>(outs));
      },
      py::arg("targets"), py::arg("ins"), py::arg("outs"),
      "Every reference pair on every target, by the shuffled distributions.");
  m.def(
      "judge_by_mean",
      [](List targets, List ins, List outs) {
        require_same(ins.size(), "ins", outs.size(), "outs");
        return judge_by_mean(std::span<const Dependence>(targets), std::span<const Dependence>(ins),
                             std::span<const Dependence>(outs));
      },
      py::arg("targets"), py::arg("ins"), py::arg("outs"), "The same by exact means.");
  m.def(
      "out_of_training_rate",
      [](const std::vector<PairVerdicts>& pairs) { return out_of_training_rate(pairs); },
      py::arg("pairs"), "OTR: the share of targets judged out of training.");
  m.def(
      "f1_score",
      [](const std::vector<PairVerdicts>& pairs, std::size_t members) {
        return f1_score(pairs, members);
      },
      py::arg("pairs"), py::arg("members"),
      "F1 with in-training as the positive class; the first `members` targets are positives.");
}

}  // namespace

void add_kernels(py::module_& m) {
  m.def(
      "rbf_kernel",
      [](const Doubles& values, double sigma) {
        const MatrixView rows = matrix_of(values, "values");
        require(sigma > 0, "sigma is {}: it must be above 0", sigma);
        return numpy_of(unlocked([&] { return rbf_kernel(rows, sigma); }));
      },
      py::arg("values"), py::arg("sigma"), "Kernel of every row with every row, [n, n].");
  m.def(
      "median_distance",
      [](const Doubles& values) {
        const MatrixView rows = matrix_of(values, "values");
        return unlocked([&] { return median_distance(rows); });
      },
      py::arg("values"), "Median Euclidean distance over all pairs of rows.");
  m.def(
      "hsic",
      [](const Doubles& k, const Doubles& l) {
        const MatrixView a = matrix_of(k, "k");
        const MatrixView b = matrix_of(l, "l");
        require(a.rows == a.cols && b.rows == b.cols && a.rows == b.rows && a.rows >= 2,
                "k is {} x {} and l is {} x {}: both must be n x n kernels, n at least 2", a.rows,
                a.cols, b.rows, b.cols);
        return unlocked([&] { return hsic(a, b); });
      },
      py::arg("k"), py::arg("l"), "HSIC of two kernel matrices, Tr(KHLH) / (n - 1)^2.");
  add_dependence(m);
  const auto mmd = two_matrices([](auto x, auto y, double sigma) {
    require(sigma > 0, "sigma is {}: it must be above 0", sigma);
    return mmd_squared(x, y, sigma);
  });
  m.def(
      "mmd_squared",
      [mmd](const Doubles& x, const Doubles& y, double sigma) { return mmd(x, y, sigma); },
      py::arg("x"), py::arg("y"), py::arg("sigma"),
      "Unbiased MMD^2 with an RBF kernel; may be negative.");
  const auto sliced = two_matrices(
      [](auto x, auto y, std::size_t slices) { return sliced_wasserstein(x, y, slices); });
  m.def(
      "sliced_wasserstein",
      [sliced](const Doubles& x, const Doubles& y, std::size_t slices) {
        return sliced(x, y, slices);
      },
      py::arg("x"), py::arg("y"), py::arg("slices") = 200,
      "Mean Wasserstein-1 distance of projections on fixed directions.");
}

}  // namespace vestige::python
