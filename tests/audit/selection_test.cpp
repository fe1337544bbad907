// --metrics: families, ids, beginnings of ids.
#include "vestige/audit/selection.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support.h"

namespace vestige::audit {
namespace {

using testing::error_of;
using testing::holds;

const metrics::Family* family(std::string_view name) {
  for (const metrics::Family& candidate : metrics::families()) {
    if (candidate.name == name) return &candidate;
  }
  return nullptr;
}

TEST(Selection, NothingAskedIsEverything) {
  const Selection selection({});
  EXPECT_TRUE(selection.everything());
  // ... but what is too slow for everybody, which has to be named.
  for (const metrics::Family& each : metrics::families()) {
    EXPECT_NE(selection.has(each), each.on_request) << each.name;
  }
}

// Whatever a family is called, its name brings all its ids.
TEST(Selection, AFamilyBringsItsIdsAndNoOthers) {
  for (const metrics::Family& asked : metrics::families()) {
    const Selection selection({std::string(asked.name)});
    EXPECT_FALSE(selection.everything());
    EXPECT_TRUE(selection.has(asked));
    EXPECT_TRUE(selection.named(asked));
    for (const metrics::MetricInfo& info : asked.metrics) {
      EXPECT_TRUE(selection.has(asked, info.id)) << info.id;
    }
  }
  const Selection utility({"utility"});
  EXPECT_FALSE(utility.has(*family("epsilon")));
  EXPECT_FALSE(utility.has(*family("epsilon"), "epsilon.f_score"));
}

TEST(Selection, IdsAndTheirBeginnings) {
  const Selection one({"utility.accuracy.test"});
  EXPECT_TRUE(one.has(*family("utility")));
  EXPECT_TRUE(one.has(*family("utility"), "utility.accuracy.test"));
  EXPECT_FALSE(one.has(*family("utility"), "utility.accuracy.retain"));
  const Selection beginning({"utility.accuracy"});
  EXPECT_TRUE(beginning.has(*family("utility"), "utility.accuracy.retain"));
  EXPECT_FALSE(beginning.has(*family("utility"), "utility.gap.test"));
  // A beginning ends at a dot: "epsilon.f" is no beginning of "epsilon.f_score".
  EXPECT_TRUE(holds(error_of([] { Selection({"epsilon.f"}); }), {"\"epsilon.f\""}));
}

TEST(Selection, UnknownNamesGetTheNearest) {
  EXPECT_TRUE(holds(error_of([] { Selection({"utlity"}); }),
                    {"--metrics", "\"utlity\"", "nearest is \"utility\""}));
  EXPECT_TRUE(holds(error_of([] {
                      Selection({"utility", "epsilon.fscore"});
                    }),
                    {"\"epsilon.fscore\"", "\"epsilon.f_score\""}));
  EXPECT_TRUE(holds(error_of([] { Selection({""}); }), {"no metric \"\""}));
}

// The families that the description of --metrics promises to come along.
TEST(Selection, EpsilonBringsMiaGapAndSdeItsDistances) {
  for (const auto& [leader, follower] : std::vector<std::pair<std::string, std::string>>{
           {"epsilon", "mia_gap"}, {"sde", "mmd"}, {"sde", "wasserstein"}}) {
    if (family(leader) == nullptr) continue;
    for (const metrics::Family& each : metrics::families()) {
      for (const metrics::MetricInfo& info : each.metrics) {
        if (info.id == follower || info.id.starts_with(follower + ".")) {
          EXPECT_TRUE(Selection({leader}).has(each, info.id)) << info.id;
          EXPECT_FALSE(Selection({leader}).named(each)) << info.id;
        }
      }
    }
  }
}

TEST(Selection, AFamilyNameNamesThatFamilyOnly) {
  for (const metrics::Family& asked : metrics::families()) {
    const Selection selection({std::string(asked.name)});
    for (const metrics::Family& other : metrics::families()) {
      EXPECT_EQ(selection.named(other), other.name == asked.name) << asked.name << other.name;
    }
    EXPECT_FALSE(Selection({}).named(asked));
  }
  EXPECT_TRUE(Selection({"utility.accuracy"}).named(*family("utility")));
}

// Ids that changed say their new name, whole or as a beginning.
TEST(Selection, FormerIdsAreSuggested) {
  EXPECT_TRUE(
      holds(error_of([] { Selection({"mia.lira.online.auc"}); }), {"attacks.lira.online.auc now"}));
  EXPECT_TRUE(holds(error_of([] { Selection({"mia.rmia"}); }), {"attacks.rmia now"}));
  EXPECT_TRUE(holds(error_of([] { Selection({"utility.ua"}); }), {"conformal.ua now"}));
  EXPECT_TRUE(
      holds(error_of([] { Selection({"mia.protocol.iam.auc"}); }), {"mia_protocol.iam.auc now"}));
}

// Every id is listed once, in one family whose name it begins with, with a description.
TEST(Registry, IdsAreUniqueAndDescribed) {
  std::vector<std::string_view> ids;
  for (const metrics::Family& each : metrics::families()) {
    EXPECT_FALSE(each.name.empty());
    EXPECT_FALSE(each.summary.empty());
    EXPECT_FALSE(each.metrics.empty());
    for (const metrics::MetricInfo& info : each.metrics) {
      ids.push_back(info.id);
      EXPECT_FALSE(info.what.empty()) << info.id;
      EXPECT_FALSE(info.name.empty()) << info.id;
      EXPECT_TRUE(info.id.starts_with(std::string(each.name) + ".")) << info.id;
      EXPECT_EQ(metrics::find_metric(info.id), &info);
    }
  }
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  EXPECT_EQ(metrics::find_metric("no.such.id"), nullptr);
}

// Families are told apart by name, and what comes along exists.
TEST(Registry, FamiliesAreUniqueAndCompanionsExist) {
  std::vector<std::string_view> names;
  for (const metrics::Family& each : metrics::families()) {
    names.push_back(each.name);
    for (const std::string_view companion : each.companions) {
      EXPECT_NE(family(companion), nullptr) << companion;
    }
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace vestige::audit
