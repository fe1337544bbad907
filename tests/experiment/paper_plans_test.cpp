// The paper sizes, planned to the end on stand-ins: every variant has an audit that measures
// something, every finding a variant and an audit that measure what it is about, and defects are
// refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "tests/support.h"
#include "vestige/base/error.h"
#include "vestige/base/options.h"
#include "vestige/experiment/checks.h"
#include "vestige/experiment/experiment.h"
#include "vestige/experiment/groups.h"
#include "vestige/metrics/family.h"

namespace vestige::experiment {
namespace {

namespace fs = std::filesystem;

fs::path recipe_path(const std::string& name) {
  return fs::path(VESTIGE_SOURCE_DIR) / "recipes" / (name + ".toml");
}

/// Stand-ins with pictures of 2 x 2 points: a plan needs rows, not pictures.
void shrink_pictures(Json& table) {
  for (auto& [key, value] : table.items()) {
    if (value.is_object()) shrink_pictures(value);
    if (key != "data" || !value.is_object() || value.value("name", "") != "synthetic") continue;
    if (value.contains("columns")) value["columns"] = 4;
    if (value.contains("height")) value["height"] = value["width"] = 2;
    if (value.contains("channels")) value["channels"] = 1;
  }
}

ExperimentPlan paper_plan(const fs::path& path, Json table) {
  ExperimentPlan plan = make_plan(std::move(table), path, {.size = "paper", .stand_in = true});
  for (VariantPlan& variant : plan.variants) {
    shrink_pictures(variant.recipe.table);
    variant.recipe = train::make_recipe(variant.recipe.table, path);
  }
  return plan;
}

bool measures(const AuditPlan& audit, const std::string& metric) {
  const metrics::Family* family = metrics::family_of(metric);
  return family != nullptr && audit::Selection(audit.metrics).has(*family, metric);
}

/// Whether any audit of any variant will have what a finding asks for, worked out apart from
/// study::check_findings.
bool will_be_there(const Experiment& experiment, const study::RowQuery& query) {
  for (const Variant& variant : experiment.variants) {
    if (!query.variant.empty() && query.variant != variant.plan.name) continue;
    for (const AuditPlan& audit : variant.plan.audits) {
      if (!query.audit.empty() && query.audit != audit.name) continue;
      if (measures(audit, query.metric)) return true;
    }
  }
  return false;
}

void expect_findings_have_variants(const Experiment& experiment,
                                   const std::vector<study::Check>& checks) {
  for (const study::Check& check : checks) {
    EXPECT_FALSE(check.sides.empty() && check.at.empty()) << check.finding;
    for (const study::CheckSide& side : check.sides) {
      if (side.number || side.query.metric.empty()) continue;
      EXPECT_TRUE(will_be_there(experiment, side.query))
          << check.finding << ": " << side.query.metric << " of variant " << side.query.variant;
    }
    expect_findings_have_variants(experiment, check.given);
  }
}

class PaperPlansTest : public ::testing::TestWithParam<std::string> {};

TEST_P(PaperPlansTest, EveryVariantHasAnAuditAndEveryFindingAnVariant) {
  const fs::path path = recipe_path(GetParam());
  const Experiment experiment = open(paper_plan(path, read_toml(path)), "cpu", Detail::outline);
  const testing::TemporaryFolder folder;
  pool::Store store(folder / "pool");
  const std::string text = plan_text(experiment, store);
  EXPECT_NE(text.find("models to train"), std::string::npos) << text;
  EXPECT_FALSE(experiment.checks.empty());
  for (const Variant& variant : experiment.variants) {
    SCOPED_TRACE(variant.plan.name);
    EXPECT_NE(text.find("variant " + variant.plan.name + ", seed"), std::string::npos);
    EXPECT_FALSE(variant.models.empty());
    EXPECT_FALSE(variant.lab->split.part("forget").empty());
    ASSERT_FALSE(variant.plan.audits.empty());
    for (const AuditPlan& audit : variant.plan.audits) {
      const audit::Selection selection(audit.metrics);
      const auto families = metrics::families();
      EXPECT_TRUE(std::any_of(families.begin(), families.end(), [&](const auto& family) {
        return selection.has(family);
      })) << audit.name;
    }
  }
  expect_findings_have_variants(experiment, experiment.checks);
}

INSTANTIATE_TEST_SUITE_P(All, PaperPlansTest,
                         ::testing::Values("competition", "conformal", "diffusion", "iam", "miau",
                                           "sde"));

// A recipe with a paper size that nobody added above would not be planned.
TEST(PaperPlans, AllPaperSizesAreTested) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(recipe_path("sde").parent_path())) {
    if (entry.path().extension() != ".toml") continue;
    if (read_toml(entry.path()).value("sizes", Json::object()).contains("paper")) ++count;
  }
  EXPECT_EQ(count, 6U);
}

/// What opening the SDE paper's size says after a change.
std::string refusal(const std::function<void(Json&)>& change) {
  const fs::path path = recipe_path("sde");
  Json table = read_toml(path);
  change(table["sizes"]["paper"]);
  try {
    const ExperimentPlan plan = paper_plan(path, std::move(table));
    study::check_findings(study::read_checks(plan.checks, path.string()), study_names(plan));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PaperPlans, AVariantWithoutAnAuditIsRefused) {
  const std::string why = refusal([](Json& paper) {
    paper["variants"].push_back({{"name", "forgotten"}, {"set", {{"forget.fraction", 0.3}}}});
  });
  EXPECT_NE(why.find("no audit measures variant 'forgotten'"), std::string::npos) << why;
}

TEST(PaperPlans, AFindingWithoutItsVariantIsRefused) {
  const std::string why = refusal([](Json& paper) {
    Json kept = Json::array();
    for (Json& variant : paper["variants"]) {
      if (variant.at("name") != "toy") kept.push_back(variant);
    }
    paper["variants"] = kept;
    for (Json& audit : paper["audits"]) {
      if (audit.at("name") == "toy") audit["variants"] = {"10 %"};
    }
  });
  EXPECT_NE(why.find("toy"), std::string::npos) << why;
}

TEST(PaperPlans, AFindingThatNoAuditMeasuresIsRefused) {
  const std::string why = refusal([](Json& paper) {
    for (Json& audit : paper["audits"]) {
      if (audit.at("name") == "small sets") audit["metrics"] = {"sde.otr", "sde.f1"};
    }
  });
  EXPECT_NE(why.find("mmd"), std::string::npos) << why;
}

}  // namespace
}  // namespace vestige::experiment
