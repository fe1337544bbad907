// Every family of the registry on evidence at the edge: no crash, no infinite value, and a note
// wherever there is no value. A new family is covered by being registered.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/evidence_folder.h"
#include "vestige/audit/audit.h"
#include "vestige/audit/comparisons.h"
#include "vestige/evidence/reader.h"

namespace vestige::audit {
namespace {

using evidence::Array;
using evidence::DType;
using metrics::Family;
using metrics::Row;
using metrics::Status;
using testing::array_of;
using testing::EvidenceFolder;
using testing::EvidenceShape;

bool infinite(const Row& row) {
  return std::isinf(row.value) || std::isinf(row.lower) || std::isinf(row.upper);
}

void check_row(const Family& family, const Row& row) {
  SCOPED_TRACE(row.metric + " of " + row.subject.id());
  EXPECT_TRUE(std::any_of(family.metrics.begin(), family.metrics.end(), [&row](const auto& info) {
    return info.id == row.metric;
  })) << "not in the family's list";
  EXPECT_FALSE(row.subject.id().empty());
  // Infinite by definition (a conformal threshold from too few rows): then the note says why.
  if (infinite(row)) {
    EXPECT_FALSE(row.notes.empty()) << row.value << " " << row.lower << " " << row.upper;
  }
  if (std::isnan(row.value)) {
    EXPECT_NE(row.status, Status::ok);
  }
  if (row.status != Status::ok) {
    EXPECT_FALSE(row.notes.empty()) << "it must say why";
  }
  EXPECT_EQ(std::isnan(row.lower), std::isnan(row.upper));
  if (!std::isnan(row.lower) && !std::isnan(row.value)) {
    EXPECT_FALSE(row.interval.empty());
    EXPECT_LE(row.lower, row.upper);
  }
}

/// Fewer sets than otherwise: what is at the edge in one of them is so in all.
const Json kFewSets = {{"sde.subsets", 20}, {"sde.reference_draws", 6}, {"sde.shuffles", 40}};

void check_families(const evidence::Evidence& evidence) {
  const evidence::Group constant = constant_group(evidence);
  for (const Family& family : metrics::families()) {
    SCOPED_TRACE(family.name);
    const metrics::Support support = family.support(evidence);
    if (!support.supported) {
      EXPECT_FALSE(support.reason.empty()) << "it must say what is missing";
      continue;
    }
    const std::vector<metrics::Comparison> all = comparisons(evidence, constant, family.unit);
    const metrics::Request request{.options = kFewSets};
    metrics::Measure measure;
    ASSERT_NO_THROW(measure = family.prepare({evidence, request, all}));
    for (const metrics::Comparison& comparison : all) {
      SCOPED_TRACE(comparison.subject.id());
      Progress progress(ProgressStyle::quiet, "test", 1);
      metrics::Measurements measured;
      ASSERT_NO_THROW(measured = measure(comparison, progress));
      for (const Row& row : measured.rows) check_row(family, row);
      for (const metrics::SampleColumn& column : measured.columns) {
        const auto* labels = evidence.find_labels(column.split);
        ASSERT_NE(labels, nullptr);
        EXPECT_EQ(column.texts.empty() ? column.values.size() : column.texts.size(), labels->size())
            << column.name;
      }
    }
  }
  AuditResult result;
  ASSERT_NO_THROW(result = audit(evidence, {.metrics = {}, .options = kFewSets}));
  for (const Row& row : result.rows) {
    EXPECT_FALSE(infinite(row)) << row.metric << " of " << row.subject.id();
    EXPECT_FALSE(std::isinf(row.reference)) << row.metric << " of " << row.subject.id();
  }
}

void check_families(const EvidenceFolder& folder) {
  check_families(evidence::load(folder.path()).evidence);
}

EvidenceShape few(std::size_t models = 4) {
  return {.classes = 3,
          .models = models,
          .shadows = 2,
          .forget = 12,
          .retain = 20,
          .test = 15,
          .activations = 3,
          .untrained = true};
}

void change_all(EvidenceFolder& folder, const std::function<void(std::vector<double>&)>& action) {
  std::vector<std::string> keys;
  for (const auto& [key, array] : folder.arrays()) {
    const bool outputs = !key.starts_with("labels/") && key.find("/activations/") == key.npos;
    if (outputs) keys.push_back(key);
  }
  for (const std::string& key : keys) folder.change(key, action);
}

TEST(Families, SoundEvidence) {
  check_families(EvidenceFolder(few()));
  check_families(EvidenceFolder(few(1)));
  check_families(EvidenceFolder(few(2)));
}

TEST(Families, TwoClasses) {
  EvidenceShape shape = few();
  shape.classes = 2;
  check_families(EvidenceFolder(shape));
}

TEST(Families, NoEvidenceAtAll) { check_families(evidence::Evidence{}); }

TEST(Families, NoRetrainedModel) {
  EvidenceFolder folder(few(1));
  for (const char* split : {"forget", "retain", "test", "calibration"}) {
    folder.remove(std::string("retrained/0/") + split);
    folder.remove(std::string("retrained/0/activations/penultimate/") + split);
  }
  check_families(folder);
}

TEST(Families, NoOriginalModel) {
  EvidenceFolder folder(few(1));
  for (const char* split : {"forget", "retain", "test", "calibration"}) {
    folder.remove(std::string("original/0/") + split);
    folder.remove(std::string("original/0/activations/penultimate/") + split);
  }
  check_families(folder);
}

TEST(Families, UnlearnedModelAlone) {
  EvidenceFolder folder;
  folder.put_labels("forget", {0, 1, 1});
  folder.put("unlearned/ft/0/forget", array_of(DType::float32, {1, 2, 0, 1, 3, 1}, {3, 2}));
  check_families(folder);
}

TEST(Families, ForgetRowsOnly) {
  EvidenceFolder folder(few());
  const auto arrays = folder.arrays();
  for (const auto& [key, array] : arrays) {
    if (!key.ends_with("/forget")) folder.remove(key);
  }
  check_families(folder);
}

TEST(Families, OneClassOnly) {
  EvidenceFolder folder(few());
  for (const auto& [split, rows] : {std::pair<const char*, std::size_t>{"forget", 12},
                                    {"retain", 20},
                                    {"test", 15},
                                    {"calibration", 15},
                                    {"shadow_train", 20}}) {
    folder.put_labels(split, std::vector<std::int64_t>(rows, 1));
  }
  check_families(folder);
}

TEST(Families, OneForgottenClass) {
  EvidenceFolder folder(few());
  folder.put_labels("forget", std::vector<std::int64_t>(12, 1));
  check_families(folder);
}

TEST(Families, ConstantOutputs) {
  EvidenceFolder folder(few());
  change_all(folder, [](auto& values) { std::fill(values.begin(), values.end(), 0.0); });
  check_families(folder);
}

TEST(Families, OneRowPerSplit) {
  EvidenceShape shape = few();
  shape.forget = shape.retain = shape.test = 1;
  check_families(EvidenceFolder(shape));
  shape.models = 1;
  check_families(EvidenceFolder(shape));
}

TEST(Families, TwoRowsPerSplit) {
  EvidenceShape shape = few();
  shape.forget = shape.retain = shape.test = 2;
  check_families(EvidenceFolder(shape));
}

// Softmax in float32 underflows to exact zeros and ones.
TEST(Families, SaturatedProbabilities) {
  EvidenceFolder folder(few());
  change_all(folder, [](auto& values) {
    for (std::size_t start = 0; start < values.size(); start += 3) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(start);
      const auto best = std::max_element(first, first + 3);
      std::fill(first, first + 3, 0.0);
      *best = 1;
    }
  });
  check_families(folder);
}

TEST(Families, SaturatedLogProbabilities) {
  EvidenceFolder folder(few());
  change_all(folder, [](auto& values) {
    for (std::size_t start = 0; start < values.size(); start += 3) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(start);
      const auto best = std::max_element(first, first + 3);
      std::fill(first, first + 3, -INFINITY);
      *best = 0;
    }
  });
  check_families(folder);
}

TEST(Families, EnormousLogits) {
  EvidenceFolder folder(few());
  change_all(folder, [](auto& values) {
    for (double& value : values) value *= 1e30;
  });
  check_families(folder);
}

TEST(Families, OriginalsLikeRetrained) {
  EvidenceFolder folder(few());
  for (int model = 0; model < 4; ++model) {
    for (const char* split : {"forget", "retain", "test", "calibration"}) {
      const auto source = fmt::format("retrained/{}/{}", model, split);
      for (const char* role : {"original", "unlearned/finetune", "unlearned/nothing"}) {
        folder.put(fmt::format("{}/{}/{}", role, model, split), folder.array(source));
      }
    }
  }
  check_families(folder);
}

}  // namespace
}  // namespace vestige::audit
