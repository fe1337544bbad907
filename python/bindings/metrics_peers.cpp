// vestige.metrics: numbers that other tools print (docs/metrics/peers.md).
#include <algorithm>
#include <utility>

#include "python/bindings/module.h"
#include "python/bindings/result.h"
#include "vestige/metrics/closeness/closeness.h"
#include "vestige/metrics/klom/klom.h"
#include "vestige/metrics/one_run/one_run.h"
#include "vestige/metrics/returns/returns.h"
#include "vestige/metrics/smi/smi.h"
#include "vestige/metrics/ulira/ulira.h"

namespace vestige::python {
namespace {

using namespace vestige::metrics;

void add_peer_results(py::module_& m) {
  Result<Closeness>(m, "Closeness", "How near the answers of two models are, row by row.")
      .field("agreement", &Closeness::agreement, "1 where both give the same class")
      .field("distance", &Closeness::distance, "Euclidean, of probabilities")
      .field("divergence", &Closeness::divergence, "Jensen-Shannon, in nats");
  Result<Ulira>(m, "Ulira", "Unlearned and retrained models told apart, row by row.")
      .field("accuracy", &Ulira::accuracy, "share of models told right")
      .field("auc", &Ulira::auc, "chance that an unlearned model scores above another")
      .field("one_deviation", &Ulira::one_deviation, "few models: one deviation for all rows");
  Result<Smi>(m, "Smi", "Where forget rows lie between members and non-members.")
      .field("share", &Smi::share, "Estimate; 1: like non-members")
      .field("distance", &Smi::distance, "squared MMD of members and non-members");
  Result<CanaryGuesses>(m, "CanaryGuesses", "What was guessed of canaries.")
      .field("canaries", &CanaryGuesses::canaries, "each inserted with probability 1/2")
      .field("guesses", &CanaryGuesses::guesses, "the others were abstained from")
      .field("right", &CanaryGuesses::right, "guesses that came true");
  Result<OneRun>(m, "OneRun", "The bound on epsilon from one run with canaries.")
      .field("epsilon", &OneRun::epsilon, "lower bound")
      .field("share", &OneRun::share, "of the canaries guessed on either side")
      .field("guesses", &OneRun::guesses, "CanaryGuesses of the best bound");
  Result<Anamnesis>(m, "Anamnesis", "Relearn times and their ratio.")
      .field("method", &Anamnesis::method, "steps; nan: not within the last point")
      .field("retrained", &Anamnesis::retrained, "steps")
      .field("index", &Anamnesis::index, "Estimate of method / retrained");
}

Matrix matrix_copy(const Doubles& values, const char* name) {
  const MatrixView view = matrix_of(values, name);
  Matrix copy(view.rows, view.cols);
  std::copy_n(view.data, view.rows * view.cols, copy.values().begin());
  return copy;
}

/// One value per point and row; steps ascend from 0.
Relearning relearning_of(const Doubles& steps, const Doubles& method, const Doubles& retrained,
                         const Doubles& original) {
  const auto points = vector_of(steps, "steps");
  const auto known = vector_of(original, "original");
  Relearning made{{points.begin(), points.end()},
                  matrix_copy(method, "method"),
                  matrix_copy(retrained, "retrained"),
                  {known.begin(), known.end()}};
  require(!made.steps.empty() && made.steps.front() == 0 &&
              std::is_sorted(made.steps.begin(), made.steps.end()),
          "steps must ascend from 0");
  for (const auto& [name, curve] :
       {std::pair{"method", &made.method}, std::pair{"retrained", &made.retrained}}) {
    require(curve->rows() == made.steps.size() && curve->cols() == known.size() && !known.empty(),
            "{} is {} x {}: give one value per step and row of original, {} x {}", name,
            curve->rows(), curve->cols(), made.steps.size(), known.size());
  }
  return made;
}

}  // namespace

void add_peers(py::module_& m) {
  add_peer_results(m);
  m.def(
      "closeness",
      [](const Doubles& model, const Doubles& other) {
        const MatrixView a = distributions_of(model, "model"), b = distributions_of(other, "other");
        return unlocked([&] { return closeness(a, b); });
      },
      py::arg("model"), py::arg("other"),
      "Agreement, distance and divergence of probabilities [rows, classes].");
  m.def(
      "klom",
      [](const Doubles& unlearned, const Doubles& retrained, std::size_t bins, double least_share,
         double clip, const std::string& mode) {
        require(mode == "exact" || mode == "reference",
                "mode '{}' is unknown: give exact or reference", mode);
        require(bins > 0, "bins is 0: give at least one");
        const MatrixView a = matrix_of(unlearned, "unlearned");
        const MatrixView b = matrix_of(retrained, "retrained");
        const KlomOptions options{bins, least_share, clip,
                                  mode == "exact" ? KlomMode::exact : KlomMode::reference};
        return numpy_of(unlocked([&] { return klom(a, b, options); }));
      },
      py::arg("unlearned"), py::arg("retrained"), py::kw_only(), py::arg("bins") = 20,
      py::arg("least_share") = 1e-5, py::arg("clip") = 100., py::arg("mode") = "exact",
      "KL divergence of margins per row; matrices are [models, rows].");
  m.def(
      "ulira",
      [](const Doubles& unlearned, const Doubles& retrained) {
        const MatrixView a = matrix_of(unlearned, "unlearned");
        const MatrixView b = matrix_of(retrained, "retrained");
        return unlocked([&] { return ulira(a, b); });
      },
      py::arg("unlearned"), py::arg("retrained"),
      "U-LiRA per row from confidences [models, rows].");
  m.def(
      "smi",
      [](const Doubles& forget, const Doubles& members, const Doubles& nonmembers, double sigma,
         std::size_t replicates, std::uint64_t seed) {
        const MatrixView a = matrix_of(forget, "forget"), b = matrix_of(members, "members");
        const MatrixView c = matrix_of(nonmembers, "nonmembers");
        return unlocked([&] { return smi(a, b, c, sigma, {replicates, seed}); });
      },
      py::arg("forget"), py::arg("members"), py::arg("nonmembers"), py::arg("sigma"), py::kw_only(),
      py::arg("replicates") = 200, py::arg("seed") = 1,
      "Share of non-members in the mixture of features [rows, columns].");
  m.def(
      "canary_epsilon",
      [](std::size_t canaries, std::size_t guesses, std::size_t right, double delta,
         double confidence) {
        return unlocked([&] {
          return canary_epsilon({canaries, guesses, right}, delta, confidence);
        });
      },
      py::arg("canaries"), py::arg("guesses"), py::arg("right"), py::kw_only(),
      py::arg("delta") = 1e-5, py::arg("confidence") = 0.95,
      "The largest epsilon that so many right guesses refute.");
  m.def(
      "one_run",
      [](const Doubles& scores, const AnyArray& members, double delta, double confidence) {
        const auto values = vector_of(scores, "scores");
        const Integers<std::int64_t> inserted(members, "members");
        require_same(values.size(), "scores", inserted.span().size(), "members");
        for (const std::int64_t member : inserted.span()) {
          require(member == 0 || member == 1, "members holds {}: give zeros and ones", member);
        }
        OneRunOptions options;
        options.delta = delta;
        options.confidence = confidence;
        return unlocked([&] { return one_run(values, inserted.span(), options); });
      },
      py::arg("scores"), py::arg("members"), py::kw_only(), py::arg("delta") = 1e-5,
      py::arg("confidence") = 0.95,
      "Lower bound on epsilon from scores of canaries and which of them were inserted.");
  m.def(
      "anamnesis",
      [](const Doubles& steps, const Doubles& method, const Doubles& retrained,
         const Doubles& original, double range, std::uint64_t seed) {
        const Relearning curves = relearning_of(steps, method, retrained, original);
        require(range >= 0 && range <= 1, "range is {}: give a share between 0 and 1", range);
        return unlocked([&] {
          return anamnesis(
              curves, range,
              {.kind = BootstrapKind::percentile, .seed = seed, .purpose = "returns/anamnesis"});
        });
      },
      py::arg("steps"), py::arg("method"), py::arg("retrained"), py::arg("original"), py::kw_only(),
      py::arg("range") = 0.05, py::arg("seed") = 1,
      "Anamnesis index from answers while rows are relearnt: [steps, rows] each, original [rows].");
}

}  // namespace vestige::python
