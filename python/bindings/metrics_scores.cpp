// vestige.metrics: membership scores by shadow models: IAM, LiRA, RMIA, EMIA.
#include "python/bindings/module.h"
#include "python/bindings/result.h"
#include "vestige/metrics/scores/emia.h"
#include "vestige/metrics/scores/iam.h"
#include "vestige/metrics/scores/lira.h"
#include "vestige/metrics/scores/rmia.h"

namespace vestige::python {
namespace {

using namespace vestige::metrics;

/// One value per row of the shadows.
std::span<const double> rows_of(const Doubles& array, const char* name,
                                const ShadowMoments& shadows) {
  const auto values = vector_of(array, name);
  require_same(values.size(), name, shadows.mean.size(), "shadows");
  return values;
}

void add_iam(py::module_& m) {
  Result<ShadowMoments>(m, "ShadowMoments", "What scores need to know of the shadows.")
      .field("shadows", &ShadowMoments::shadows, "models")
      .field("mean", &ShadowMoments::mean, "per row, over shadows")
      .field("deviation", &ShadowMoments::deviation, "per row, over shadows, ddof 0")
      .field("within", &ShadowMoments::within, "mean over rows of the squared deviations")
      .field("largest", &ShadowMoments::largest, "largest |response|");
  m.def(
      "iam_responses",
      [](const Doubles& probabilities, double epsilon1, double epsilon2, bool unit_range) {
        const auto values = shares_of(probabilities, "probabilities");
        return numpy_of(unlocked([&] {
          return iam_responses(values, {epsilon1, epsilon2, unit_range});
        }));
      },
      py::arg("probabilities"), py::kw_only(), py::arg("epsilon1") = 1e-2,
      py::arg("epsilon2") = 1e-5, py::arg("unit_range") = false,
      "-ln(epsilon1 - ln(p + epsilon2)) of the true-class probability p.");
  m.def(
      "shadow_moments",
      [](const Doubles& responses) {
        const MatrixView values = matrix_of(responses, "responses");
        return unlocked([&] { return shadow_moments(values); });
      },
      py::arg("responses"), "Moments of responses [shadows, rows].");
  m.def(
      "iam_scores",
      [](const Doubles& target, const ShadowMoments& shadows, const Doubles& fitted,
         std::size_t levels, const std::string& variance, const std::string& distribution) {
        require(variance == "global" || variance == "per_row",
                "variance '{}' is unknown: give global or per_row", variance);
        require(distribution == "gumbel" || distribution == "normal",
                "distribution '{}' is unknown: give gumbel or normal", distribution);
        const auto values = rows_of(target, "target", shadows);
        const auto in = rows_of(fitted, "fitted", shadows);
        const IamOptions options{
            levels, variance == "global" ? IamVariance::global : IamVariance::per_row,
            distribution == "gumbel" ? LevelDistribution::gumbel : LevelDistribution::normal};
        return numpy_of(unlocked([&] { return iam_scores(values, shadows, in, options); }));
      },
      py::arg("target"), py::arg("shadows"), py::arg("fitted"), py::kw_only(),
      py::arg("levels") = 100, py::arg("variance") = "global", py::arg("distribution") = "gumbel",
      "Membership score of each row, 1 = fully fitted; all inputs are responses.");
}

void add_lira(py::module_& m) {
  const auto by_moments = [](auto function) {
    return [function](const Doubles& target, const ShadowMoments& out) {
      const auto values = rows_of(target, "target", out);
      return numpy_of(unlocked([&] { return function(values, out); }));
    };
  };
  m.def("lira_density", by_moments([](auto t, const auto& o) { return lira_density(t, o); }),
        py::arg("target"), py::arg("out"), "-ln N(x; mean, deviation of OUT).");
  m.def("lira_offline", by_moments([](auto t, const auto& o) { return lira_offline(t, o); }),
        py::arg("target"), py::arg("out"),
        "The normal distribution function of the target under OUT, in [0, 1].");
  const auto with_other = [](auto function, const char* name) {
    return [function, name](const Doubles& target, const Doubles& other, const ShadowMoments& out) {
      const auto values = rows_of(target, "target", out);
      const auto others = rows_of(other, name, out);
      return numpy_of(unlocked([&] { return function(values, others, out); }));
    };
  };
  m.def("lira_online",
        with_other([](auto t, auto i, const auto& o) { return lira_online(t, i, o); }, "fitted"),
        py::arg("target"), py::arg("fitted"), py::arg("out"),
        "The online attack with one IN model, as published with IAM.");
  m.def(
      "update_attack",
      with_other([](auto t, auto i, const auto& o) { return update_attack(t, i, o); }, "original"),
      py::arg("target"), py::arg("original"), py::arg("out"),
      "Offline score of the unlearned model minus that of the original.");
  Result<LiraPoolScores>(m, "LiraPoolScores", "Scores of a pool with known members.")
      .field("online", &LiraPoolScores::online, "per row")
      .field("offline", &LiraPoolScores::offline, "per row");
  m.def(
      "lira_pool",
      [](const Doubles& scores, const AnyArray& keep, const Doubles& target, bool one_deviation) {
        require(scores.ndim() == 2 || scores.ndim() == 3,
                "scores has {} dimensions: give [models, rows] or [models, rows, augmentations]",
                scores.ndim());
        require(keep.values.ndim() == 2 && keep.values.shape(0) == scores.shape(0) &&
                    keep.values.shape(1) == scores.shape(1),
                "keep must be [models, rows] as scores is");
        const char kind = keep.values.dtype().kind();
        require(kind == 'b' || kind == 'i' || kind == 'u', "keep must hold 0 and 1");
        const py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast> kept(
            keep.values);
        const auto rows = static_cast<std::size_t>(scores.shape(1));
        const auto augmentations =
            scores.ndim() == 3 ? static_cast<std::size_t>(scores.shape(2)) : std::size_t{1};
        require(static_cast<std::size_t>(target.size()) == rows * augmentations,
                "target has {} values: give [rows, augmentations], here {}", target.size(),
                rows * augmentations);
        const LiraPool pool{{scores.data(), static_cast<std::size_t>(scores.size())},
                            {kept.data(), static_cast<std::size_t>(kept.size())},
                            rows,
                            augmentations};
        const std::span<const double> values{target.data(),
                                             static_cast<std::size_t>(target.size())};
        return unlocked([&] { return lira_pool(pool, values, one_deviation); });
      },
      py::arg("scores"), py::arg("keep"), py::arg("target"), py::arg("one_deviation") = false,
      "LiRA from models [models, rows] that were trained (keep = 1) with or without each row.");
}

void add_rmia(py::module_& m) {
  m.def(
      "rmia_signals",
      [](const Doubles& logits, const AnyArray& labels, const std::string& signal,
         double temperature, double margin) {
        require(signal == "taylor" || signal == "softmax",
                "signal '{}' is unknown: give taylor or softmax", signal);
        const MatrixView values = matrix_of(logits, "logits");
        const Integers<std::int64_t> classes(labels, "labels");
        require_same(values.rows, "logits", classes.span().size(), "labels");
        const RmiaSignalOptions options{
            signal == "taylor" ? RmiaSignal::taylor : RmiaSignal::softmax, temperature, margin};
        return numpy_of(unlocked([&] { return rmia_signals(values, classes.span(), options); }));
      },
      py::arg("logits"), py::arg("labels"), py::kw_only(), py::arg("signal") = "taylor",
      py::arg("temperature") = 2., py::arg("margin") = 0.6,
      "What stands for the probability of the true class.");
  m.def(
      "mean_signals",
      [](const Doubles& signals, double trimmed_share) {
        const MatrixView values = matrix_of(signals, "signals");
        return numpy_of(unlocked([&] { return mean_signals(values, trimmed_share); }));
      },
      py::arg("signals"), py::arg("trimmed_share") = 0.,
      "Per column the trimmed mean over models of signals [models, rows].");
  m.def(
      "offline_reference",
      [](const Doubles& mean_out, double a) {
        return numpy_of(offline_reference(vector_of(mean_out, "mean_out"), a));
      },
      py::arg("mean_out"), py::arg("a"), "(1 + a) / 2 * mean + (1 - a) / 2.");
  m.def(
      "likelihood_ratios",
      [](const Doubles& signals, const Doubles& reference) {
        const auto a = vector_of(signals, "signals");
        const auto b = vector_of(reference, "reference");
        require_same(a.size(), "signals", b.size(), "reference");
        return numpy_of(likelihood_ratios(a, b));
      },
      py::arg("signals"), py::arg("reference"), "signal / reference, per row.");
  m.def(
      "rmia_scores",
      [](const Doubles& ratios, const Doubles& population, double gamma) {
        const auto a = vector_of(ratios, "ratios");
        const auto b = vector_of(population, "population");
        return numpy_of(unlocked([&] { return rmia_scores(a, b, gamma); }));
      },
      py::arg("ratios"), py::arg("population"), py::arg("gamma") = 1.,
      "Share of population ratios z with x / z > gamma, per row.");
}

}  // namespace

void add_scores(py::module_& m) {
  add_iam(m);
  add_lira(m);
  add_rmia(m);
  m.def(
      "logistic_losses",
      [](const Doubles& values) { return numpy_of(logistic_losses(vector_of(values, "values"))); },
      py::arg("values"), "ln(1 + exp(-x)) of logit-scaled confidences x.");
  m.def(
      "emia_p",
      [](const Doubles& losses, const Doubles& population) {
        const auto a = vector_of(losses, "losses");
        const auto b = vector_of(population, "population");
        return numpy_of(unlocked([&] { return emia_p(a, b); }));
      },
      py::arg("losses"), py::arg("population"),
      "1 - share of population losses strictly below the row's.");
  m.def(
      "emia_r",
      [](const Doubles& losses, const Doubles& shadow_losses, double largest) {
        const auto a = vector_of(losses, "losses");
        const MatrixView b = matrix_of(shadow_losses, "shadow_losses");
        require_same(a.size(), "losses", b.cols, "shadow_losses (columns)");
        return numpy_of(unlocked([&] { return emia_r(a, b, largest); }));
      },
      py::arg("losses"), py::arg("shadow_losses"), py::arg("largest") = 1000.,
      "1 - smoothed rank of the row's loss among the shadows' [shadows, rows].");
}

}  // namespace vestige::python
