// The returns family on hand-made evidence: who is compared, which rows count, what is refused.
#include "vestige/metrics/returns/returns_family.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/support/measured.h"
#include "vestige/evidence/probed.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kRows = 20;

/// Probability of class 0, the label of every row: one value for forget, one for test, +-0.02 by
/// turns, of probed methods +-0.03, so that differences have an error over rows.
evidence::Model sure(const std::string& role, const std::string& method, const std::string& name,
                     double forget, double test) {
  evidence::Model model;
  model.role = role;
  model.method = method;
  model.name = name;
  model.folder = model.id();
  const double spread = method.find("unlearned") == std::string::npos ? 0.02 : 0.03;
  const auto outputs = [spread](double p) {
    std::vector<double> values;
    for (std::size_t row = 0; row < kRows; ++row) {
      const double one = p + (row % 2 == 0 ? spread : -spread);
      values.push_back(one);
      values.push_back(1 - one);
    }
    return evidence::Array::from_doubles(std::move(values), {kRows, 2});
  };
  model.outputs["forget"] = outputs(forget);
  model.outputs["test"] = outputs(test);
  return model;
}

evidence::Evidence plain_evidence() {
  evidence::Evidence evidence;
  evidence.kind = evidence::OutputKind::probabilities;
  evidence.classes = 2;
  for (const char* split : {"forget", "test"}) evidence.labels[split].assign(kRows, 0);
  evidence.groups.push_back({"original", "", {sure("original", "", "0", 0.9, 0.5)}});
  evidence.groups.push_back({"retrained", "", {sure("retrained", "", "0", 0.5, 0.5)}});
  evidence.groups.push_back({"unlearned", "hide", {sure("unlearned", "hide", "0", 0.5, 0.5)}});
  return evidence;
}

void add_probed(evidence::Evidence& evidence, const std::string& method, double forget,
                double test) {
  evidence.groups.push_back({"probed", method, {sure("probed", method, "0", forget, test)}});
}

/// The method's gap goes from 0 to 0.3, retrained's to 0.1, the original keeps 0.4.
evidence::Evidence probed_evidence() {
  evidence::Evidence evidence = plain_evidence();
  add_probed(evidence, "int8/original", 0.9, 0.5);
  add_probed(evidence, "int8/retrained", 0.6, 0.5);
  add_probed(evidence, "int8/unlearned/hide", 0.8, 0.5);
  return evidence;
}

Comparison comparison_of(const evidence::Evidence& evidence, const std::string& role,
                         const std::string& method, Control control) {
  Comparison comparison;
  comparison.evidence = &evidence;
  const evidence::Group& group = *evidence.find(role, method);
  comparison.subject = subject_of(group);
  for (const evidence::Model& model : group.models) comparison.candidate.push_back(&model);
  comparison.control = control;
  return comparison;
}

const Row* find_row(const Measurements& all, std::string_view id, std::string_view probe) {
  for (const Row& row : all.rows) {
    if (row.metric == id && row.settings.at("recovery_test") == probe) return &row;
  }
  return nullptr;
}

Measurements of_method(const evidence::Evidence& evidence) {
  return measured(returns_family(), comparison_of(evidence, "unlearned", "hide", Control::none));
}

// (0.3 - 0.1) / 0.4.
TEST(ReturnsFamily, ShareOfWhatTheOriginalKnew) {
  const evidence::Evidence evidence = probed_evidence();
  ASSERT_TRUE(returns_family().support(evidence).supported);
  const Measurements seen = of_method(evidence);
  const Row* share = find_row(seen, "returns.share", "int8");
  ASSERT_NE(share, nullptr);
  EXPECT_NEAR(share->value, 0.5, 1e-9);
  EXPECT_LT(share->lower, 0.5);
  EXPECT_GT(share->lower, 0.4);
  EXPECT_EQ(share->n, kRows);
  EXPECT_EQ(share->status, Status::ok);
  EXPECT_LT(share->facts.at("p").get<double>(), 0.001);
  EXPECT_NEAR(share->facts.at("original_retrained_difference").get<double>(), 0.4, 1e-9);
  EXPECT_NEAR(share->facts.at("method_moved").get<double>(), 0.75, 1e-9);
  EXPECT_NEAR(share->facts.at("retrained_moved").get<double>(), 0.25, 1e-9);
}

// The original as a method: it has (0.4 - 0.1) / 0.4 left and lost as much as retrained gained.
TEST(ReturnsFamily, TheOriginalIsTheCeiling) {
  const evidence::Evidence evidence = probed_evidence();
  const Measurements seen =
      measured(returns_family(), comparison_of(evidence, "original", "", Control::original));
  EXPECT_NEAR(find_row(seen, "returns.after", "int8")->value, 0.75, 1e-9);
  EXPECT_NEAR(find_row(seen, "returns.gain", "int8")->value, -0.25, 1e-9);
  const Measurements none =
      measured(returns_family(), comparison_of(evidence, "original", "", Control::constant));
  EXPECT_TRUE(none.rows.empty());
}

// Retrained models by halves: both moved alike, so nothing returned; one alone cannot be compared.
TEST(ReturnsFamily, RetrainedModelsAreTheFloor) {
  evidence::Evidence evidence = probed_evidence();
  const auto retrained = [&] {
    return measured(returns_family(), comparison_of(evidence, "retrained", "", Control::retrained));
  };
  EXPECT_TRUE(retrained().rows.empty());
  evidence.groups[1].models.push_back(sure("retrained", "", "1", 0.51, 0.5));
  evidence.groups[4].models.push_back(sure("probed", "int8/retrained", "1", 0.61, 0.5));
  const Measurements seen = retrained();
  ASSERT_NE(find_row(seen, "returns.gain", "int8"), nullptr);
  EXPECT_NEAR(find_row(seen, "returns.gain", "int8")->value, 0, 1e-9);
}

// Rows that the probe trains on are no evidence of a return: 16 rows are left, and only they count.
TEST(ReturnsFamily, RowsThatTheProbeShowsAreLeftOut) {
  evidence::Evidence evidence = probed_evidence();
  std::vector<std::int64_t> members(kRows, 0);
  for (std::size_t row = 0; row < 4; ++row) members[row] = 1;
  evidence::Model& model = evidence.groups.back().models.front();
  model.members["forget"] = evidence::Array::from_integers(members, {kRows});
  std::vector<double> values = model.outputs["forget"].doubles();
  for (std::size_t row = 0; row < 4; ++row) values[2 * row] = 1, values[2 * row + 1] = 0;
  model.outputs["forget"] = evidence::Array::from_doubles(values, {kRows, 2});
  const Measurements seen = of_method(evidence);
  const Row* share = find_row(seen, "returns.share", "int8");
  EXPECT_EQ(share->n, 16U);
  EXPECT_EQ(share->facts.at("shown_rows"), 4);
  EXPECT_NEAR(share->value, 0.5, 1e-9);
}

TEST(ReturnsFamily, SaysWhatIsMissing) {
  evidence::Evidence evidence = plain_evidence();
  EXPECT_FALSE(returns_family().support(evidence).supported);
  EXPECT_EQ(returns_family().support(evidence).reason.code, Code::needs_recovery_tests);
  add_probed(evidence, "int8/original", 0.9, 0.5);
  add_probed(evidence, "int8/unlearned/hide", 0.8, 0.5);
  Measurements seen = of_method(evidence);
  EXPECT_EQ(seen.rows.front().status, Status::undefined);
  EXPECT_EQ(seen.rows.front().notes.at(0),
            reason(Code::needs_recovery_references,
                   "original/0/{forget,test}.npy and "
                   "probed/int8/{original,retrained}/0/{forget,test}.npy"));
  add_probed(evidence, "int8/retrained", 0.6, 0.5);
  add_probed(evidence, "noise/retrained", 0.6, 0.5);
  seen = of_method(evidence);
  const Row* noise = find_row(seen, "returns.share", "noise");
  EXPECT_EQ(noise->status, Status::skipped);
  EXPECT_EQ(noise->notes.at(0), reason(Code::needs_method_after_recovery_test,
                                       "probed/noise/unlearned/hide/0/{forget,test}.npy"));
}

TEST(ReturnsFamily, NothingCanComeBackWhereTheOriginalKnewNoMore) {
  evidence::Evidence evidence = probed_evidence();
  evidence.groups[0].models[0] = sure("original", "", "0", 0.5, 0.5);
  const Measurements seen = of_method(evidence);
  EXPECT_TRUE(std::isnan(seen.rows.front().value));
  EXPECT_EQ(seen.rows.front().status, Status::undefined);
  EXPECT_EQ(seen.rows.front().notes.at(0).code, Code::nothing_to_recover);
}

TEST(ReturnsFamily, AProbeThatDestroysTheOriginalIsNotRead) {
  evidence::Evidence evidence = probed_evidence();
  evidence.groups[3].models[0] = sure("probed", "int8/original", "0", 0.6, 0.5);
  const Measurements seen = of_method(evidence);
  EXPECT_EQ(find_row(seen, "returns.share", "int8")->status, Status::unreliable);
  evidence.groups.erase(evidence.groups.begin() + 3);
  EXPECT_EQ(of_method(evidence).rows.front().notes.at(0),
            reason(Code::original_without_recovery_test, "int8"));
}

/// Right on the first `right` of the forget rows.
evidence::Model right_on(const std::string& method, std::size_t right) {
  evidence::Model model = sure("probed", method, "0", 0.5, 0.5);
  std::vector<double> values;
  for (std::size_t row = 0; row < kRows; ++row) {
    values.push_back(row < right ? 0.8 : 0.2);
    values.push_back(row < right ? 0.2 : 0.8);
  }
  model.outputs["forget"] = evidence::Array::from_doubles(std::move(values), {kRows, 2});
  return model;
}

// The original is right on all 20 rows; within 10 % is 18. Before: 10 rows by everybody. The method
// has 20 after 4 steps: 18 after 3.2. Retrained has 15 after 4 and 20 after 8: 18 after 6.4.
TEST(ReturnsFamily, AnamnesisFromStagesOfAProbe) {
  evidence::Evidence evidence = plain_evidence();
  const auto set = [&](std::size_t group, std::size_t right) {
    evidence.groups[group].models[0].outputs["forget"] = right_on("", right).outputs["forget"];
  };
  set(0, 20), set(1, 10), set(2, 10);
  const auto stage = [&](const std::string& method, std::size_t right) {
    evidence.groups.push_back({"probed", method, {right_on(method, right)}});
  };
  stage("relearn.4/retrained", 15), stage("relearn.8/retrained", 20);
  stage("relearn.4/unlearned/hide", 20), stage("relearn.8/unlearned/hide", 20);
  Request request;
  request.options["returns.range"] = 0.1;
  const Measurements seen = measured(
      returns_family(), comparison_of(evidence, "unlearned", "hide", Control::none), request);
  const Row* steps = find_row(seen, "returns.steps", "relearn");
  ASSERT_NE(steps, nullptr);
  EXPECT_NEAR(steps->value, 3.2, 1e-9);
  EXPECT_NEAR(steps->facts.at("retrained_steps").get<double>(), 6.4, 1e-9);
  const Row* index = find_row(seen, "returns.anamnesis", "relearn");
  EXPECT_EQ(index->settings.at("of"), "accuracy");
  EXPECT_NEAR(index->value, 0.5, 1e-9);
  EXPECT_LE(index->lower, 0.5);
  EXPECT_GE(index->upper, 0.5);
}

constexpr std::size_t kSequences = 4, kTokens = 5;

/// A language model: every token has this loss, and the first `right` of each forget sequence are
/// the most probable ones (no ranks where `right` is above kTokens).
evidence::Model speaking_of(const std::string& role, const std::string& method, double loss,
                            std::size_t right) {
  evidence::Model model;
  model.role = role;
  model.method = method;
  model.name = "0";
  model.folder = model.id();
  std::vector<std::int64_t> offsets, ranks;
  for (std::size_t row = 0; row <= kSequences; ++row) {
    offsets.push_back(static_cast<std::int64_t>(row * kTokens));
  }
  for (std::size_t token = 0; token < kSequences * kTokens; ++token) {
    ranks.push_back(token % kTokens < right ? 0 : 3);
  }
  for (const std::string split : {"forget", "test"}) {
    const std::vector<double> values(kSequences * kTokens, split == "forget" ? -loss : -4);
    model.tokens[split] = evidence::Array::from_doubles(values, {values.size()});
    model.tokens[split + ".offsets"] = evidence::Array::from_integers(offsets, {offsets.size()});
  }
  if (right <= kTokens) {
    model.tokens["forget.rank"] = evidence::Array::from_integers(ranks, {ranks.size()});
  }
  return model;
}

/// Losses and right tokens: original 1 and 5; before 3 and 1; after 4 steps the method 1 and 5,
/// retrained 2 and 3; after 8 steps both 1 and 5.
evidence::Evidence relearnt_sequences(bool with_ranks) {
  evidence::Evidence evidence;
  const auto add = [&](const std::string& role, const std::string& method, double loss,
                       std::size_t right) {
    evidence.groups.push_back(
        {role, method, {speaking_of(role, method, loss, with_ranks ? right : kTokens + 1)}});
  };
  add("original", "", 1, 5), add("retrained", "", 3, 1), add("unlearned", "hide", 3, 1);
  add("probed", "relearn.4/retrained", 2, 3), add("probed", "relearn.8/retrained", 1, 5);
  add("probed", "relearn.4/unlearned/hide", 1, 5), add("probed", "relearn.8/unlearned/hide", 1, 5);
  return evidence;
}

struct RelearnCase {
  bool with_ranks;
  const char* of;
  double method, retrained;
};

// Within 10 % of the original. Tokens: 0.9 of them, which the method has after 4 (0.9 - 0.2) / 0.8
// = 3.5 steps and retrained after 4 + 4 (0.9 - 0.6) / 0.4 = 7. Losses: 1.1, after 4 (3 - 1.1) / 2 =
// 3.8 and 4 + 4 (2 - 1.1) = 7.6.
TEST(ReturnsFamily, AnamnesisOfLanguageModels) {
  for (const RelearnCase& expected :
       {RelearnCase{true, "token accuracy", 3.5, 7}, RelearnCase{false, "loss", 3.8, 7.6}}) {
    const evidence::Evidence evidence = relearnt_sequences(expected.with_ranks);
    Request request;
    request.options["returns.range"] = 0.1;
    const Measurements seen = measured(
        returns_family(), comparison_of(evidence, "unlearned", "hide", Control::none), request);
    const Row* index = find_row(seen, "returns.anamnesis", "relearn");
    ASSERT_NE(index, nullptr) << expected.of;
    EXPECT_EQ(index->settings.at("of"), expected.of);
    EXPECT_NEAR(index->value, 0.5, 1e-9) << expected.of;
    EXPECT_NEAR(index->facts.at("retrained_steps").get<double>(), expected.retrained, 1e-9);
    EXPECT_NEAR(find_row(seen, "returns.steps", "relearn")->value, expected.method, 1e-9);
    EXPECT_EQ(index->n, kSequences);
  }
}

// Ranks that one model lacks cannot be asked of the others either.
TEST(ReturnsFamily, AnamnesisAsksWhatAllModelsShow) {
  evidence::Evidence evidence = relearnt_sequences(true);
  evidence.groups[3].models[0].tokens.erase("forget.rank");
  const Measurements seen = of_method(evidence);
  EXPECT_EQ(find_row(seen, "returns.anamnesis", "relearn")->settings.at("of"), "loss");
  evidence.groups[3].models[0].tokens.clear();
  EXPECT_EQ(find_row(of_method(evidence), "returns.anamnesis", "relearn"), nullptr);
}

}  // namespace
}  // namespace vestige::metrics
