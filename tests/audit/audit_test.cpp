// Whole audits of sound evidence: what is in them, and that they are the same bytes every time.
#include "vestige/audit/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/evidence_folder.h"
#include "vestige/base/parallel.h"
#include "vestige/evidence/reader.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/tables/samples_csv.h"
#include "vestige/words/words.h"

namespace vestige::audit {
namespace {

using metrics::Control;
using metrics::Row;
using metrics::Status;
using testing::error_of;
using testing::EvidenceFolder;
using testing::EvidenceShape;
using testing::holds;

const Row* find(const AuditResult& result, const std::string& metric, const std::string& model,
                bool halves = false) {
  for (const Row& row : result.rows) {
    if (row.metric == metric && row.subject.id() == model &&
        row.settings.value("halves", false) == halves && !row.settings.contains("setup")) {
      return &row;
    }
  }
  return nullptr;
}

EvidenceShape pools() {
  return {.classes = 4, .models = 8, .forget = 30, .retain = 40, .test = 30};
}

TEST(Audit, MethodsStandBesideTheirControls) {
  const EvidenceFolder folder(pools());
  const auto evidence = evidence::load(folder.path()).evidence;
  const AuditResult result = audit(evidence, {});
  EXPECT_EQ(result.grade.letter, 'A');
  for (const char* model :
       {"unlearned/finetune", "unlearned/nothing", "original", "constant_predictor"}) {
    ASSERT_NE(find(result, "epsilon.f_score", model), nullptr) << model;
    EXPECT_EQ(find(result, "epsilon.f_score", model)->settings["models"], 8);
    EXPECT_EQ(find(result, "epsilon.f_score", model, true)->settings["models"], 4);
  }
  EXPECT_EQ(find(result, "epsilon.f_score", "retrained"), nullptr)
      << "there is no retrained control at full N";
  const Row* retrained = find(result, "epsilon.f_score", "retrained", true);
  ASSERT_NE(retrained, nullptr);
  EXPECT_EQ(retrained->control, Control::retrained);
  EXPECT_EQ(find(result, "epsilon.f_score", "original", true)->control, Control::original);
  EXPECT_EQ(find(result, "epsilon.f_score", "unlearned/finetune", true)->reference,
            retrained->value);
  const Row* accuracy = find(result, "utility.accuracy.test", "retrained");
  ASSERT_NE(accuracy, nullptr);
  EXPECT_EQ(find(result, "utility.accuracy.test", "unlearned/finetune")->reference,
            accuracy->value);
}

TEST(Audit, EpsilonIsSummedOverMethodsOnly) {
  const EvidenceFolder folder(pools());
  const auto evidence = evidence::load(folder.path()).evidence;
  const AuditResult result = audit(evidence, {.metrics = {"epsilon"}});
  const auto column = [&](const std::string& name) {
    const auto found = std::find_if(result.columns.begin(), result.columns.end(),
                                    [&](const auto& each) { return each.name == name; });
    EXPECT_NE(found, result.columns.end()) << name;
    return found->values;
  };
  const auto sum = column("epsilon.sum");
  const auto first = column("epsilon.finetune"), second = column("epsilon.nothing");
  ASSERT_EQ(sum.size(), 30U);
  for (std::size_t row = 0; row < sum.size(); ++row) {
    EXPECT_EQ(std::isnan(sum[row]), std::isnan(first[row] + second[row]));
    if (std::isnan(sum[row])) continue;
    EXPECT_EQ(sum[row], first[row] + second[row]);
  }
  EXPECT_EQ(result.correlations["epsilon"]["methods"], Json({"finetune", "nothing"}));
  EXPECT_EQ(result.correlations["epsilon"]["spearman"].size(), 2U);
  for (const auto& each : result.columns) {
    EXPECT_EQ(each.control == Control::none, each.name == "epsilon.sum" ||
                                                 each.name == "epsilon.finetune" ||
                                                 each.name == "epsilon.nothing")
        << each.name;
  }
}

// Originals that say the same as retrained models: nothing can be seen, and the program says so
// for every metric that claims to see forgetting.
TEST(Audit, NothingIsReliableWhereOriginalEqualsRetrained) {
  EvidenceFolder folder(pools());
  for (int model = 0; model < 8; ++model) {
    for (const char* split : {"forget", "retain", "test", "calibration"}) {
      folder.put(fmt::format("original/{}/{}", model, split),
                 folder.array(fmt::format("retrained/{}/{}", model, split)));
    }
  }
  const auto evidence = evidence::load(folder.path()).evidence;
  const AuditResult result = audit(evidence, {});
  const Row* row = find(result, "epsilon.f_score", "unlearned/finetune");
  EXPECT_EQ(row->status, Status::unreliable);
  EXPECT_TRUE(holds(words::text(row->notes), {"cannot tell the original"}));
  EXPECT_TRUE(std::any_of(result.remarks.begin(), result.remarks.end(), [](const auto& remark) {
    return remark.cause == result::Cause::cannot_tell &&
           words::text(remark.reason).find("epsilon.f_score (N=4) cannot tell the original") == 0;
  }));
}

TEST(Audit, OnlyWhatWasAskedFor) {
  const EvidenceFolder folder(pools());
  const auto evidence = evidence::load(folder.path()).evidence;
  std::set<std::string> ids;
  for (const Row& row : audit(evidence, {.metrics = {"utility.accuracy", "epsilon.median"}}).rows) {
    ids.insert(row.metric);
  }
  EXPECT_EQ(ids, (std::set<std::string>{"utility.accuracy.retain", "utility.accuracy.test",
                                        "utility.accuracy.forget", "epsilon.median"}));
  EXPECT_TRUE(holds(error_of([&] { audit(evidence, {.metrics = {"nonsense"}}); }),
                    {"\"nonsense\"", "nearest"}));
}

TEST(Audit, AskingForWhatEvidenceCannotGiveIsAnError) {
  const EvidenceFolder folder(EvidenceShape{.models = 1});
  const auto evidence = evidence::load(folder.path()).evidence;
  EXPECT_TRUE(holds(error_of([&] { audit(evidence, {.metrics = {"epsilon"}}); }),
                    {"epsilon cannot be measured", "retrained", "at least 64"}));
  const AuditResult result = audit(evidence, {});
  EXPECT_TRUE(std::any_of(result.skipped.begin(), result.skipped.end(), [](const auto& skipped) {
    return skipped.group == "epsilon" &&
           words::text(skipped.reason).find("64") != std::string::npos;
  }));
  EXPECT_EQ(result.grade.letter, 'B');
}

TEST(Audit, WithoutMethodsOnlyControlsAreMeasured) {
  const EvidenceFolder folder(EvidenceShape{.models = 4, .methods = {}});
  const auto evidence = evidence::load(folder.path()).evidence;
  const AuditResult result = audit(evidence, {});
  EXPECT_TRUE(holds(words::text(result.remarks.at(0).reason),
                    {"no unlearned model", "unlearned/METHOD/0/forget.npy"}));
  for (const Row& row : result.rows) EXPECT_NE(row.control, Control::none) << row.metric;
}

TEST(Audit, SupportHasOneLinePerFamily) {
  const EvidenceFolder folder(EvidenceShape{.models = 1});
  const auto lines = support(evidence::load(folder.path()).evidence);
  ASSERT_EQ(lines.size(), metrics::families().size());
  for (const FamilySupport& line : lines) {
    EXPECT_TRUE(line.support.supported || !line.support.reason.empty()) << line.family;
  }
}

/// results.json without the run's facts, and samples.csv.
std::string bytes(const EvidenceFolder& folder, int thread_count, std::uint64_t seed = 1,
                  const std::vector<std::string>& metrics = {}) {
  const Context context({.threads = thread_count});
  const auto reading = evidence::load(folder.path(), true, context);
  const AuditOptions options{
      .metrics = metrics,
      .seed = seed,
      .options = {{"epsilon.setup", "bootstrap"}, {"epsilon.experiments", 5}},
      .context = context};
  const AuditResult result = audit(reading.evidence, options);
  Json json =
      report::results_json(report::audit_results(reading.evidence, reading.findings, result, {}));
  json.erase("run");
  return json.dump() + report::samples_csv(reading.evidence, result.columns);
}

TEST(Audit, TheSameBytesForAnyNumberOfThreads) {
  const EvidenceFolder folder(pools());
  EXPECT_TRUE(bytes(folder, 1) == bytes(folder, 4));
}

TEST(Audit, AnotherSeedMovesIntervals) {
  const EvidenceFolder folder(pools());
  for (const char* metric : {"closeness", "mia"}) {
    const std::string one = bytes(folder, 2, 1, {metric});
    EXPECT_TRUE(one == bytes(folder, 2, 1, {metric})) << metric << ": two runs";
    EXPECT_FALSE(one == bytes(folder, 2, 2, {metric})) << metric;
  }
}

TEST(Audit, RelativeTime) {
  EvidenceFolder folder(EvidenceShape{.methods = {"ft"}});
  const auto row = [&folder](const std::string& toml) {
    folder.put_file("evidence.toml", toml);
    const AuditResult result =
        audit(evidence::load(folder.path()).evidence, {.metrics = {"utility.relative_time"}});
    EXPECT_EQ(result.rows.size(), 1U);
    return result.rows.empty() ? Row{} : result.rows[0];
  };
  EXPECT_EQ(row("[seconds]\nft = 5\nretrain = 50\n").value, 0.1);
  EXPECT_EQ(row("[seconds]\nft = 5\nretrain = 50\n").notes.size(), 0U);
  EXPECT_EQ(row("[seconds]\nft = 25\nretrained = 50\n").value, 0.5);
  EXPECT_TRUE(
      holds(words::text(row("[seconds]\nft = 25\nretrained = 50\n").notes), {"cut-off of 0.2"}));
  EXPECT_EQ(row("[seconds]\nft = 5\nretrain = 0\n").status, Status::undefined);
  EXPECT_TRUE(holds(words::text(row("[seconds]\nft = 5\nretrain = 0\n").notes), {"0 seconds"}));
}

}  // namespace
}  // namespace vestige::audit
