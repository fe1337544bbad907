// vestige.metrics: conformal prediction sets, coverage and CR, fake forgetting, MIACR.
#include "python/bindings/module.h"
#include "python/bindings/result.h"
#include "vestige/metrics/conformal/conformal.h"
#include "vestige/metrics/conformal/miacr.h"

namespace vestige::python {
namespace {

using namespace vestige::metrics;

/// Labels of the rows of `outputs`, all of them columns of it.
void require_labels(MatrixView outputs, std::span<const std::int64_t> labels) {
  require_same(outputs.rows, "outputs", labels.size(), "labels");
  for (std::size_t row = 0; row < labels.size(); ++row) {
    require(labels[row] >= 0 && static_cast<std::size_t>(labels[row]) < outputs.cols,
            "labels[{}] is {}: outputs have the classes 0 to {}", row, labels[row],
            outputs.cols - 1);
  }
}

std::span<const double> draws_of(const std::optional<Doubles>& u, std::size_t wanted) {
  if (!u) return {};
  require(static_cast<std::size_t>(u->size()) == wanted, "u has {} values: give {}", u->size(),
          wanted);
  return {u->data(), static_cast<std::size_t>(u->size())};
}

void add_sets(py::module_& m) {
  py::class_<PredictionSets>(m, "PredictionSets", "Sets of n rows over C classes.")
      .def_property_readonly("rows", &PredictionSets::rows, "n")
      .def_property_readonly("classes", &PredictionSets::classes, "C")
      .def(
          "members",
          [](const PredictionSets& sets, std::size_t row) {
            require(row < sets.rows(), "row {} is not there: the sets have {} rows", row,
                    sets.rows());
            return sets.members(row);
          },
          py::arg("row"), "The classes in the set of a row, in ascending order.")
      .def(
          "to_array",
          [](const PredictionSets& sets) {
            py::array_t<bool> array({sets.rows(), sets.classes()});
            auto values = array.mutable_unchecked<2>();
            for (std::size_t row = 0; row < sets.rows(); ++row) {
              for (std::size_t label = 0; label < sets.classes(); ++label) {
                values(static_cast<py::ssize_t>(row), static_cast<py::ssize_t>(label)) =
                    sets.contains(row, label);
              }
            }
            return array;
          },
          "bool [n, C].");
  Result<CoverageSummary>(m, "CoverageSummary", "Coverage, set size and their ratio CR.")
      .field("coverage", &CoverageSummary::coverage, "share of rows with the true label in the set")
      .field("set_size", &CoverageSummary::set_size, "mean")
      .field("cr", &CoverageSummary::cr, "coverage / set size; nan if every set is empty")
      .field("n", &CoverageSummary::n, "rows")
      .field("empty", &CoverageSummary::empty, "rows with an empty set")
      .field("covered", &CoverageSummary::covered, "[n] 1 or 0")
      .field("set_sizes", &CoverageSummary::set_sizes, "[n]");
  Result<FakeForgetting>(m, "FakeForgetting", "Mis-labelled rows whose label is still in the set.")
      .field("mislabel", &FakeForgetting::mislabel, "rows")
      .field("in_set", &FakeForgetting::in_set, "of those, with the true label in the set")
      .field("ratio", &FakeForgetting::ratio, "in_set / mislabel")
      .field("mislabelled", &FakeForgetting::mislabelled, "[n] 1 or 0");
}

void add_miacr(py::module_& m) {
  Result<MembershipAttack>(m, "MembershipAttack", "The attack's answers, before any alpha.")
      .field("calibration_probability", &MembershipAttack::calibration_probability, "P(member)")
      .field("calibration_label", &MembershipAttack::calibration_label, "1 retain, 0 test")
      .field("forget_probability", &MembershipAttack::forget_probability, "[n] P(member)")
      .field("forget_member", &MembershipAttack::forget_member, "[n] 1 or 0")
      .field("mia", &MembershipAttack::mia, "share of forget_member")
      .field("training_rows", &MembershipAttack::training_rows, "per side");
  Result<MembershipSets>(m, "MembershipSets", "Sets over {non-member 0, member 1} of forget rows.")
      .field("miacr", &MembershipSets::miacr, "share of sets that are exactly {0}")
      .field("n", &MembershipSets::n, "rows")
      .field("empty", &MembershipSets::empty, "rows")
      .field("both", &MembershipSets::both, "rows")
      .field("mislabel", &MembershipSets::mislabel, "rows called non-members")
      .field("in_set", &MembershipSets::in_set, "of those, with 1 in their set")
      .field("fake_forgetting", &MembershipSets::fake_forgetting, "in_set / mislabel");
  m.def(
      "membership_attack",
      [](const Doubles& retain, const Doubles& test, const Doubles& forget,
         std::size_t rows_per_side, std::uint64_t seed) {
        const auto a = vector_of(retain, "retain_confidence");
        const auto b = vector_of(test, "test_confidence");
        const auto c = vector_of(forget, "forget_confidence");
        return unlocked([&] {
          MembershipOptions options;
          options.rows_per_side = rows_per_side;
          options.seed = seed;
          return membership_attack(a, b, c, options);
        });
      },
      py::arg("retain_confidence"), py::arg("test_confidence"), py::arg("forget_confidence"),
      py::kw_only(), py::arg("rows_per_side") = 2000, py::arg("seed") = 1,
      "A support vector machine on p(true class), half of the rows held out to calibrate.");
  m.def(
      "membership_scores",
      [](const Doubles& member_probability, const AnyArray& labels) {
        const auto values = shares_of(member_probability, "member_probability");
        const Integers<int> sides(labels, "labels");
        require_same(values.size(), "member_probability", sides.span().size(), "labels");
        return numpy_of(membership_scores(values, sides.span()));
      },
      py::arg("member_probability"), py::arg("labels"), "1 - p(label) of calibration rows.");
  m.def(
      "membership_sets",
      [](const Doubles& forget_probability, double q, const std::string& rule) {
        return membership_sets(shares_of(forget_probability, "forget_probability"), q,
                               quantile_rule(rule));
      },
      py::arg("forget_probability"), py::arg("q"), py::arg("rule") = "finite_sample",
      "Sets over {0, 1} of each forget row.");
}

}  // namespace

void add_conformal(py::module_& m) {
  add_sets(m);
  m.def(
      "calibration_scores",
      [](const Doubles& outputs, const AnyArray& labels, const std::string& score, double gamma,
         std::uint64_t seed, const std::optional<Doubles>& u) {
        const MatrixView values = matrix_of(outputs, "outputs");
        const Integers<std::int64_t> classes(labels, "labels");
        require_labels(values, classes.span());
        const ScoreOptions options{conformal_score(score), gamma, seed};
        const auto draws = draws_of(u, values.rows);
        return numpy_of(
            unlocked([&] { return calibration_scores(values, classes.span(), options, draws); }));
      },
      py::arg("outputs"), py::arg("labels"), py::kw_only(), py::arg("score") = "scp",
      py::arg("gamma") = 1.5, py::arg("seed") = 1, py::arg("u") = py::none(),
      "Non-conformity of the true label; scp and aps take probabilities, entmax logits.");
  m.def(
      "class_scores",
      [](const Doubles& outputs, const std::string& score, double gamma, std::uint64_t seed,
         const std::optional<Doubles>& u) {
        const MatrixView values = matrix_of(outputs, "outputs");
        const ScoreOptions options{conformal_score(score), gamma, seed};
        const auto draws = draws_of(u, values.rows * values.cols);
        return numpy_of(unlocked([&] { return class_scores(values, options, draws); }));
      },
      py::arg("outputs"), py::kw_only(), py::arg("score") = "scp", py::arg("gamma") = 1.5,
      py::arg("seed") = 1, py::arg("u") = py::none(), "Scores of all classes, [n, C].");
  m.def(
      "conformal_quantile",
      [](const Doubles& scores, double alpha, const std::string& rule) {
        return conformal_quantile(vector_of(scores, "scores"), alpha, quantile_rule(rule));
      },
      py::arg("scores"), py::arg("alpha"), py::arg("rule") = "finite_sample", "The threshold q.");
  m.def(
      "conformal_threshold",
      [](const Doubles& scores, double alpha, const std::string& rule, double confidence) {
        return conformal_threshold(vector_of(scores, "scores"), alpha, quantile_rule(rule),
                                   confidence);
      },
      py::arg("scores"), py::arg("alpha"), py::arg("rule") = "finite_sample",
      py::arg("confidence") = 0.95, "q with its distribution-free interval.");
  m.def(
      "prediction_sets",
      [](const Doubles& outputs, double q, const std::string& rule, const std::string& score,
         double gamma, std::uint64_t seed, const std::optional<Doubles>& u) {
        const MatrixView values = matrix_of(outputs, "outputs");
        const ScoreOptions options{conformal_score(score), gamma, seed};
        const QuantileRule how = quantile_rule(rule);
        const auto draws = draws_of(u, values.rows * values.cols);
        return unlocked([&] { return prediction_sets(values, q, how, options, draws); });
      },
      py::arg("outputs"), py::arg("q"), py::arg("rule") = "finite_sample", py::kw_only(),
      py::arg("score") = "scp", py::arg("gamma") = 1.5, py::arg("seed") = 1,
      py::arg("u") = py::none(), "Classes whose score passes q.");
  m.def(
      "summarise_sets",
      [](const PredictionSets& sets, const AnyArray& labels) {
        const Integers<std::int64_t> classes(labels, "labels");
        require_labels({nullptr, sets.rows(), sets.classes()}, classes.span());
        return unlocked([&] { return summarise_sets(sets, classes.span()); });
      },
      py::arg("sets"), py::arg("labels"), "Coverage, set size and CR.");
  m.def(
      "fake_forgetting",
      [](const Doubles& outputs, const PredictionSets& sets, const AnyArray& labels) {
        const MatrixView values = matrix_of(outputs, "outputs");
        const Integers<std::int64_t> classes(labels, "labels");
        require_labels(values, classes.span());
        require_same(values.rows, "outputs", sets.rows(), "sets");
        require(values.cols == sets.classes(), "outputs have {} classes and sets {}", values.cols,
                sets.classes());
        return unlocked([&] { return fake_forgetting(values, sets, classes.span()); });
      },
      py::arg("outputs"), py::arg("sets"), py::arg("labels"),
      "Mis-labelled rows, and how many still have the true label in their set.");
  add_miacr(m);
}

}  // namespace vestige::python
