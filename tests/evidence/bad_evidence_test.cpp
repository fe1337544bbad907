// Every check of `vestige inspect`: one thing is spoilt, and the finding names file, place, value
// and remedy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/evidence/support.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/file.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/evidence/reader.h"

namespace vestige::evidence {
namespace {

using testing::array_of;
using testing::error_of;
using testing::EvidenceFolder;
using testing::EvidenceShape;
using testing::holds;
using testing::said;
using testing::Texts;

const Texts kOutputShapes = {"[examples, classes]", "[models, examples, classes]"};
const Texts kFloatTypes = {"float16", "float32", "float64"};
const result::Reasons kNoHint = {};

/// Sound evidence, small enough to be made anew for every test.
class BadEvidence : public ::testing::Test {
 protected:
  EvidenceFolder folder{EvidenceShape{.forget = 20, .retain = 60, .test = 20}};

  /// The only finding; it must have the given severity.
  Finding only(Severity severity = Severity::error) const {
    const Findings findings = read(folder.path()).findings;
    std::string all;
    for (const Finding& finding : findings) all += said(finding) + " | ";
    EXPECT_EQ(findings.size(), 1U) << all;
    if (findings.empty()) return {};
    EXPECT_EQ(findings[0].severity, severity) << all;
    const auto known = codes();
    EXPECT_TRUE(std::any_of(known.begin(), known.end(),
                            [&](const CodeInfo& info) { return info.code == findings[0].code; }))
        << all << findings[0].code;
    EXPECT_EQ(all.find('\n'), std::string::npos) << "one line each";
    return findings[0];
  }

  void expect_only(const std::string& file, const Reason& why,
                   Severity severity = Severity::error) const {
    expect_first(only(severity), file, why);
  }

  static void expect_first(const Finding& finding, const std::string& file, const Reason& why) {
    EXPECT_EQ(finding.file, file);
    EXPECT_EQ(finding.reason, why);
  }
};

std::vector<double> zeros(std::size_t count) { return std::vector<double>(count); }

TEST_F(BadEvidence, WrongRank) {
  folder.put("original/0/forget", array_of(DType::float32, zeros(20), {20}));
  expect_only("original/0/forget.npy",
              reason(Code::wrong_array, "[20]", "float32", kOutputShapes, kFloatTypes, kNoHint));
  folder.put("original/0/forget", array_of(DType::float32, zeros(400), {1, 2, 20, 10}));
  expect_only("original/0/forget.npy", reason(Code::wrong_array, "[1, 2, 20, 10]", "float32",
                                              kOutputShapes, kFloatTypes, kNoHint));
  EXPECT_EQ(said(only()),
            "original/0/forget.npy has shape [1, 2, 20, 10] and type float32. Needed: shape "
            "[examples, classes] or [models, examples, classes], type float16, float32 or "
            "float64");
}

TEST_F(BadEvidence, WrongType) {
  folder.put("original/0/forget", array_of(DType::int64, zeros(200), {20, 10}));
  expect_only("original/0/forget.npy", reason(Code::wrong_array, "[20, 10]", "int64", kOutputShapes,
                                              kFloatTypes, Reason(Code::export_logits)));
}

TEST_F(BadEvidence, WrongClassCount) {
  folder.put("retrained/1/test", array_of(DType::float32, zeros(20 * 9), {20, 9}));
  expect_only("retrained/1/test.npy",
              reason(Code::columns_differ, 9, "original/0/calibration.npy", 10));
  folder.put_file("evidence.toml", "classes = 9\n");
  EXPECT_EQ(read(folder.path()).findings.at(0).reason,
            reason(Code::columns_differ, 10, "evidence.toml", 9));
}

TEST_F(BadEvidence, WrongRowCountBesideLabels) {
  folder.put("unlearned/finetune/0/test", array_of(DType::float32, zeros(190), {19, 10}));
  expect_only("unlearned/finetune/0/test.npy", reason(Code::rows_differ, 19, "labels/test", 20));
}

TEST_F(BadEvidence, WrongRowCountWithoutLabels) {
  folder.remove("labels/test");
  folder.put("unlearned/finetune/0/test", array_of(DType::float32, zeros(190), {19, 10}));
  expect_first(read(folder.path()).findings.at(0), "unlearned/finetune/0/test.npy",
               reason(Code::rows_differ, 19, "original/0/test.npy", 20));
}

TEST_F(BadEvidence, MissingLabelsAreReportedOnce) {
  folder.remove("labels/test");
  expect_only("original/0/test.npy", reason(Code::labels_missing, "test", 20));
}

TEST_F(BadEvidence, NotANumber) {
  folder.change("original/1/retain", [](auto& values) {
    values[3 * 10 + 2] = std::nan("");
    values[3 * 10 + 3] = INFINITY;
    values[7 * 10] = -INFINITY;
    values[8 * 10] = std::nan("");
    values[9 * 10] = std::nan("");
  });
  expect_only("original/1/retain.npy", reason(Code::not_finite, 5, Texts{"3", "7", "8"}));
}

TEST_F(BadEvidence, NotANumberInOneRowOfAPool) {
  EvidenceFolder pool;
  pool.put_labels("forget", {0, 1, 0});
  std::vector<double> values(3 * 3 * 2);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * i);
  values[2 * 6 + 4] = std::nan("");
  pool.put("original/pool/forget", array_of(DType::float16, values, {3, 3, 2}));
  const Findings findings = read(pool.path()).findings;
  ASSERT_EQ(findings.size(), 1U);
  expect_first(findings[0], "original/pool/forget.npy (model 2)",
               reason(Code::not_finite, 1, Texts{"2"}));
}

TEST_F(BadEvidence, NotANumberInActivationsAndSaliency) {
  folder.put("original/0/activations/last/forget",
             array_of(DType::float32, std::vector<double>(40, std::nan("")), {20, 2}));
  const Reason all_bad = reason(Code::not_finite, 40, Texts{"0", "1", "2"});
  expect_only("original/0/activations/last/forget.npy", all_bad);
  folder.remove("original/0/activations/last/forget");
  folder.put("original/0/saliency/forget",
             array_of(DType::float32, std::vector<double>(40, INFINITY), {20, 2}));
  expect_only("original/0/saliency/forget.npy", all_bad);
}

TEST_F(BadEvidence, MinusInfinityIsALogProbability) {
  EvidenceFolder logs;
  logs.put_labels("forget", {0, 1});
  logs.put("original/0/forget", array_of(DType::float32, {0, -INFINITY, -INFINITY, 0}, {2, 2}));
  EXPECT_EQ(read(logs.path()).findings.size(), 0U);
  EXPECT_EQ(read(logs.path()).evidence.kind, OutputKind::log_probabilities);
}

// The NaN is what is wrong, not the kind.
TEST_F(BadEvidence, ADivergedModelAmongProbabilities) {
  EvidenceFolder mixed;
  mixed.put_labels("forget", {0, 1});
  mixed.put("original/0/forget", array_of(DType::float32, {0.5, 0.5, 0.25, 0.75}, {2, 2}));
  mixed.put("original/1/forget",
            array_of(DType::float32, std::vector<double>(4, std::nan("")), {2, 2}));
  const std::string error = error_of([&] { load(mixed.path()); });
  EXPECT_TRUE(holds(error, {"original/1/forget.npy has 4 NaN"}));
  mixed.put("original/1/forget", array_of(DType::float32, {0.5, 0.5, std::nan(""), 0.75}, {2, 2}));
  EXPECT_TRUE(holds(error_of([&] { load(mixed.path()); }), {"original/1/forget.npy has 1 NaN"}));
}

TEST_F(BadEvidence, LabelsOutOfRange) {
  folder.change("labels/test", [](auto& labels) { labels[5] = 10; });
  expect_only("labels/test.npy", reason(Code::label_out_of_range, 10, 5, 10, 9));
  folder.change("labels/test", [](auto& labels) { labels[5] = -1; });
  expect_only("labels/test.npy", reason(Code::label_out_of_range, -1, 5, 10, 9));
}

TEST_F(BadEvidence, LabelsThatAreNoClassNumbers) {
  folder.put("labels/test", array_of(DType::float32, zeros(200), {20, 10}));
  expect_first(read(folder.path()).findings.at(0), "labels/test.npy",
               reason(Code::wrong_array, "[20, 10]", "float32", Texts{"[examples]"},
                      Texts{"integer"}, Reason(Code::one_hot_to_numbers)));
  std::vector<double> halves(20, 0.5);
  folder.put("labels/test", array_of(DType::float32, halves, {20}));
  const Finding half = read(folder.path()).findings.at(0);
  EXPECT_EQ(half.reason.code, Code::labels_not_numbers);
  EXPECT_TRUE(holds(said(half), {"labels/test.npy", "whole numbers", "0.5"}));
}

TEST_F(BadEvidence, OneClassOnly) {
  folder.put_labels("forget", std::vector<std::int64_t>(20, 3));
  // Retain has rows of that class, then none of it.
  expect_only("labels/forget.npy", reason(Code::forget_part_of_class, 3), Severity::note);
  std::vector<std::int64_t> others = folder.array("labels/retain").integers();
  for (std::int64_t& label : others) label = label == 3 ? 4 : label;
  folder.put_labels("retain", others);
  expect_only("labels/forget.npy", reason(Code::forget_whole_class, 3), Severity::note);
  folder.put_labels("forget", folder.array("labels/test").integers());
  folder.put_labels("test", std::vector<std::int64_t>(20, 3));
  expect_only("labels/test.npy", reason(Code::one_class, 3), Severity::warning);
}

TEST_F(BadEvidence, MixedKinds) {
  std::vector<double> probabilities(200, 0.1);
  folder.put("unlearned/finetune/0/forget", array_of(DType::float32, probabilities, {20, 10}));
  expect_first(read(folder.path()).findings.at(0), "",
               reason(Code::kinds_differ, "unlearned/finetune/0/forget.npy", "probabilities",
                      "original/0/calibration.npy", "logits"));
  folder.put_file("evidence.toml", "kind = \"logits\"\n");
  expect_only("unlearned/finetune/0/forget.npy", reason(Code::constant_outputs, 20),
              Severity::warning);
}

TEST_F(BadEvidence, ConstantOutputs) {
  folder.put("unlearned/finetune/0/retain", array_of(DType::float32, zeros(600), {60, 10}));
  expect_only("unlearned/finetune/0/retain.npy", reason(Code::constant_outputs, 60),
              Severity::warning);
}

TEST_F(BadEvidence, DuplicatedIds) {
  std::vector<std::int64_t> ids(20);
  for (std::size_t row = 0; row < 20; ++row) ids[row] = static_cast<std::int64_t>(row);
  ids[7] = 2;
  ids[9] = 2;
  folder.put("ids/forget", Array::from_integers(ids, {20}));
  expect_only("ids/forget.npy", reason(Code::id_repeated, "2", 2, 7, 2));
}

TEST_F(BadEvidence, IdsInTwoSplits) {
  std::vector<std::int64_t> forget(20), test(20);
  for (std::size_t row = 0; row < 20; ++row) {
    forget[row] = static_cast<std::int64_t>(row);
    test[row] = static_cast<std::int64_t>(100 + row);
  }
  test[4] = 11;
  folder.put("ids/forget", Array::from_integers(forget, {20}));
  folder.put("ids/test", Array::from_integers(test, {20}));
  expect_only("ids/test.npy", reason(Code::id_in_two_splits, "11", 4, "forget", 11, 1));
}

TEST_F(BadEvidence, IdsAndSubjectsOfAnotherLength) {
  folder.put("ids/forget", Array::from_integers({1, 2, 3}, {3}));
  expect_only("ids/forget.npy", reason(Code::rows_differ, 3, "labels/forget", 20));
  folder.remove("ids/forget");
  folder.put("subjects/forget", Array::from_integers({1, 2, 3}, {3}));
  expect_only("subjects/forget.npy", reason(Code::rows_differ, 3, "labels/forget", 20));
  folder.put("subjects/forget", Array::from_integers({1, 2, 3, 4}, {2, 2}));
  expect_only("subjects/forget.npy",
              reason(Code::wrong_array, "[2, 2]", "int64", Texts{"[examples]"},
                     Texts{"text", "integer"}, kNoHint));
}

TEST_F(BadEvidence, RowsInAnotherOrder) {
  folder.change("retrained/1/retain", [](auto& values) {
    const std::vector<double> before = values;
    const auto order = Stream(5, "shuffle").permutation(60);
    for (std::size_t row = 0; row < 60; ++row) {
      std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(order[row] * 10), 10,
                  values.begin() + static_cast<std::ptrdiff_t>(row * 10));
    }
  });
  const Finding shuffled = only(Severity::warning);
  EXPECT_EQ(shuffled.file, "retrained/1/retain.npy");
  EXPECT_EQ(shuffled.reason.code, Code::rows_in_other_order);
}

TEST_F(BadEvidence, AnUntrainedModelIsAtChanceByDesign) {
  Stream noise(1, "random");
  std::vector<double> values(600);
  for (double& value : values) value = noise.normal();
  folder.put("random/0/retain", array_of(DType::float32, values, {60, 10}));
  EXPECT_TRUE(read(folder.path()).findings.empty());
}

TEST_F(BadEvidence, TruncatedFile) {
  const std::string whole = read_file(folder / "original/0/forget.npy");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{60}, whole.size() - 1}) {
    folder.put_file("original/0/forget.npy", std::string_view(whole).substr(0, size));
    EXPECT_TRUE(holds(said(only()), {"original/0/forget.npy"})) << size;
  }
}

TEST_F(BadEvidence, ForeignFiles) {
  const Array forget = folder.array("original/0/forget");
  folder.put_file("original/0/forget.npy", "PK\x03\x04 this is no array");
  EXPECT_TRUE(holds(said(only()), {"original/0/forget.npy"}));
  folder.put("original/0/forget", forget);
  folder.put_file("orignal/0/forget.npy", "x");
  EXPECT_TRUE(holds(said(only(Severity::warning)),
                    {"orignal/0/forget.npy is not read", "labels/, ids/", "original/"}));
}

TEST_F(BadEvidence, NoRowsOrNoModels) {
  folder.put("original/0/forget", array_of(DType::float32, {}, {0, 10}));
  expect_only("original/0/forget.npy", reason(Code::no_values, "[0, 10]"));
  folder.put("original/0/forget", array_of(DType::float32, {}, {0, 20, 10}));
  expect_only("original/0/forget.npy", reason(Code::no_values, "[0, 20, 10]"));
  folder.put("original/0/forget", folder.array("original/1/forget"));
  folder.put_labels("forget", {});
  expect_first(read(folder.path()).findings.at(0), "labels/forget.npy",
               reason(Code::no_values, "[0]"));
}

TEST_F(BadEvidence, OneColumn) {
  EvidenceFolder binary;
  binary.put_labels("forget", {0, 1});
  binary.put("original/0/forget", array_of(DType::float32, {0.5, 0.25}, {2, 1}));
  expect_first(read(binary.path()).findings.at(0), "original/0/forget.npy",
               reason(Code::binary_outputs, 0, "probabilities", false));
  folder.put("original/0/forget", array_of(DType::float32, zeros(20), {20, 1}));
  expect_only("original/0/forget.npy",
              reason(Code::columns_differ, 1, "original/0/calibration.npy", 10));
}

TEST_F(BadEvidence, PoolsThatDoNotMatch) {
  EvidenceFolder pool;
  pool.put_labels("forget", {0, 1});
  pool.put_labels("test", {0, 1});
  pool.put("original/pool/forget", array_of(DType::float32, zeros(12), {3, 2, 2}));
  pool.put("original/pool/test", array_of(DType::float32, zeros(8), {2, 2, 2}));
  expect_first(read(pool.path()).findings.at(0), "original/pool/test.npy",
               reason(Code::pool_differs, "[2, 2, 2]", 3));
  pool.put("original/pool/test", array_of(DType::float32, {1, 2, 3, 4}, {2, 2}));
  expect_first(read(pool.path()).findings.at(0), "original/pool/test.npy",
               reason(Code::pool_differs, "[2, 2]", 3));
}

TEST_F(BadEvidence, AModelGivenTwice) {
  folder.put("original/forget", folder.array("original/0/forget"));
  expect_only("original/forget.npy", reason(Code::split_given_twice, "forget", "original/forget"));
}

TEST_F(BadEvidence, ActivationsOfAnotherLengthOrType) {
  folder.put("original/0/activations/last/forget", array_of(DType::float32, zeros(38), {19, 2}));
  const std::string file = "original/0/activations/last/forget.npy";
  expect_only(file, reason(Code::rows_differ, 19, "labels/forget", 20));
  folder.put("original/0/activations/last/forget", array_of(DType::int32, zeros(40), {20, 2}));
  expect_only(file, reason(Code::wrong_array, "[20, 2]", "int32", Texts{"[examples, ...]"},
                           kFloatTypes, kNoHint));
}

TEST_F(BadEvidence, AccuracyFile) {
  folder.put_file("accuracy.json", R"({"original": {"test": [93.5, 91]}})");
  EXPECT_TRUE(
      holds(said(only()), {"accuracy.json", "\"original\"", "\"test\"", "93.5", "not per cent"}));
  folder.put_file("accuracy.json", R"({"original": {"test": [0.9]}})");
  expect_only("accuracy.json", reason(Code::accuracy_count, 1, "original", "test", 2));
  folder.put_file("accuracy.json", R"({"finetun": {"test": [0.9, 0.9]}})");
  expect_only("accuracy.json", reason(Code::accuracy_not_used, "finetun"), Severity::warning);
  folder.put_file("accuracy.json", R"({"": {"test": [0.9, 0.9]}})");
  expect_only("accuracy.json", reason(Code::accuracy_not_used, ""), Severity::warning);
  folder.put_file("accuracy.json", R"({"original": )");
  EXPECT_TRUE(holds(said(only()), {"accuracy.json is not valid JSON", "json.dump"}));
  folder.put_file("accuracy.json", R"({"original": {"test": ["high"]}})");
  EXPECT_TRUE(holds(said(only()), {"accuracy.json", "\"high\"", "numbers"}));
  folder.put_file("accuracy.json", "[1, 2]");
  EXPECT_TRUE(holds(said(only()), {"accuracy.json must be an object"}));
  folder.put_file("accuracy.json", R"({"original": [0.9]})");
  EXPECT_TRUE(holds(said(only()), {"accuracy.json", "\"original\"", "object of splits"}));
}

TEST_F(BadEvidence, SettingsFile) {
  folder.put_file("evidence.toml", "knid = \"logits\"\n");
  EXPECT_TRUE(holds(said(only()), {"evidence.toml line 1", "'knid'", "'kind'"}));
  folder.put_file("evidence.toml", "[pairing]\n\"unlearned/finetune/0\" = \"original/7\"\n");
  expect_only("evidence.toml",
              reason(Code::pairing_unknown, "unlearned/finetune/0", "original/7", "original/7"));
  folder.put_file("evidence.toml", "[pairing]\n\"finetune/0\" = \"original/0\"\n");
  expect_only("evidence.toml",
              reason(Code::pairing_unknown, "finetune/0", "original/0", "finetune/0"));
  folder.put_file("evidence.toml", "[seconds]\nfinetun = 3\n");
  expect_only("evidence.toml",
              reason(Code::setting_not_used, "seconds.\"finetun\"", "unlearned/finetun"),
              Severity::warning);
  folder.put_file("evidence.toml", "[removed_fraction]\n25 = 0.25\n");
  expect_only("evidence.toml",
              reason(Code::setting_not_used, "removed_fraction.\"25\"", "partial/25"),
              Severity::warning);
}

TEST(UnreadableEvidence, ThrowsOneSentence) {
  testing::TemporaryFolder folder;
  EXPECT_TRUE(holds(error_of([&] { read(folder.path()); }), {"is empty", "original/0/forget.npy"}));
  EXPECT_TRUE(holds(error_of([&] { read(folder / "nowhere"); }), {"nowhere", "does not exist"}));
  write_file(folder / "notes.txt", "hello");
  EXPECT_TRUE(holds(error_of([&] { read(folder.path()); }), {"no .npy or .csv"}));
  EXPECT_TRUE(holds(error_of([&] { read(folder / "notes.txt"); }), {"no known ending", ".npz"}));
}

TEST(LabelsOnly, IsNoEvidence) {
  EvidenceFolder folder;
  folder.put_labels("forget", {0, 1});
  EXPECT_TRUE(holds(error_of([&] { load(folder.path()); }), {"no model outputs"}));
}

}  // namespace
}  // namespace vestige::evidence
