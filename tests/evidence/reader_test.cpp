// Reading whole folders: what sound evidence becomes, in all three forms.
#include "vestige/evidence/reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/evidence/support.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/file.h"
#include "vestige/base/sha256.h"
#include "vestige/evidence/formats/npy.h"

namespace vestige::evidence {
namespace {

using testing::array_of;
using testing::error_of;
using testing::EvidenceFolder;
using testing::EvidenceShape;
using testing::holds;

std::string all(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) text += testing::said(finding) + "\n";
  return text;
}

std::vector<std::string> group_ids(const Evidence& evidence) {
  std::vector<std::string> ids;
  for (const Group& group : evidence.groups) ids.push_back(group.id());
  return ids;
}

TEST(Reader, SoundEvidenceHasNoFindings) {
  for (const std::size_t classes : {2UL, 10UL}) {
    const EvidenceFolder folder(EvidenceShape{.classes = classes});
    const Reading reading = read(folder.path());
    EXPECT_TRUE(reading.findings.empty()) << all(reading.findings);
    const Evidence& evidence = reading.evidence;
    EXPECT_EQ(evidence.classes, classes);
    EXPECT_EQ(evidence.kind, OutputKind::logits);
    EXPECT_FALSE(evidence.kind_declared);
    EXPECT_EQ(group_ids(evidence),
              (std::vector<std::string>{"original", "retrained", "unlearned/finetune",
                                        "unlearned/nothing", "shadow"}));
    EXPECT_EQ(evidence.labels.at("forget"), folder.array("labels/forget").integers());
    const Model& model = evidence.find("unlearned", "finetune")->models.at(1);
    EXPECT_EQ(model.id(), "unlearned/finetune/1");
    EXPECT_EQ(model.folder, "unlearned/finetune/1");
    EXPECT_EQ(model.stacked, -1);
    EXPECT_EQ(model.outputs.at("test").doubles(),
              folder.array("unlearned/finetune/1/test").doubles());
    EXPECT_EQ(evidence.original_of(model)->id(), "original/1");
    EXPECT_EQ(evidence.unlearned().size(), 2U);
    EXPECT_EQ(evidence.find("unlearned"), nullptr);
    EXPECT_EQ(evidence.find_labels("nowhere"), nullptr);
  }
}

TEST(Reader, HashesAreThoseOfTheFiles) {
  EvidenceFolder folder(EvidenceShape{.models = 1, .shadows = 0, .methods = {}});
  folder.put_file("accuracy.json", R"({"original": {"test": [0.5]}})");
  const Reading reading = read(folder.path(), true);
  ASSERT_EQ(reading.evidence.inputs.size(), folder.arrays().size() + 1);
  for (const Input& input : reading.evidence.inputs) {
    const std::string bytes = read_file(folder / input.path);
    EXPECT_EQ(input.sha256, sha256(std::as_bytes(std::span<const char>(bytes)))) << input.path;
  }
  EXPECT_EQ(read(folder.path()).evidence.inputs[0].sha256, "");
}

void expect_same(const Evidence& left, const Evidence& right) {
  EXPECT_EQ(left.classes, right.classes);
  EXPECT_EQ(left.kind, right.kind);
  EXPECT_EQ(left.labels, right.labels);
  EXPECT_EQ(left.ids, right.ids);
  EXPECT_EQ(left.subjects, right.subjects);
  EXPECT_EQ(left.subclasses, right.subclasses);
  ASSERT_EQ(group_ids(left), group_ids(right));
  for (std::size_t g = 0; g < left.groups.size(); ++g) {
    ASSERT_EQ(left.groups[g].models.size(), right.groups[g].models.size());
    for (std::size_t m = 0; m < left.groups[g].models.size(); ++m) {
      const Model& a = left.groups[g].models[m];
      const Model& b = right.groups[g].models[m];
      EXPECT_EQ(a.id(), b.id());
      EXPECT_EQ(a.folder, b.folder);
      ASSERT_EQ(a.outputs.size(), b.outputs.size());
      for (const auto& [split, outputs] : a.outputs) {
        EXPECT_EQ(outputs.doubles(), b.outputs.at(split).doubles());
      }
      ASSERT_EQ(a.activations.size(), b.activations.size());
      for (const auto& [layer, splits] : a.activations) {
        for (const auto& [split, array] : splits) {
          EXPECT_EQ(array.doubles(), b.activations.at(layer).at(split).doubles());
        }
      }
      ASSERT_EQ(a.saliency.size(), b.saliency.size());
      ASSERT_EQ(a.tokens.size(), b.tokens.size());
    }
  }
}

TEST(Reader, ArchivesGiveTheSameEvidence) {
  EvidenceFolder folder(EvidenceShape{});
  std::vector<std::int64_t> ids(40);
  for (std::size_t row = 0; row < ids.size(); ++row) ids[row] = static_cast<std::int64_t>(row) + 7;
  folder.put("ids/forget", Array::from_integers(ids, {40}));
  folder.put("subjects/forget", Array::from_integers(std::vector<std::int64_t>(40, 3), {40}));
  folder.put("subclasses/forget", Array::from_integers(std::vector<std::int64_t>(40, 7), {40}));
  folder.put("original/0/activations/last/forget",
             array_of(DType::float32, std::vector<double>(40 * 3, 0.5), {40, 3}));
  folder.put("original/0/saliency/forget",
             array_of(DType::float16, std::vector<double>(40 * 4, 0.25), {40, 2, 2}));
  folder.put("original/0/tokens/forget",
             array_of(DType::float32, std::vector<double>(40, -1.0), {40}));
  folder.put("original/0/tokens/forget.offsets", Array::from_integers({0, 15, 40}, {3}));
  const Reading plain = load(folder.path());
  EXPECT_EQ(plain.evidence.ids.at("forget").at(1), "8");
  EXPECT_EQ(plain.evidence.subjects.at("forget").at(1), "3");
  EXPECT_EQ(plain.evidence.subclasses.at("forget").at(39), "7");
  {
    SCOPED_TRACE("npz");
    const Reading npz = load(folder.write_npz(), true);
    expect_same(plain.evidence, npz.evidence);
    EXPECT_TRUE(npz.findings.empty()) << all(npz.findings);
    EXPECT_EQ(npz.evidence.inputs.at(0).path, "ids/forget");
  }
  {
    SCOPED_TRACE("safetensors");
    const Reading tensors = load(folder.write_safetensors(), true);
    expect_same(plain.evidence, tensors.evidence);
    EXPECT_TRUE(tensors.findings.empty()) << all(tensors.findings);
  }
}

TEST(Reader, CheckpointsAndMembershipModelsAreNoOriginals) {
  EvidenceFolder folder(EvidenceShape{.models = 1});
  const Array& forget = folder.array("original/0/forget");
  folder.put("checkpoint/graded.0.5/0/forget", forget);
  folder.put("checkpoint/original.0.5/0/forget", forget);
  folder.put("membership/0/forget", forget);
  std::vector<std::int64_t> marks(40, 1);
  marks[3] = 0;
  folder.put("membership/0/members/forget", Array::from_integers(marks, {40}));
  folder.put_file("evidence.toml", "[membership]\n\"graded.0.5\" = 0.5\n");
  const Reading reading = load(folder.path());
  EXPECT_TRUE(reading.findings.empty()) << all(reading.findings);
  const Evidence& evidence = reading.evidence;
  EXPECT_EQ(group_ids(evidence),
            (std::vector<std::string>{"original", "retrained", "unlearned/finetune",
                                      "unlearned/nothing", "checkpoint/graded.0.5",
                                      "checkpoint/original.0.5", "shadow", "membership"}));
  EXPECT_EQ(evidence.find("original")->models.size(), 1U);
  EXPECT_EQ(evidence.membership.at("graded.0.5"), 0.5);
  EXPECT_EQ(evidence.find("membership")->models[0].members.at("forget").integers(), marks);
}

TEST(Reader, MarksOfMembersAreCheckedAndStackedLikeOutputs) {
  EvidenceFolder folder(EvidenceShape{.models = 1});
  std::vector<double> both = folder.array("original/0/forget").doubles();
  for (const double value : folder.array("original/0/forget").doubles()) both.push_back(-value);
  folder.put("membership/pool/forget", array_of(DType::float32, both, {2, 40, 10}));
  std::vector<std::int64_t> marks(80, 0);
  marks[41] = 1;
  folder.put("membership/pool/members/forget", Array::from_integers(marks, {2, 40}));
  const Reading reading = load(folder.path());
  const Group* group = reading.evidence.find("membership");
  ASSERT_EQ(group->models.size(), 2U);
  EXPECT_EQ(group->models[0].members.at("forget").integers()[1], 0);
  EXPECT_EQ(group->models[1].members.at("forget").integers()[1], 1);
  marks[41] = 2;
  folder.put("membership/pool/members/forget", Array::from_integers(marks, {2, 40}));
  EXPECT_TRUE(
      holds(error_of([&] { load(folder.path()); }), {"members/forget.npy", "holds the value 2"}));
  folder.put("membership/pool/members/forget",
             Array::from_integers(std::vector<std::int64_t>(40, 0), {40}));
  EXPECT_TRUE(holds(error_of([&] { load(folder.path()); }), {"[40]", "[models, examples]"}));
  folder.remove("membership/pool/members/forget");
  EXPECT_TRUE(holds(all(load(folder.path()).findings), "which examples the model was trained on"));
}

TEST(Reader, AnNpzHoldsTheSideFilesToo) {
  EvidenceFolder folder(EvidenceShape{.models = 1});
  folder.put_file("accuracy.json", R"({"original": {"train": [0.75]}})");
  folder.put_file("evidence.toml", "notes = \"from the archive\"\n");
  folder.put_file("text/forget.txt", "one\ntwo\r\n");
  const Reading reading = load(folder.write_npz(), true);
  EXPECT_EQ(reading.evidence.accuracy.at("original").at("train").at(0), 0.75);
  EXPECT_EQ(reading.evidence.notes, "from the archive");
  EXPECT_EQ(reading.evidence.text.at("forget"), (std::vector<std::string>{"one", "two"}));
}

// [k, n, C]: slice i is model i, in stacking order.
TEST(Reader, AStackedPoolIsTakenApart) {
  EvidenceFolder folder;
  folder.put_labels("forget", {0, 1});
  std::vector<double> values;
  for (int i = 0; i < 12 * 4; ++i) values.push_back(i);
  folder.put("original/pool/forget", array_of(DType::float32, values, {12, 2, 2}));
  folder.put("original/pool/activations/last/forget", array_of(DType::float32, values, {12, 2, 2}));
  const Reading reading = load(folder.path());
  const Group* group = reading.evidence.find("original");
  ASSERT_EQ(group->models.size(), 12U);
  for (std::size_t model = 0; model < 12; ++model) {
    EXPECT_EQ(group->models[model].id(), fmt::format("original/pool/{}", model));
    EXPECT_EQ(group->models[model].stacked, static_cast<int>(model));
    const auto first = static_cast<double>(4 * model);
    EXPECT_EQ(group->models[model].outputs.at("forget").doubles(),
              (std::vector<double>{first, first + 1, first + 2, first + 3}));
    EXPECT_EQ(group->models[model].activations.at("last").at("forget").shape(),
              (std::vector<std::size_t>{2, 2}));
  }
}

TEST(Reader, ModelsStandInNaturalOrder) {
  EvidenceFolder folder;
  folder.put_labels("forget", {0, 1});
  for (const int model : {10, 2, 1, 0, 9}) {
    folder.put(fmt::format("original/{}/forget", model),
               array_of(DType::float32, {1, 2, 3, 4}, {2, 2}));
  }
  std::vector<std::string> names;
  const Reading reading = load(folder.path());
  for (const Model& model : reading.evidence.find("original")->models) names.push_back(model.name);
  EXPECT_EQ(names, (std::vector<std::string>{"0", "1", "2", "9", "10"}));
}

TEST(Reader, OneModelNeedsNoFolder) {
  EvidenceFolder folder;
  folder.put_labels("forget", {0, 1});
  folder.put("original/forget", array_of(DType::float32, {1, 2, 3, 4}, {2, 2}));
  folder.put("unlearned/ft/forget", array_of(DType::float32, {1, 2, 3, 5}, {2, 2}));
  const Reading reading = load(folder.path());
  EXPECT_EQ(reading.evidence.find("original")->models.at(0).id(), "original/0");
  EXPECT_EQ(reading.evidence.find("original")->models.at(0).folder, "original");
  EXPECT_EQ(reading.evidence.find("unlearned", "ft")->models.at(0).id(), "unlearned/ft/0");
}

std::string npy_of(const std::string& descr, bool fortran, const std::string& shape,
                   const std::string& data) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                                   fortran ? "True" : "False", shape);
  header.resize((header.size() + 10 + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string file = std::string("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + data;
}

// 1.0 is 3f800000, 2.0 40000000, 3.0 40400000, 4.0 40800000; the labels 0 and 1 as >i2.
TEST(Reader, BigEndianAndFortranFilesAreReadRight) {
  EvidenceFolder folder;
  folder.put_file("labels/forget.npy",
                  npy_of(">i2", false, "(2,)", std::string("\x00\x00\x00\x01", 4)));
  const std::string columns(
      "\x3f\x80\x00\x00\x40\x40\x00\x00"
      "\x40\x00\x00\x00\x40\x80\x00\x00",
      16);
  folder.put_file("original/0/forget.npy", npy_of(">f4", true, "(2, 2)", columns));
  const Reading reading = load(folder.path());
  EXPECT_EQ(reading.evidence.labels.at("forget"), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(reading.evidence.find("original")->models.at(0).outputs.at("forget").doubles(),
            (std::vector<double>{1, 2, 3, 4}));
}

TEST(Reader, LabelsMayBeAColumnACsvOrWholeFloats) {
  for (const char* form : {"column", "csv", "floats"}) {
    SCOPED_TRACE(form);
    EvidenceFolder folder;
    folder.put("original/0/forget", array_of(DType::float32, {1, 2, 3, 4}, {2, 2}));
    if (form == std::string("column")) {
      folder.put("labels/forget", Array::from_integers({1, 0}, {2, 1}));
    } else if (form == std::string("csv")) {
      folder.put_file("labels/forget.csv", "label\n1\n0\n");
    } else {
      folder.put("labels/forget", array_of(DType::float64, {1, 0}, {2}));
    }
    EXPECT_EQ(load(folder.path()).evidence.labels.at("forget"), (std::vector<std::int64_t>{1, 0}));
  }
}

TEST(Reader, SettingsOverrideAndPair) {
  EvidenceFolder folder(EvidenceShape{.methods = {"ft"}});
  folder.put_file("evidence.toml",
                  "kind = \"log_probabilities\"\nclasses = 10\nnotes = \"hello\"\n"
                  "[pairing]\n\"unlearned/ft/0\" = \"original/1\"\n"
                  "[seconds]\nft = 3.5\nretrain = 70\n");
  const Reading reading = load(folder.path());
  const Evidence& evidence = reading.evidence;
  EXPECT_TRUE(reading.findings.empty()) << all(reading.findings);
  EXPECT_EQ(evidence.kind, OutputKind::log_probabilities);
  EXPECT_TRUE(evidence.kind_declared);
  EXPECT_EQ(evidence.notes, "hello");
  EXPECT_EQ(evidence.seconds.at("ft"), 3.5);
  const Group* group = evidence.find("unlearned", "ft");
  EXPECT_EQ(evidence.original_of(group->models[0])->id(), "original/1");
  EXPECT_EQ(evidence.original_of(group->models[1])->id(), "original/1");  // by its own name
}

TEST(Reader, AccuraciesBelongToARoleOrAMethod) {
  EvidenceFolder folder(EvidenceShape{.methods = {"ft"}});
  folder.put_file("accuracy.json",
                  R"({"original": {"train": [0.5, 1]}, "ft": {"train": [0.25, 0]}})");
  const Evidence evidence = load(folder.path()).evidence;
  EXPECT_EQ(*evidence.find_accuracy(*evidence.find("original"), "train"),
            (std::vector<double>{0.5, 1}));
  EXPECT_EQ(*evidence.find_accuracy(*evidence.find("unlearned", "ft"), "train"),
            (std::vector<double>{0.25, 0}));
  EXPECT_EQ(evidence.find_accuracy(*evidence.find("retrained"), "train"), nullptr);
  EXPECT_EQ(evidence.find_accuracy(*evidence.find("original"), "test"), nullptr);
}

TEST(Reader, LoadThrowsTheFirstErrorAndCountsTheRest) {
  EvidenceFolder folder(EvidenceShape{});
  folder.change("original/0/forget", [](auto& values) { values[0] = std::nan(""); });
  folder.change("original/1/forget", [](auto& values) { values[0] = std::nan(""); });
  EXPECT_TRUE(holds(error_of([&] { load(folder.path()); }),
                    {"original/0/forget.npy", "1 more", "vestige inspect", "lists all"}));
}

}  // namespace
}  // namespace vestige::evidence
