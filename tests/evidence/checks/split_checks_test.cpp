// Splits that are missing or misnamed, binary outputs, common prefixes, models left out; and that
// every code of a finding is documented.
#include "vestige/evidence/checks/split_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/evidence/support.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/file.h"
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

const EvidenceShape kShape{.classes = 3, .forget = 20, .retain = 30, .test = 20};

/// The finding with a code; fails the test if there is not exactly one.
Finding the_one(const Findings& findings, const std::string& code) {
  Finding found;
  int times = 0;
  for (const Finding& finding : findings) {
    if (finding.code != code) continue;
    found = finding;
    ++times;
  }
  EXPECT_EQ(times, 1) << code;
  return found;
}

TEST(Codes, AreDocumentedAndMatchTheirSeverity) {
  const std::string page = read_file(VESTIGE_SOURCE_DIR "/docs/reference/evidence.md");
  for (const CodeInfo& info : codes()) {
    const std::string line = fmt::format("| `{}` | {} |", info.code, info.meaning);
    EXPECT_NE(page.find(line), std::string::npos) << "docs/reference/evidence.md lacks: " << line;
    EXPECT_TRUE(info.code.starts_with("E-") || info.code.starts_with("W-") ||
                info.code.starts_with("N-"))
        << info.code;
    EXPECT_EQ(std::count_if(codes().begin(), codes().end(),
                            [&](const CodeInfo& other) { return other.code == info.code; }),
              1);
  }
}

TEST(Splits, ForgetRowsAreMissing) {
  EvidenceFolder folder(kShape);
  folder.remove("unlearned/finetune/1/forget");
  const Finding some = the_one(read(folder.path()).findings, "W-NO-FORGET");
  EXPECT_EQ(some.severity, Severity::warning);
  EXPECT_EQ(some.reason, reason(Code::forget_missing, Texts{"unlearned/finetune/1"}, "original/0",
                                "unlearned/finetune/1/forget.npy"));
  EXPECT_EQ(said(some),
            "unlearned/finetune/1 has no outputs on the forget set, but original/0 has. Add "
            "unlearned/finetune/1/forget.npy");
  for (const auto& [key, array] : std::map(folder.arrays())) {
    if (key.ends_with("/forget")) folder.remove(key);
  }
  const Finding none = the_one(read(folder.path()).findings, "W-NO-FORGET");
  EXPECT_EQ(none.reason, reason(Code::no_forget_outputs, "original/0"));
}

TEST(Splits, TrainIsNotRetain) {
  EvidenceFolder folder(kShape);
  for (const auto& [key, array] : std::map(folder.arrays())) {
    if (!key.ends_with("/retain")) continue;
    folder.put(key.substr(0, key.size() - 6) + "train", array);
    folder.remove(key);
  }
  const Finding found = the_one(read(folder.path()).findings, "W-TRAIN");
  EXPECT_EQ(found.file, "original/0/train.npy");
  EXPECT_EQ(found.reason, Reason(Code::train_not_retain));
}

TEST(Splits, CalibrationOfSomeModels) {
  EvidenceFolder folder(kShape);
  EXPECT_FALSE(given_to_some(read(folder.path()).evidence, "calibration"));
  folder.remove("unlearned/finetune/0/calibration");
  const Reading reading = read(folder.path());
  EXPECT_TRUE(given_to_some(reading.evidence, "calibration"));
  const Finding found = the_one(reading.findings, "W-CALIBRATION");
  EXPECT_EQ(found.reason, reason(Code::calibration_missing, Texts{"unlearned/finetune/0"},
                                 "original/0", "unlearned/finetune/0/calibration.npy"));
}

/// Evidence of one binary model: z, or whatever `values` are.
Reading binary(const std::vector<double>& values, std::vector<std::size_t> shape,
               const std::string& settings = "") {
  EvidenceFolder folder;
  folder.put_labels("forget", {0, 1, 1});
  folder.put("original/0/forget", array_of(DType::float64, values, std::move(shape)));
  if (!settings.empty()) folder.put_file("evidence.toml", settings);
  return load(folder.path());
}

TEST(Binary, LogitsAndProbabilitiesOfOneColumn) {
  for (const std::vector<std::size_t>& shape : {std::vector<std::size_t>{3}, {3, 1}}) {
    const Reading logits = binary({-2, 0.5, 3}, shape);
    EXPECT_EQ(logits.evidence.classes, 2U);
    EXPECT_EQ(logits.evidence.kind, OutputKind::logits);
    const Array& outputs = logits.evidence.groups[0].models[0].outputs.at("forget");
    EXPECT_EQ(outputs.doubles(), (std::vector<double>{0, -2, 0, 0.5, 0, 3}));
    // sigmoid(3)
    EXPECT_NEAR(probabilities(outputs, logits.evidence.kind)(2, 1), 1 / (1 + std::exp(-3.0)),
                1e-15);
    EXPECT_EQ(the_one(logits.findings, "N-BINARY").reason,
              reason(Code::binary_outputs, 0, "logits", false));
    EXPECT_EQ(said(the_one(logits.findings, "N-BINARY")),
              "original/0/forget.npy has one column. It is read as logits of class 1 of a binary "
              "model. If that is wrong, set kind in evidence.toml");
    const Reading shares = binary({0.25, 0.5, 1}, shape);
    EXPECT_EQ(shares.evidence.kind, OutputKind::probabilities);
    EXPECT_EQ(shares.evidence.groups[0].models[0].outputs.at("forget").doubles(),
              (std::vector<double>{0.75, 0.25, 0.5, 0.5, 0, 1}));
    const Reading declared = binary({0.25, 0.5, 1}, shape, "kind = \"logits\"\nclasses = 1\n");
    EXPECT_EQ(declared.evidence.groups[0].models[0].outputs.at("forget").doubles(),
              (std::vector<double>{0, 0.25, 0, 0.5, 0, 1}));
  }
  const Reading logs =
      binary({std::log(0.25), std::log(0.5), -1}, {3, 1}, "kind = \"log_probabilities\"\n");
  EXPECT_NEAR(logs.evidence.groups[0].models[0].outputs.at("forget").doubles()[0], std::log(0.75),
              1e-15);
}

TEST(Binary, AStackedPoolAndASpoiltValue) {
  EvidenceFolder folder;
  folder.put_labels("forget", {0, 1, 1});
  folder.put("original/pool/forget", array_of(DType::float32, {-1, 2, 3, 4, 5, 6}, {2, 3, 1}));
  const Reading pool = load(folder.path());
  ASSERT_EQ(pool.evidence.groups[0].models.size(), 2U);
  EXPECT_EQ(pool.evidence.groups[0].models[1].outputs.at("forget").doubles(),
            (std::vector<double>{0, 4, 0, 5, 0, 6}));
  folder.put("original/pool/forget",
             array_of(DType::float32, {-1, 2, std::nan(""), 4, 5, 6}, {2, 3, 1}));
  EXPECT_TRUE(holds(error_of([&] { load(folder.path()); }),
                    {"original/pool/forget.npy (model 0)", "NaN", "row 2"}));
}

TEST(Prefix, IsPassedOver) {
  const EvidenceFolder plain(kShape);
  EvidenceFolder folder;
  for (const auto& [key, array] : plain.arrays()) folder.put("run/7/" + key, array);
  folder.put_file("run/7/evidence.toml", "notes = \"hello\"\n");
  for (const auto& path : {folder.path(), folder.write_npz(), folder.write_safetensors()}) {
    const Reading reading = load(path);
    EXPECT_EQ(the_one(reading.findings, "N-PREFIX").reason,
              reason(Code::prefix_ignored, path.string(), "run/7/"));
    EXPECT_EQ(reading.evidence.groups.size(), load(plain.path()).evidence.groups.size());
    EXPECT_EQ(reading.evidence.notes, path.extension() == ".safetensors" ? "" : "hello");
  }
  folder.change("run/7/retrained/1/test", [](auto& values) { values[3] = std::nan(""); });
  EXPECT_TRUE(
      holds(error_of([&] { load(folder.path()); }), {"run/7/retrained/1/test.npy has 1 NaN"}));
}

TEST(Prefix, OfSeveralEvidenceFolders) {
  EvidenceFolder folder;
  const EvidenceFolder plain(kShape);
  for (const auto& [key, array] : plain.arrays()) {
    folder.put("one/" + key, array);
    folder.put("two/" + key, array);
  }
  EXPECT_TRUE(holds(error_of([&] { load(folder.path()); }),
                    {"no model outputs", "Its folders one and two do", "give one of them"}));
}

std::vector<std::string> methods_of(const Reading& reading) {
  std::vector<std::string> names;
  for (const Group* group : reading.evidence.unlearned()) names.push_back(group->method);
  return names;
}

TEST(Choice, OfMethods) {
  EvidenceFolder folder(EvidenceShape{
      .classes = 3, .forget = 20, .retain = 30, .test = 20, .methods = {"a", "b", "c"}});
  folder.put_file("evidence.toml",
                  "[seconds]\nb = 1\n[pairing]\n"
                  "\"unlearned/b/0\" = \"original/1\"\n");
  folder.put_file("unlearned/c/0/forget.npy", "broken");
  using Methods = std::vector<std::string>;
  // What is not read cannot be broken, and settings about it are no mistake.
  const Reading some = load(folder.path(), ReadOptions{.methods = {"a"}});
  EXPECT_EQ(methods_of(some), Methods{"a"});
  EXPECT_TRUE(some.findings.empty());
  EXPECT_EQ(methods_of(load(folder.path(), ReadOptions{.exclude = {"c"}})), (Methods{"a", "b"}));
  EXPECT_TRUE(holds(error_of([&] { load(folder.path(), ReadOptions{.methods = {"d"}}); }),
                    {"--methods", "no method \"d\"", "nearest"}));
  EXPECT_TRUE(holds(error_of([&] {
                      load(folder.path(), ReadOptions{.exclude = {"a", "b", "c"}});
                    }),
                    {"leave none"}));
}

TEST(KeepGoing, LeavesOutTheBrokenModel) {
  EvidenceFolder folder(kShape);
  folder.put_file("accuracy.json", "{\"finetune\": {\"test\": [0.5, 0.6]}}");
  folder.put_file("unlearned/finetune/0/forget.npy", "broken");
  folder.change("retrained/1/test", [](auto& values) { values[0] = std::nan(""); });
  EXPECT_THROW(load(folder.path()), std::exception);
  const Reading reading = load(folder.path(), ReadOptions{.keep_going = true});
  EXPECT_EQ(reading.evidence.find("unlearned", "finetune")->models.size(), 1U);
  EXPECT_EQ(reading.evidence.find("unlearned", "finetune")->models[0].name, "1");
  EXPECT_EQ(reading.evidence.find("retrained")->models.size(), 1U);
  EXPECT_EQ(reading.evidence.accuracy.count("finetune"), 0U);
  int left_out = 0;
  for (const Finding& finding : reading.findings) {
    EXPECT_EQ(finding.code, "W-LEFT-OUT");
    EXPECT_EQ(finding.reason.code, Code::left_out);
    EXPECT_EQ(result::argument(finding.reason, "model"), result::Argument(finding.model));
    ++left_out;
  }
  EXPECT_EQ(left_out, 2);
  // What is about no single model stays an error.
  folder.change("labels/test", [](auto& labels) { labels[0] = 7; });
  EXPECT_TRUE(holds(error_of([&] { load(folder.path(), ReadOptions{.keep_going = true}); }),
                    {"labels/test.npy has label 7"}));
}

TEST(Labels, AsTextInACsv) {
  EvidenceFolder folder(kShape);
  folder.remove("labels/test");
  folder.put_file("labels/test.csv", "cat\ndog\ncat\n");
  EXPECT_TRUE(holds(error_of([&] { load(folder.path()); }),
                    {"labels/test.csv line 2", "'dog'", "class numbers from 0", "not names"}));
}

}  // namespace
}  // namespace vestige::evidence
