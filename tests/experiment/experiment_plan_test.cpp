// Plans of experiments: variants, audits, sizes, setups, and what is refused before any training.
#include "vestige/experiment/experiment_plan.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "vestige/base/error.h"
#include "vestige/base/options.h"
#include "vestige/experiment/estimates/budget.h"
#include "vestige/experiment/estimates/duration.h"

namespace vestige::experiment {
namespace {

ExperimentPlan read(const std::string& toml, const PlanRequest& request = {}) {
  return make_plan(parse_toml(toml, "test.toml"), "test.toml", request);
}

std::string refusal(const std::string& toml, const PlanRequest& request = {}) {
  try {
    (void)read(toml, request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A sentence that holds all of these words.
void expect_words(const std::string& sentence, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(sentence.find(word), std::string::npos) << word << " not in: " << sentence;
  }
}

TEST(ExperimentPlan, OneVariantAndOneAuditByDefault) {
  const ExperimentPlan plan = read("seed = 3\n");
  ASSERT_EQ(plan.variants.size(), 1U);
  EXPECT_EQ(plan.variants[0].folder(), "main-3");
  ASSERT_EQ(plan.variants[0].audits.size(), 1U);
  EXPECT_EQ(plan.variants[0].audits[0].name, "main");
  EXPECT_EQ(plan.size, "smoke");
}

TEST(ExperimentPlan, RepeatsHaveConsecutiveSeeds) {
  const ExperimentPlan plan = read("seed = 5\n[bench]\nseeds = 3\n");
  ASSERT_EQ(plan.variants.size(), 3U);
  EXPECT_EQ(plan.variants[0].split_seed, 5U);
  EXPECT_EQ(plan.variants[2].split_seed, 7U);
}

// MIAU: ten splits and one baseline, whose test accuracy has no deviation (Tables 1, 11, 13).
TEST(ExperimentPlan, RepeatsMayChangeTheForgetRowsAlone) {
  const ExperimentPlan plan = read("seed = 5\n[bench]\nseeds = 3\nrepeat = 'forget'\n");
  ASSERT_EQ(plan.variants.size(), 3U);
  for (std::uint64_t repeat = 0; repeat < 3; ++repeat) {
    const VariantPlan& variant = plan.variants[repeat];
    EXPECT_EQ(variant.recipe.seed, 5U);
    EXPECT_EQ(variant.recipe.table.at("forget").at("seed"), 5 + repeat);
    EXPECT_EQ(variant.split_seed, 5 + repeat);
  }
}

TEST(ExperimentPlan, VariantsMergeTablesButReplaceAnotherKind) {
  const ExperimentPlan plan = read(R"(
forget = { kind = "random", count = 10 }
train = { epochs = 4, batch = 32 }
[[variants]]
name = "longer"
set = { train = { epochs = 9 } }
[[variants]]
name = "class"
set = { forget = { kind = "class", classes = [1] } }
[[variants]]
name = "dotted"
set = { "train.batch" = 8 }
)");
  EXPECT_EQ(plan.variants[0].recipe.train.epochs, 9);
  EXPECT_EQ(plan.variants[0].recipe.train.batch, 32);
  EXPECT_FALSE(plan.variants[1].recipe.table.at("forget").contains("count"));
  EXPECT_EQ(plan.variants[2].recipe.train.batch, 8);
  EXPECT_EQ(plan.variants[2].recipe.train.epochs, 4);
}

TEST(ExperimentPlan, SizesAreAppliedBeforeSettings) {
  const std::string toml =
      "train = { epochs = 1 }\n[sizes.paper]\ntrain = { epochs = 100, batch = 7 }\n";
  EXPECT_EQ(read(toml).variants[0].recipe.train.epochs, 1);
  EXPECT_EQ(read(toml, {.size = "paper"}).variants[0].recipe.train.epochs, 100);
  const ExperimentPlan set = read(toml, {.size = "paper", .settings = {"train.epochs=3"}});
  EXPECT_EQ(set.variants[0].recipe.train.epochs, 3);
  EXPECT_EQ(set.variants[0].recipe.train.batch, 7);
  expect_words(refusal(toml, {.size = "papr"}), {"papr", "nearest", "paper"});
}

TEST(ExperimentPlan, ChecksBelongToSizes) {
  const std::string toml = R"(
[[checks]]
finding = "a"
[[checks]]
finding = "b"
sizes = ["paper"]
[sizes.paper]
)";
  EXPECT_EQ(read(toml).checks.size(), 1U);
  EXPECT_EQ(read(toml, {.size = "paper"}).checks.size(), 2U);
}

/// Competition paper, Section 4: models of each setup.
TEST(ExperimentPlan, SetupsHaveTheirTrueCounts) {
  struct Case {
    std::string setup;
    std::int64_t original, retrained, runs;
  };
  for (const Case& expected : {Case{"setup = \"full\", models = 8, experiments = 3", 24, 24, 1},
                               Case{"setup = \"reuse-n-n\", models = 8, experiments = 3", 8, 8, 3},
                               Case{"setup = \"reuse-n-1\", models = 8, experiments = 3", 1, 8, 24},
                               Case{"setup = \"bootstrap\", models = 8", 64, 64, 1}}) {
    const ExperimentPlan plan = read("bench = { " + expected.setup + " }\n");
    const train::Recipe& recipe = plan.variants[0].recipe;
    EXPECT_EQ(recipe.pool.original, expected.original) << expected.setup;
    EXPECT_EQ(recipe.pool.retrained, expected.retrained) << expected.setup;
    EXPECT_EQ(recipe.table.at("unlearn").at("seeds"), expected.runs) << expected.setup;
    EXPECT_EQ(plan.variants[0].audits[0].options.at("epsilon.models"), 8) << expected.setup;
  }
}

TEST(ExperimentPlan, CapsLowerModelsAndRepeats) {
  const ExperimentPlan plan =
      read("bench = { seeds = 5 }\npool = { original = 40, retrained = 30 }\n",
           {.caps = {.models = 10, .repeats = 2}});
  ASSERT_EQ(plan.variants.size(), 2U);
  EXPECT_EQ(plan.variants[0].recipe.pool.original, 10);
  EXPECT_EQ(plan.variants[0].recipe.pool.retrained, 10);
}

TEST(ExperimentPlan, AuditsBelongToVariants) {
  const ExperimentPlan plan = read(R"(
[[variants]]
name = "a"
[[variants]]
name = "b"
[[audits]]
name = "both"
[[audits]]
name = "second"
variants = ["b"]
options = { iam.levels = 10 }
)");
  EXPECT_EQ(plan.variants[0].audits.size(), 1U);
  ASSERT_EQ(plan.variants[1].audits.size(), 2U);
  EXPECT_EQ(plan.variants[1].audits[1].options.at("iam.levels"), 10);
  EXPECT_EQ(plan.audit_names(), (std::vector<std::string>{"both", "second"}));
}

TEST(ExperimentPlan, RefusesFWithOneRetrainedModel) {
  expect_words(refusal("bench = { metrics = [\"epsilon\"] }\npool = { retrained = 1 }\n"),
               {"would have 1 retrained", "to 3 or more in [pool]"});
  expect_words(refusal("bench = { metrics = [\"epsilon\"] }\npool = { retrained = 8 }\n"),
               {"and 1 unlearned models", "original to 3 or more in [pool]"});
}

TEST(ExperimentPlan, RefusesMoreModelsThanThePoolHas) {
  expect_words(refusal("bench = { metrics = [\"epsilon\"], options = { epsilon.models = 64 } }\n"
                       "pool = { original = 8, retrained = 8 }\n"),
               {"epsilon.models is 64", "8 retrained", "lower it"});
}

TEST(ExperimentPlan, RefusesClassWiseMetricsWithoutClassForgetting) {
  const std::string metrics = "bench = { metrics = [\"conformal.cr.test_forget\"] }\n";
  expect_words(refusal(metrics), {"only where classes are forgotten", "\"random\"", "\"class\""});
  EXPECT_EQ(refusal(metrics + "forget = { kind = \"class\", classes = [1] }\n"), "");
}

TEST(ExperimentPlan, RefusesWhatItsModelsCannotSupport) {
  expect_words(refusal("bench = { metrics = [\"iam\"] }\n"),
               {"iam needs shadow", "shadow = 1 or more in [pool]"});
  expect_words(refusal("bench = { metrics = [\"zrf\"] }\n"),
               {"zrf", "random = 1 or more in [pool]"});
  expect_words(refusal("bench = { metrics = [\"miau\"] }\npool = { original = 0 }\n"),
               {"miau needs at least 1 original model"});
}

TEST(ExperimentPlan, RefusesWrongNamesWithTheNearest) {
  expect_words(refusal("bench = { options = { iam.level = 3 } }\n"), {"iam.level", "iam.levels"});
  expect_words(refusal("bench = { options = { epsilon.mode = \"exakt\" } }\n"),
               {"epsilon.mode", "exact"});
  expect_words(refusal("bench = { metrics = [\"epsilom\"] }\n"), {"epsilom"});
  expect_words(
      refusal("[[variants]]\nname = \"a\"\n[[audits]]\nname = \"x\"\nvariants = [\"aa\"]\n"),
      {"no variant 'aa'", "'a'"});
  expect_words(refusal("[[variants]]\nname = \"a\"\n[[variants]]\nname = \"a\"\n"),
               {"two variants"});
  expect_words(refusal("[[arms]]\nname = \"a\"\n"), {"'arms' is now 'variants'"});
  expect_words(refusal("[[audits]]\nname = \"x\"\narms = [\"main\"]\n"),
               {"'arms' is now 'variants'"});
  expect_words(refusal("bench = { models = 5 }\n"), {"setup"});
  expect_words(refusal("bench = { setup = \"full\", models = 1 }\n"), {"N = 2 or more"});
}

/// Every recipe that is shipped can be read in every size that it has.
TEST(Budget, TakesTheLargestNThenTheLargestE) {
  // 7 s a model and repeat; below 3 models nothing can be measured.
  const auto within = [](double seconds) {
    return [seconds](const Caps& caps) {
      if (caps.models < 3) return CapsFit::too_small;
      return static_cast<double>(7 * caps.models * caps.repeats) <= seconds ? CapsFit::fits
                                                                            : CapsFit::too_long;
    };
  };
  const auto found = [&](double seconds) {
    const auto caps = largest_fit(512, 20, within(seconds));
    return caps ? std::pair(caps->models, caps->repeats)
                : std::pair(std::int64_t{0}, std::int64_t{0});
  };
  EXPECT_EQ(found(1e9), std::pair(std::int64_t{512}, std::int64_t{20}));
  EXPECT_EQ(found(7 * 512 * 3 + 1), std::pair(std::int64_t{512}, std::int64_t{3}));
  EXPECT_EQ(found(700), std::pair(std::int64_t{100}, std::int64_t{1}));
  EXPECT_EQ(found(21), std::pair(std::int64_t{3}, std::int64_t{1}));
  EXPECT_EQ(found(20).first, 0);
}

TEST(Duration, TextAndBack) {
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("10m"), 600);
  EXPECT_EQ(parse_duration("1h30m"), 5400);
  EXPECT_EQ(parse_duration("1.5m"), 90);
  for (const char* wrong : {"", "m", "10x", "-5m", "nan", "0"}) {
    EXPECT_THROW((void)parse_duration(wrong), InputError) << wrong;
  }
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7260), "2 h 1 min");
}

}  // namespace
}  // namespace vestige::experiment
