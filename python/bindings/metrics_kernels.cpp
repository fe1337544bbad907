// vestige.metrics: kernels, HSIC, split-half dependence, MMD and Wasserstein distances.
#include <cmath>
#include <numeric>
#include <string>

#include "python/bindings/module.h"
#include "python/bindings/result.h"
#include "vestige/metrics/kernels/hsic.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/mmd.h"
#include "vestige/metrics/sde/sde.h"
#include "vestige/metrics/sde/set_options.h"
#include "vestige/metrics/sde/wasserstein.h"

namespace vestige::python {
namespace {

using namespace vestige::metrics;

void require_finite(MatrixView values, const char* name) {
  for (std::size_t row = 0; row < values.rows; ++row) {
    for (const double value : values.row(row)) {
      require(std::isfinite(value), "{}[{}] holds {}: give finite numbers", name, row, value);
    }
  }
}

/// Two samples with the same columns.
template <typename Function>
auto two_matrices(Function function) {
  return [function](const Doubles& x, const Doubles& y, auto option) {
    const MatrixView a = matrix_of(x, "x");
    const MatrixView b = matrix_of(y, "y");
    require(a.cols == b.cols, "x has {} columns and y has {}: both must have the same", a.cols,
            b.cols);
    require_finite(a, "x");
    require_finite(b, "y");
    return unlocked([&] { return function(a, b, option); });
  };
}

/// The whole sample as one set: what many sets are measured with is the fast way for one, too.
RowSet all_rows(std::size_t count) {
  RowSet rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
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

KernelShape kernel_named(const std::string& name) {
  for (const KernelShape shape : {KernelShape::rbf, KernelShape::laplace, KernelShape::linear}) {
    if (metrics::name(shape) == name) return shape;
  }
  fail("kernel '{}' is unknown: give rbf, laplace or linear", name);
}

SetDivergence divergence_named(const std::string& name) {
  for (const SetDivergence divergence :
       {SetDivergence::jsd, SetDivergence::kl, SetDivergence::wasserstein}) {
    if (metrics::name(divergence) == name) return divergence;
  }
  fail("divergence '{}' is unknown: give jsd, kl or wasserstein, or a function of two samples",
       name);
}

/// What a function of the user returns for two samples of H, which it cannot change.
double divergence_of(const py::object& divergence, std::span<const double> target,
                     std::span<const double> reference) {
  const auto sample = [](std::span<const double> values) {
    py::array_t<double> array(static_cast<py::ssize_t>(values.size()), values.data());
    array.attr("setflags")(py::arg("write") = false);
    return array;
  };
  const py::object found = divergence(sample(target), sample(reference));
  double value = kUndefined;
  try {
    value = py::float_(found);
  } catch (const py::error_already_set&) {
    fail("divergence returned {}: return one number", py::repr(found).cast<std::string>());
  }
  require(std::isfinite(value) && value >= 0,
          "divergence returned {}: return a finite number, 0 or more", value);
  return value;
}

/// Sets for functions of the user: drawn as audits draw them, measured by their kernels, judged by
/// their divergences.
void add_own_dependence(py::module_& m) {
  m.def(
      "draw_sets",
      [](std::size_t rows, std::size_t size, std::size_t count, std::uint64_t seed,
         const std::string& purpose) {
        require(size >= 4 && size <= rows,
                "sets of {} rows from {}: give at least 4 and at most as many as there are", size,
                rows);
        std::vector<std::uint32_t> pool(rows);
        std::iota(pool.begin(), pool.end(), 0U);
        py::list sets;
        for (std::size_t index = 0; index < count; ++index) {
          Stream stream(seed, purpose, index);
          const HalvedSet set = draw_set(pool, size, stream);
          std::vector<std::int64_t> both(set.first.begin(), set.first.end());
          both.insert(both.end(), set.second.begin(), set.second.end());
          sets.append(numpy_of(std::move(both)));
        }
        return sets;
      },
      py::arg("rows"), py::arg("size"), py::arg("count"), py::kw_only(), py::arg("seed") = 1,
      py::arg("purpose") = "sde.set.forget",
      "Row numbers of sets, the first half of each before the second; audits draw theirs for "
      "sde.set.forget, sde.set.retain and sde.set.test.");
  m.def(
      "kernel_dependence",
      [](const Doubles& k, const Doubles& l, std::size_t shuffles, std::uint64_t seed,
         const std::string& purpose, std::size_t index) {
        const MatrixView first = matrix_of(k, "k");
        const MatrixView second = matrix_of(l, "l");
        return unlocked([&] {
          return dependence_of_kernels(
              first, second, {.shuffles = shuffles, .seed = seed, .purpose = purpose}, index);
        });
      },
      py::arg("k"), py::arg("l"), py::kw_only(), py::arg("shuffles") = 200, py::arg("seed") = 1,
      py::arg("purpose") = "sde.shuffle", py::arg("index") = 0,
      "H of one set from the kernel matrices of its halves; `index` counts the sets of a purpose.");
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
         std::size_t shuffles, std::uint64_t seed, const std::string& kernel,
         const std::string& purpose) {
        const MatrixView values = matrix_of(activations, "activations");
        const std::vector<HalvedSet> halves = halved(sets, values.rows);
        const KernelShape shape = kernel_named(kernel);
        return unlocked([&] {
          return split_half_dependence(values, std::span<const HalvedSet>(halves),
                                       {.sigma = sigma,
                                        .shuffles = shuffles,
                                        .seed = seed,
                                        .purpose = purpose,
                                        .kernel = shape});
        });
      },
      py::arg("activations"), py::arg("sets"), py::kw_only(), py::arg("sigma") = 0.,
      py::arg("shuffles") = 200, py::arg("seed") = 1, py::arg("kernel") = "rbf",
      py::arg("purpose") = "sde.shuffle",
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
      "judge_by_divergence",
      [](List targets, List ins, List outs, const py::object& divergence) {
        require_same(ins.size(), "ins", outs.size(), "outs");
        const std::span<const Dependence> of(targets), in(ins), out(outs);
        if (py::isinstance<py::str>(divergence)) {
          const SetDivergence named = divergence_named(divergence.cast<std::string>());
          return unlocked([&] { return judge_by_shuffles(of, in, out, named); });
        }
        require(PyCallable_Check(divergence.ptr()) != 0,
                "divergence is {}: give jsd, kl, wasserstein, or a function of two samples",
                py::repr(divergence).cast<std::string>());
        return judge_by_shuffles(
            of, in, out,
            Divergence([&](std::span<const double> target, std::span<const double> reference) {
              return divergence_of(divergence, target, reference);
            }));
      },
      py::arg("targets"), py::arg("ins"), py::arg("outs"), py::arg("divergence") = "jsd",
      "The same by jsd, kl or wasserstein, or by a function of two samples of H that returns 0 or "
      "more.");
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
  add_own_dependence(m);
  const auto mmd = two_matrices([](auto x, auto y, double sigma) {
    require(sigma > 0 && std::isfinite(sigma), "sigma is {}: it must be above 0", sigma);
    if (x.rows < 2 || y.rows < 2) return kUndefined;
    const RowSet left = all_rows(x.rows), right = all_rows(y.rows);
    return mmd_squared_between(x, {&left, 1}, y, {&right, 1}, sigma)(0, 0);
  });
  m.def(
      "mmd_squared",
      [mmd](const Doubles& x, const Doubles& y, double sigma) { return mmd(x, y, sigma); },
      py::arg("x"), py::arg("y"), py::arg("sigma"),
      "Unbiased MMD^2 with an RBF kernel; may be negative.");
  const auto sliced = two_matrices([](auto x, auto y, std::size_t slices) {
    if (x.rows == 0 || y.rows == 0) return kUndefined;
    const RowSet left = all_rows(x.rows), right = all_rows(y.rows);
    return sliced_wasserstein_between(x, {&left, 1}, y, {&right, 1}, slices)(0, 0);
  });
  m.def(
      "sliced_wasserstein",
      [sliced](const Doubles& x, const Doubles& y, std::size_t slices) {
        return sliced(x, y, slices);
      },
      py::arg("x"), py::arg("y"), py::arg("slices") = 200,
      "Mean Wasserstein-1 distance of projections on fixed directions.");
}

}  // namespace vestige::python
