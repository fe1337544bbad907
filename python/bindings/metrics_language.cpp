// vestige.metrics: scores of language models from token log-probabilities.
#include "python/bindings/module.h"
#include "python/bindings/result.h"
#include "vestige/metrics/lm/lm_attacks.h"
#include "vestige/metrics/lm/lm_scores.h"

namespace vestige::python {
namespace {

using namespace vestige::metrics;

/// Tokens of all sequences one after the other, and where each begins.
class Tokens {
 public:
  Tokens(const Doubles& tokens, const AnyArray& offsets) : values_(vector_of(tokens, "tokens")) {
    const Integers<std::int64_t> given(offsets, "offsets");
    std::int64_t last = 0;
    for (const std::int64_t offset : given.span()) {
      require(offset >= last && static_cast<std::size_t>(offset) <= values_.size(),
              "offsets must rise from 0 to the number of tokens, {}: {} does not fit",
              values_.size(), offset);
      offsets_.push_back(static_cast<std::size_t>(offset));
      last = offset;
    }
    require(!offsets_.empty() && offsets_.front() == 0 && offsets_.back() == values_.size(),
            "offsets must begin with 0 and end with the number of tokens, {}", values_.size());
  }
  evidence::Sequences sequences() const { return {values_, offsets_}; }
  std::span<const double> beside(const Doubles& array, const char* name) const {
    const auto values = vector_of(array, name);
    require_same(values.size(), name, values_.size(), "tokens");
    return values;
  }

 private:
  std::span<const double> values_;
  std::vector<std::size_t> offsets_;
};

MatrixView shadows_of(const Doubles& shadows, std::size_t rows) {
  const MatrixView values = matrix_of(shadows, "shadows");
  require(values.cols == rows && values.rows > 0,
          "shadows is {} x {}: give losses [models, sequences] of the {} sequences", values.rows,
          values.cols, rows);
  return values;
}

std::span<const double> fitted_of(const std::optional<Doubles>& fitted, std::size_t rows) {
  if (!fitted) return {};
  const auto values = vector_of(*fitted, "fitted");
  require_same(values.size(), "fitted", rows, "target");
  return values;
}

void add_token_scores(py::module_& m) {
  m.def(
      "lm_losses",
      [](const Doubles& tokens, const AnyArray& offsets) {
        const Tokens given(tokens, offsets);
        return numpy_of(unlocked([&] { return lm_losses(given.sequences()); }));
      },
      py::arg("tokens"), py::arg("offsets"),
      "Mean negative log-probability per token of each sequence, in nats.");
  m.def(
      "min_k_scores",
      [](const Doubles& tokens, const AnyArray& offsets, double k) {
        const Tokens given(tokens, offsets);
        return numpy_of(unlocked([&] { return min_k_scores(given.sequences(), k); }));
      },
      py::arg("tokens"), py::arg("offsets"), py::arg("k") = 20.,
      "Mean of the k per cent lowest log-probabilities of each sequence.");
  m.def(
      "min_k_plus_plus_scores",
      [](const Doubles& tokens, const AnyArray& offsets, const Doubles& mean,
         const Doubles& deviation, double k) {
        const Tokens given(tokens, offsets);
        const auto means = given.beside(mean, "mean");
        const auto deviations = given.beside(deviation, "deviation");
        return numpy_of(unlocked(
            [&] { return min_k_plus_plus_scores(given.sequences(), means, deviations, k); }));
      },
      py::arg("tokens"), py::arg("offsets"), py::arg("mean"), py::arg("deviation"),
      py::arg("k") = 20., "The same of (ln p - mean) / deviation over the vocabulary.");
  m.def(
      "surp_scores",
      [](const Doubles& tokens, const AnyArray& offsets, const Doubles& entropy, double k,
         double max_entropy) {
        const Tokens given(tokens, offsets);
        const auto entropies = given.beside(entropy, "entropy");
        return numpy_of(unlocked([&] {
          return surp_scores(given.sequences(), entropies, {k, max_entropy});
        }));
      },
      py::arg("tokens"), py::arg("offsets"), py::arg("entropy"), py::kw_only(), py::arg("k") = 20.,
      py::arg("max_entropy") = 2., "Mean log-probability of surprising tokens.");
}

}  // namespace

void add_language(py::module_& m) {
  add_token_scores(m);
  m.def("zlib_rate", &zlib_rate, py::arg("text"), "Compressed bytes per byte of text.");
  m.def(
      "lm_zlib_scores",
      [](const Doubles& losses, const std::vector<std::string>& texts) {
        const auto values = vector_of(losses, "losses");
        require_same(values.size(), "losses", texts.size(), "texts");
        return numpy_of(unlocked([&] { return lm_zlib_scores(values, texts); }));
      },
      py::arg("losses"), py::arg("texts"), "-loss / zlib_rate.");
  m.def(
      "lm_ratio_scores",
      [](const Doubles& losses, const Doubles& other) {
        const auto a = vector_of(losses, "losses");
        const auto b = vector_of(other, "other");
        require_same(a.size(), "losses", b.size(), "other");
        return numpy_of(lm_ratio_scores(a, b));
      },
      py::arg("losses"), py::arg("other"), "-loss / other loss of the same sequence.");
  m.def(
      "lm_lira",
      [](const Doubles& target, const Doubles& shadows, const std::optional<Doubles>& fitted) {
        const auto values = vector_of(target, "target");
        const MatrixView others = shadows_of(shadows, values.size());
        const auto in = fitted_of(fitted, values.size());
        return numpy_of(unlocked([&] { return lm_lira(values, others, in); }));
      },
      py::arg("target"), py::arg("shadows"), py::arg("fitted") = py::none(),
      "LiRA from losses; offline without fitted.");
  m.def(
      "lm_iam_responses",
      [](const Doubles& losses, double epsilon1, double epsilon2) {
        LmIamOptions options;
        options.epsilon1 = epsilon1;
        options.epsilon2 = epsilon2;
        return numpy_of(lm_iam_responses(vector_of(losses, "losses"), options));
      },
      py::arg("losses"), py::kw_only(), py::arg("epsilon1") = 0.1, py::arg("epsilon2") = 1e-5,
      "-ln(epsilon1 - ln(1 - p + epsilon2)), p = exp(-loss).");
  m.def(
      "lm_iam",
      [](const Doubles& target, const ShadowMoments& shadows, const Doubles& fitted,
         std::size_t levels, const std::string& direction) {
        const auto values = vector_of(target, "target");
        require_same(values.size(), "target", shadows.mean.size(), "shadows");
        const auto in = vector_of(fitted, "fitted");
        require_same(in.size(), "fitted", values.size(), "target");
        LmIamOptions options;
        options.levels = levels;
        options.direction = lm_direction(direction);
        return numpy_of(unlocked([&] { return lm_iam(values, shadows, in, options); }));
      },
      py::arg("target"), py::arg("shadows"), py::arg("fitted"), py::kw_only(),
      py::arg("levels") = 1000, py::arg("direction") = "code",
      "IAM with the double flip; all inputs are responses.");
}

}  // namespace vestige::python
