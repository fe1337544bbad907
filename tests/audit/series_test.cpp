// Points of the plots in whole audits: complete, consistent with the rows, and few.
#include "vestige/metrics/series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "tests/support/evidence_folder.h"
#include "vestige/audit/audit.h"
#include "vestige/evidence/reader.h"

namespace vestige::audit {
namespace {

using metrics::Control;
using metrics::Row;
using metrics::Series;
using testing::EvidenceFolder;
using testing::EvidenceShape;

constexpr std::size_t kForget = 30, kRetain = 40, kTest = 35, kModels = 5;

const AuditResult& sound() {
  static const EvidenceFolder folder(EvidenceShape{.classes = 4,
                                                   .models = kModels,
                                                   .shadows = 2,
                                                   .forget = kForget,
                                                   .retain = kRetain,
                                                   .test = kTest,
                                                   .activations = 3});
  static const AuditResult result = audit(evidence::load(folder.path()).evidence, {});
  return result;
}

const std::vector<double>& column(const Series& series, const std::string& name) {
  for (const auto& [key, values] : series.columns) {
    if (key == name) return values;
  }
  ADD_FAILURE() << series.metric << " has no column " << name;
  static const std::vector<double> none;
  return none;
}

double total(const Series& series) {
  const auto& counts = column(series, "count");
  return std::accumulate(counts.begin(), counts.end(), 0.0) + series.params.value("left_out", 0.0);
}

std::vector<const Series*> find(const std::string& kind, const std::string& metric,
                                const std::string& group = "") {
  std::vector<const Series*> found;
  for (const Series& series : sound().series) {
    if (series.kind == kind && series.metric == metric &&
        (group.empty() || series.group == group)) {
      found.push_back(&series);
    }
  }
  return found;
}

TEST(SeriesOfAnAudit, ColumnsAreThoseOfTheirKindAndEquallyLong) {
  const std::map<std::string, std::vector<std::string>> kinds = {
      {"roc", {"fpr", "tpr"}},
      {"sorted", {"share", "value"}},
      {"histogram", {"left", "right", "count"}},
      {"curve", {"x", "y", "lower", "upper"}}};
  ASSERT_FALSE(sound().series.empty());
  for (const Series& series : sound().series) {
    SCOPED_TRACE(series.kind + " " + series.metric + " " + series.subject.id());
    ASSERT_EQ(kinds.count(series.kind), 1U);
    std::vector<std::string> names;
    for (const auto& [name, values] : series.columns) {
      names.push_back(name);
      EXPECT_EQ(values.size(), series.columns.front().second.size());
      EXPECT_FALSE(values.empty());
    }
    EXPECT_EQ(names, kinds.at(series.kind));
  }
}

TEST(SeriesOfAnAudit, OneModelOfEachGroup) {
  std::set<std::tuple<std::string, std::string, std::string, std::string, std::string>> seen;
  for (const Series& series : sound().series) {
    EXPECT_TRUE(series.subject.id().find('/') == series.subject.id().npos ||
                series.subject.id().ends_with("/0") || series.metric.starts_with("epsilon"))
        << series.subject.id();
    EXPECT_TRUE(seen.insert({series.kind, series.metric, series.subject.id(), series.group,
                             series.params.dump()})
                    .second)
        << series.metric << " of " << series.subject.id() << " twice";
  }
  EXPECT_EQ(find("roc", "iam.online").size(), 5U)
      << "two methods, original, retrained, constant predictor";
}

TEST(SeriesOfAnAudit, CurvesHaveTheAreaOfTheirRows) {
  std::size_t curves = 0;
  for (const Series& series : sound().series) {
    if (series.kind != "roc") continue;
    for (const Row& row : sound().rows) {
      if (row.metric != series.metric + ".auc" || row.subject.id() != series.subject.id()) continue;
      if (row.settings.value("form", "") != series.params.value("form", "")) continue;
      const auto &fpr = column(series, "fpr"), &tpr = column(series, "tpr");
      double area = 0;
      for (std::size_t i = 1; i < fpr.size(); ++i) {
        area += (fpr[i] - fpr[i - 1]) * (tpr[i] + tpr[i - 1]) / 2;
      }
      EXPECT_NEAR(area, row.value, 0.005) << series.metric << " of " << series.subject.id();
      ++curves;
    }
  }
  // Five models; loss, EMIA-P and -R in two forms, LiRA off in three and on in two, update,
  // RMIA off and on in two; IAM on and off.
  EXPECT_EQ(curves, 5U * (1 + 4 + 6 + 4 + 2));
}

TEST(SeriesOfAnAudit, CountsSumToRows) {
  for (const char* mode : {"iam.online", "iam.offline"}) {
    for (const Series* series : find("histogram", mode, "forget")) {
      EXPECT_EQ(total(*series), kForget);
    }
    for (const Series* series : find("histogram", mode, "retain")) {
      EXPECT_EQ(total(*series), kRetain);
    }
  }
  EXPECT_FALSE(find("histogram", "conformal", "forget").empty());
  for (const Series* series : find("histogram", "conformal", "forget")) {
    EXPECT_EQ(total(*series), kForget);
    EXPECT_EQ(series->params.count("left_out"), 0U);
  }
  for (const Series* series : find("histogram", "conformal", "calibration")) {
    EXPECT_EQ(total(*series), kTest);
  }
  for (const Series* series : find("histogram", "sde.h")) {
    // 200 shuffles of each set.
    EXPECT_EQ(total(*series), 200 * series->params["sets"].get<double>()) << series->group;
  }
  EXPECT_EQ(find("histogram", "sde.h", "forget").size(), 5U);
  EXPECT_EQ(find("histogram", "sde.h", "in-training reference").size(), 5U);
  EXPECT_EQ(find("histogram", "sde.h", "out-of-training reference").size(), 5U);
}

TEST(SeriesOfAnAudit, EpsilonOfFullPoolsOnly) {
  // Two methods, original, constant predictor; there is no retrained control at full N.
  EXPECT_EQ(find("sorted", "epsilon").size(), 4U);
  for (const Series* series : find("histogram", "epsilon")) {
    EXPECT_EQ(total(*series), kForget);
    // N = 5: bins end at ceil(ln 4) = 2, so four of width 0.5 and one beyond.
    EXPECT_EQ(column(*series, "left"), (std::vector<double>{0, 0.5, 1, 1.5, 2}));
    EXPECT_EQ(series->params["beyond"], 2.0);
  }
  for (const Series* series : find("sorted", "epsilon")) {
    const auto& value = column(*series, "value");
    EXPECT_TRUE(std::is_sorted(value.rbegin(), value.rend()));
    EXPECT_EQ(column(*series, "share").back(), 1);
  }
}

TEST(SeriesOfAnAudit, ChosenRowsAreTheSameForEveryMethod) {
  std::map<std::string, std::set<std::size_t>> rows;
  for (const Series* series : find("histogram", "epsilon.confidence")) {
    rows[series->subject.id()].insert(series->params["row"].get<std::size_t>());
    EXPECT_EQ(total(*series), kModels);
    for (const Series* other : find("histogram", "epsilon.confidence")) {
      if (other->subject.id() != series->subject.id() ||
          other->params["row"] != series->params["row"])
        continue;
      EXPECT_EQ(column(*other, "left"), column(*series, "left")) << "both groups share their bins";
    }
  }
  ASSERT_EQ(rows.size(), 3U) << "two methods and the original";
  EXPECT_EQ(rows["unlearned/finetune"].size(), 3U);
  EXPECT_EQ(rows["unlearned/finetune"], rows["unlearned/nothing"]);
  EXPECT_EQ(find("histogram", "epsilon.confidence", "unlearned").size(), 6U);
  EXPECT_EQ(find("histogram", "epsilon.confidence", "retrained").size(), 9U);
}

TEST(SeriesOfAnAudit, QOverCalibrationRowsEndsAtQ) {
  const auto curves = find("curve", "conformal.q");
  ASSERT_EQ(curves.size(), 5U);
  for (const Series* curve : curves) {
    EXPECT_EQ(curve->params["x"], "calibration examples");
    EXPECT_EQ(column(*curve, "x").back(), kTest);
    for (const Row& row : sound().rows) {
      if (row.metric != "conformal.q" || row.subject.id() != curve->subject.id()) continue;
      if (row.settings["rule"] != curve->params["rule"]) continue;
      if (row.settings["alpha"] != curve->params["alpha"]) continue;
      EXPECT_EQ(column(*curve, "y").back(), row.value);
    }
  }
}

TEST(SeriesOfAnAudit, OnlyOfWhatWasAskedFor) {
  const EvidenceFolder folder(EvidenceShape{.models = 1, .forget = 20, .retain = 20, .test = 20});
  const auto evidence = evidence::load(folder.path()).evidence;
  for (const Series& series : audit(evidence, {.metrics = {"attacks.loss.auc"}}).series) {
    EXPECT_EQ(series.metric, "attacks.loss");
  }
}

}  // namespace
}  // namespace vestige::audit
