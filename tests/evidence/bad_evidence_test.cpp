// Every check of `vestige inspect`: one thing is spoilt, and the finding names file, place, value
// and remedy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/evidence_folder.h"
#include "vestige/base/file.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/npy.h"
#include "vestige/evidence/reader.h"

namespace vestige::evidence {
namespace {

using testing::array_of;
using testing::error_of;
using testing::EvidenceFolder;
using testing::EvidenceShape;
using testing::holds;

/// Sound evidence, small enough to be made anew for every test.
class BadEvidence : public ::testing::Test {
 protected:
  EvidenceFolder folder{EvidenceShape{.forget = 20, .retain = 60, .test = 20}};

  /// The only finding, as a sentence; it must have the given severity.
  std::string only(Severity severity = Severity::error) const {
    const Findings findings = read(folder.path()).findings;
    std::string all;
    for (const Finding& finding : findings) all += sentence(finding) + " | ";
    EXPECT_EQ(findings.size(), 1U) << all;
    if (findings.empty()) return {};
    EXPECT_EQ(findings[0].severity, severity) << all;
    const auto known = codes();
    EXPECT_TRUE(std::any_of(known.begin(), known.end(),
                            [&](const CodeInfo& info) { return info.code == findings[0].code; }))
        << all << findings[0].code;
    EXPECT_EQ(all.find('\n'), std::string::npos) << "one line each";
    return sentence(findings[0]);
  }
};

std::vector<double> zeros(std::size_t count) { return std::vector<double>(count); }

TEST_F(BadEvidence, WrongRank) {
  folder.put("original/0/forget", array_of(DType::float32, zeros(20), {20}));
  EXPECT_TRUE(holds(only(), {"original/0/forget.npy has shape [20]", "[rows, classes]"}));
  folder.put("original/0/forget", array_of(DType::float32, zeros(400), {1, 2, 20, 10}));
  EXPECT_TRUE(holds(only(), {"original/0/forget.npy has shape [1, 2, 20, 10]", "of a pool"}));
}

TEST_F(BadEvidence, WrongType) {
  folder.put("original/0/forget", array_of(DType::int64, zeros(200), {20, 10}));
  EXPECT_TRUE(holds(only(), {"original/0/forget.npy", "type int64", "export logits"}));
}

TEST_F(BadEvidence, WrongClassCount) {
  folder.put("retrained/1/test", array_of(DType::float32, zeros(20 * 9), {20, 9}));
  EXPECT_TRUE(holds(only(), {"retrained/1/test.npy has 9 columns", "original/0/calibration.npy",
                             "says 10", "one column per class"}));
  folder.put_file("evidence.toml", "classes = 9\n");
  const Findings findings = read(folder.path()).findings;
  EXPECT_TRUE(holds(sentence(findings[0]), {"has 10 columns", "evidence.toml says 9"}));
}

TEST_F(BadEvidence, WrongRowCountBesideLabels) {
  folder.put("unlearned/finetune/0/test", array_of(DType::float32, zeros(190), {19, 10}));
  EXPECT_TRUE(holds(only(), {"unlearned/finetune/0/test.npy has 19 rows", "labels/test has 20",
                             "without shuffling"}));
}

TEST_F(BadEvidence, WrongRowCountWithoutLabels) {
  folder.remove("labels/test");
  folder.put("unlearned/finetune/0/test", array_of(DType::float32, zeros(190), {19, 10}));
  const Findings findings = read(folder.path()).findings;
  EXPECT_TRUE(holds(sentence(findings.at(0)),
                    {"unlearned/finetune/0/test.npy has 19 rows", "original/0/test.npy has 20"}));
}

TEST_F(BadEvidence, MissingLabelsAreReportedOnce) {
  folder.remove("labels/test");
  EXPECT_TRUE(holds(
      only(), {"original/0/test.npy has no labels", "add labels/test.npy", "20 class numbers"}));
}

TEST_F(BadEvidence, NotANumber) {
  folder.change("original/1/retain", [](auto& values) {
    values[3 * 10 + 2] = std::nan("");
    values[3 * 10 + 3] = INFINITY;
    values[7 * 10] = -INFINITY;
    values[8 * 10] = std::nan("");
    values[9 * 10] = std::nan("");
  });
  EXPECT_TRUE(holds(only(), {"original/1/retain.npy has 5 NaN or infinite values",
                             "first in rows 3, 7, 8:", "export again"}));
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
  EXPECT_TRUE(holds(sentence(findings[0]),
                    {"original/pool/forget.npy (model 2) has 1 NaN", "first in row 2:"}));
}

TEST_F(BadEvidence, NotANumberInActivationsAndSaliency) {
  folder.put("original/0/activations/last/forget",
             array_of(DType::float32, std::vector<double>(40, std::nan("")), {20, 2}));
  EXPECT_TRUE(holds(only(), {"original/0/activations/last/forget.npy has 40 NaN"}));
  folder.remove("original/0/activations/last/forget");
  folder.put("original/0/saliency/forget",
             array_of(DType::float32, std::vector<double>(40, INFINITY), {20, 2}));
  EXPECT_TRUE(holds(only(), {"original/0/saliency/forget.npy has 40 NaN"}));
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
  EXPECT_TRUE(
      holds(only(), {"labels/test.npy has label 10 in row 5", "10 columns", "from 0 to 9"}));
  folder.change("labels/test", [](auto& labels) { labels[5] = -1; });
  EXPECT_TRUE(holds(only(), {"labels/test.npy has label -1 in row 5"}));
}

TEST_F(BadEvidence, LabelsThatAreNoClassNumbers) {
  folder.put("labels/test", array_of(DType::float32, zeros(200), {20, 10}));
  EXPECT_TRUE(holds(sentence(read(folder.path()).findings.at(0)),
                    {"labels/test.npy has shape [20, 10]", "argmax"}));
  std::vector<double> halves(20, 0.5);
  folder.put("labels/test", array_of(DType::float32, halves, {20}));
  EXPECT_TRUE(holds(sentence(read(folder.path()).findings.at(0)),
                    {"labels/test.npy", "whole numbers", "0.5"}));
}

TEST_F(BadEvidence, OneClassOnly) {
  folder.put_labels("forget", std::vector<std::int64_t>(20, 3));
  // Retain has rows of that class, then none of it.
  EXPECT_TRUE(holds(only(Severity::note), {"labels/forget.npy", "class 3 only", "a part of it"}));
  std::vector<std::int64_t> others = folder.array("labels/retain").integers();
  for (std::int64_t& label : others) label = label == 3 ? 4 : label;
  folder.put_labels("retain", others);
  EXPECT_TRUE(holds(only(Severity::note), {"labels/forget.npy", "class 3 only", "class-wise"}));
  folder.put_labels("forget", folder.array("labels/test").integers());
  folder.put_labels("test", std::vector<std::int64_t>(20, 3));
  EXPECT_TRUE(holds(only(Severity::warning), {"labels/test.npy", "class 3 only", "right labels"}));
}

TEST_F(BadEvidence, MixedKinds) {
  std::vector<double> probabilities(200, 0.1);
  folder.put("unlearned/finetune/0/forget", array_of(DType::float32, probabilities, {20, 10}));
  const Findings findings = read(folder.path()).findings;
  EXPECT_TRUE(
      holds(sentence(findings.at(0)),
            {"unlearned/finetune/0/forget.npy looks like probabilities",
             "original/0/calibration.npy like logits", "export one kind", "evidence.toml"}));
  folder.put_file("evidence.toml", "kind = \"logits\"\n");
  EXPECT_TRUE(holds(only(Severity::warning), {"same output for all 20 rows"}));
}

TEST_F(BadEvidence, ConstantOutputs) {
  folder.put("unlearned/finetune/0/retain", array_of(DType::float32, zeros(600), {60, 10}));
  EXPECT_TRUE(holds(only(Severity::warning), {"unlearned/finetune/0/retain.npy",
                                              "same output for all 60 rows", "collapsed model"}));
}

TEST_F(BadEvidence, DuplicatedIds) {
  std::vector<std::int64_t> ids(20);
  for (std::size_t row = 0; row < 20; ++row) ids[row] = static_cast<std::int64_t>(row);
  ids[7] = 2;
  ids[9] = 2;
  folder.put("ids/forget", Array::from_integers(ids, {20}));
  EXPECT_TRUE(holds(
      only(), {"ids/forget.npy row 7 repeats the id 2 of row 2", "(2 such rows)", "subjects/"}));
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
  EXPECT_TRUE(holds(only(), {"ids/test.npy row 4 has the id 11, which is row 11 of forget too",
                             "(1 such rows)", "disjoint splits"}));
}

TEST_F(BadEvidence, IdsAndSubjectsOfAnotherLength) {
  folder.put("ids/forget", Array::from_integers({1, 2, 3}, {3}));
  EXPECT_TRUE(holds(only(), {"ids/forget.npy has 3 rows", "labels/forget has 20"}));
  folder.remove("ids/forget");
  folder.put("subjects/forget", Array::from_integers({1, 2, 3}, {3}));
  EXPECT_TRUE(holds(only(), {"subjects/forget.npy has 3 rows"}));
  folder.put("subjects/forget", Array::from_integers({1, 2, 3, 4}, {2, 2}));
  EXPECT_TRUE(holds(only(), {"subjects/forget.npy has shape [2, 2]", "one identity per row"}));
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
  EXPECT_TRUE(
      holds(only(Severity::warning), {"retrained/1/retain.npy is right in", "any order of its rows",
                                      "another order", "without shuffling"}));
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
    EXPECT_TRUE(holds(only(), {"original/0/forget.npy"})) << size;
  }
}

TEST_F(BadEvidence, ForeignFiles) {
  const Array forget = folder.array("original/0/forget");
  folder.put_file("original/0/forget.npy", "PK\x03\x04 this is no array");
  EXPECT_TRUE(holds(only(), {"original/0/forget.npy"}));
  folder.put("original/0/forget", forget);
  folder.put_file("orignal/0/forget.npy", "x");
  EXPECT_TRUE(
      holds(only(Severity::warning), {"orignal/0/forget.npy is not read", "none of labels"}));
}

TEST_F(BadEvidence, NoRowsOrNoModels) {
  folder.put("original/0/forget", array_of(DType::float32, {}, {0, 10}));
  EXPECT_TRUE(holds(only(), {"original/0/forget.npy has shape [0, 10]", "export it again"}));
  folder.put("original/0/forget", array_of(DType::float32, {}, {0, 20, 10}));
  EXPECT_TRUE(holds(only(), {"original/0/forget.npy has shape [0, 20, 10]"}));
  folder.put("original/0/forget", folder.array("original/1/forget"));
  folder.put_labels("forget", {});
  EXPECT_TRUE(holds(sentence(read(folder.path()).findings.at(0)),
                    {"labels/forget.npy holds no labels", "export it again"}));
}

TEST_F(BadEvidence, OneColumn) {
  EvidenceFolder binary;
  binary.put_labels("forget", {0, 1});
  binary.put("original/0/forget", array_of(DType::float32, {0.5, 0.25}, {2, 1}));
  EXPECT_TRUE(holds(sentence(read(binary.path()).findings.at(0)),
                    {"original/0/forget.npy has one column", "probability p", "evidence.toml"}));
  folder.put("original/0/forget", array_of(DType::float32, zeros(20), {20, 1}));
  EXPECT_TRUE(holds(only(), {"original/0/forget.npy has 1 columns", "one column per class"}));
}

TEST_F(BadEvidence, PoolsThatDoNotMatch) {
  EvidenceFolder pool;
  pool.put_labels("forget", {0, 1});
  pool.put_labels("test", {0, 1});
  pool.put("original/pool/forget", array_of(DType::float32, zeros(12), {3, 2, 2}));
  pool.put("original/pool/test", array_of(DType::float32, zeros(8), {2, 2, 2}));
  EXPECT_TRUE(holds(sentence(read(pool.path()).findings.at(0)),
                    {"original/pool/test.npy stacks 2 models", "stacks 3", "same order"}));
  pool.put("original/pool/test", array_of(DType::float32, {1, 2, 3, 4}, {2, 2}));
  EXPECT_TRUE(holds(sentence(read(pool.path()).findings.at(0)),
                    {"original/pool/test.npy has shape [2, 2]", "stack 3 models"}));
}

TEST_F(BadEvidence, AModelGivenTwice) {
  folder.put("original/forget", folder.array("original/0/forget"));
  EXPECT_TRUE(holds(only(), {"original/forget.npy", "second time", "remove one"}));
}

TEST_F(BadEvidence, ActivationsOfAnotherLengthOrType) {
  folder.put("original/0/activations/last/forget", array_of(DType::float32, zeros(38), {19, 2}));
  EXPECT_TRUE(holds(only(), {"activations/last/forget.npy has 19 rows", "labels/forget has 20"}));
  folder.put("original/0/activations/last/forget", array_of(DType::int32, zeros(40), {20, 2}));
  EXPECT_TRUE(holds(only(), {"activations/last/forget.npy", "type int32", "floating"}));
}

TEST_F(BadEvidence, AccuracyFile) {
  folder.put_file("accuracy.json", R"({"original": {"test": [93.5, 91]}})");
  EXPECT_TRUE(holds(only(), {"accuracy.json", "\"original\"", "\"test\"", "93.5", "not per cent"}));
  folder.put_file("accuracy.json", R"({"original": {"test": [0.9]}})");
  EXPECT_TRUE(holds(
      only(), {"accuracy.json has 1 values", "\"original\"", "2 models", "one value per model"}));
  folder.put_file("accuracy.json", R"({"finetun": {"test": [0.9, 0.9]}})");
  EXPECT_TRUE(holds(only(Severity::warning), {"accuracy.json", "\"finetun\"", "not used"}));
  folder.put_file("accuracy.json", R"({"": {"test": [0.9, 0.9]}})");
  EXPECT_TRUE(holds(only(Severity::warning), {"accuracy.json", "\"\"", "not used"}));
  folder.put_file("accuracy.json", R"({"original": )");
  EXPECT_TRUE(holds(only(), {"accuracy.json is no valid JSON", "json.dump"}));
  folder.put_file("accuracy.json", R"({"original": {"test": ["high"]}})");
  EXPECT_TRUE(holds(only(), {"accuracy.json", "\"high\"", "numbers"}));
  folder.put_file("accuracy.json", "[1, 2]");
  EXPECT_TRUE(holds(only(), {"accuracy.json must be an object"}));
  folder.put_file("accuracy.json", R"({"original": [0.9]})");
  EXPECT_TRUE(holds(only(), {"accuracy.json", "\"original\"", "object of splits"}));
}

TEST_F(BadEvidence, SettingsFile) {
  folder.put_file("evidence.toml", "knid = \"logits\"\n");
  EXPECT_TRUE(holds(only(), {"evidence.toml line 1", "'knid'", "'kind'"}));
  folder.put_file("evidence.toml", "[pairing]\n\"unlearned/finetune/0\" = \"original/7\"\n");
  EXPECT_TRUE(holds(only(), {"evidence.toml", "no model original/7"}));
  folder.put_file("evidence.toml", "[pairing]\n\"finetune/0\" = \"original/0\"\n");
  EXPECT_TRUE(holds(only(), {"evidence.toml", "no model finetune/0", "unlearned/METHOD/NAME"}));
  folder.put_file("evidence.toml", "[seconds]\nfinetun = 3\n");
  EXPECT_TRUE(holds(only(Severity::warning), {"evidence.toml", "\"finetun\"", "not used"}));
  folder.put_file("evidence.toml", "[removed_fraction]\n25 = 0.25\n");
  EXPECT_TRUE(holds(only(Severity::warning), {"evidence.toml", "no partial/25", "not used"}));
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
