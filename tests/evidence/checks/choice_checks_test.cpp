// Multiple-choice questions and samples in evidence: what is read, and every mistake.
#include "vestige/evidence/checks/choice_checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "tests/evidence/support.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/reader.h"

namespace vestige::evidence {
namespace {

using testing::array_of;
using testing::EvidenceFolder;

/// Two models and three questions with two options, the third of which has one only.
void put_questions(EvidenceFolder& folder) {
  const std::vector<double> values = {-1, -2, -2.5, -1.5, -1, -HUGE_VAL};
  folder.put("original/0/choices/wmdp", array_of(DType::float32, values, {3, 2}));
  folder.put("retrained/0/choices/wmdp",
             array_of(DType::float32, {-3, -2, -2, -1, -4, -HUGE_VAL}, {3, 2}));
  folder.put_labels("choices.wmdp", {0, 1, 0});
  folder.put_file("evidence.toml", "[choices]\nwmdp = \"chance\"\n");
}

/// What `load` says of the questions after something was changed.
std::string fault_after(const std::function<void(EvidenceFolder&)>& spoil) {
  EvidenceFolder folder;
  put_questions(folder);
  spoil(folder);
  return testing::error_of([&] { load(folder.path(), false); });
}

void expect_in(const std::string& text, const char* part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

/// Log-likelihoods of 100 questions that all models find alike hard, with noise of their own.
Array noisy_questions(std::uint64_t seed, bool shuffled) {
  Stream shared(7, "questions"), own(seed, "model");
  std::vector<double> hardness(100);
  for (double& value : hardness) value = -10 * shared.uniform();
  std::vector<std::size_t> order(100);
  std::iota(order.begin(), order.end(), 0U);
  if (shuffled) order = own.permutation(100);
  std::vector<double> values;
  for (const std::size_t row : order) {
    for (int option = 0; option < 4; ++option) values.push_back(hardness[row] - own.uniform());
  }
  return array_of(DType::float32, values, {100, 4});
}

}  // namespace

TEST(choices, are_read_with_labels_and_goal) {
  EvidenceFolder folder;
  put_questions(folder);
  const Reading reading = load(folder.path(), false);
  EXPECT_TRUE(reading.findings.empty());
  const Evidence& evidence = reading.evidence;
  EXPECT_EQ(evidence.choice_goals.at("wmdp"), "chance");
  EXPECT_EQ(*evidence.find_labels("choices.wmdp"), (std::vector<std::int64_t>{0, 1, 0}));
  EXPECT_EQ(evidence.find("original")->models[0].choices.at("wmdp").shape(),
            (std::vector<std::size_t>{3, 2}));
}

TEST(choices, labels_number_options_and_not_classes) {
  EvidenceFolder folder({.classes = 2, .shadows = 0});
  folder.put("original/0/choices/arc", array_of(DType::float32, {-1, -2, -3, -1}, {1, 4}));
  folder.put_labels("choices.arc", {3});
  folder.put_file("evidence.toml", "[choices]\narc = \"higher\"\n");
  EXPECT_NO_THROW(load(folder.path(), false));
}

TEST(choices, mistakes_name_file_and_remedy) {
  const auto put = [](const char* key, std::vector<double> values, std::size_t columns) {
    return [=](EvidenceFolder& folder) {
      folder.put(key, array_of(DType::float32, values, {values.size() / columns, columns}));
    };
  };
  expect_in(fault_after([](auto& folder) { folder.remove("labels/choices.wmdp"); }),
            "has no labels. Add labels/choices.wmdp.npy with 3");
  expect_in(fault_after([](auto& folder) { folder.put_file("evidence.toml", ""); }),
            "original/0/choices/wmdp.npy has no goal");
  expect_in(fault_after([](auto& folder) {
              folder.put_file("evidence.toml", "[choices]\nwmdp = \"chanse\"\n");
            }),
            "did you mean 'chance'");
  expect_in(fault_after([](auto& folder) {
              folder.put_labels("choices.wmdp", {0, 1, 1});
            }),
            "has label 1 in row 2, but that question has 1 option");
  expect_in(fault_after([](auto& folder) {
              folder.put_labels("choices.wmdp", {0, -1, 0});
            }),
            "has label -1 in row 1");
  expect_in(fault_after([](auto& folder) {
              folder.put_labels("choices.wmdp", {0, 1});
            }),
            "labels/choices.wmdp");
  expect_in(fault_after(put("retrained/0/choices/wmdp", {-3, -2, NAN, -1, -4, -HUGE_VAL}, 2)),
            "is NaN or infinite for option 0 of question 1");
  expect_in(fault_after(put("retrained/0/choices/wmdp", {-3, -2, -2, -1, -4, -2}, 2)),
            "for option 1 of question 2");
  expect_in(fault_after(put("retrained/0/choices/wmdp", {-3, -2, -2, -1, -4, -2, -1, -1, -1}, 3)),
            "has 3 options per question, but original/0/choices/wmdp.npy has 2");
  expect_in(fault_after(put("retrained/0/choices/wmdp", {-3, -2, -2, -1}, 2)),
            "wmdp.npy has 2 row");
  expect_in(fault_after(put("retrained/0/choices/wmdp", {-3, -2, -2}, 1)), "[questions, options]");
}

TEST(choices, a_goal_without_questions_is_named) {
  EvidenceFolder folder;
  put_questions(folder);
  folder.put_file("evidence.toml", "[choices]\nwmdp = \"chance\"\nwmpd = \"chance\"\n");
  const Reading reading = load(folder.path(), false);
  ASSERT_EQ(reading.findings.size(), 1U);
  EXPECT_EQ(reading.findings[0].code, "W-NOT-USED");
}

TEST(choices, questions_in_another_order_are_found) {
  for (const bool shuffled : {false, true}) {
    EvidenceFolder folder;
    folder.put_labels("choices.wmdp", std::vector<std::int64_t>(100, 1));
    folder.put_file("evidence.toml", "[choices]\nwmdp = \"chance\"\n");
    folder.put("original/0/choices/wmdp", noisy_questions(1, false));
    folder.put("retrained/0/choices/wmdp", noisy_questions(2, false));
    folder.put("unlearned/rmu/0/choices/wmdp", noisy_questions(3, shuffled));
    const Reading reading = load(folder.path(), false);
    ASSERT_EQ(reading.findings.size(), shuffled ? 1U : 0U);
    if (!shuffled) continue;
    EXPECT_EQ(reading.findings[0].code, "W-ORDER");
    EXPECT_EQ(reading.findings[0].model, "unlearned/rmu/0");
  }
}

TEST(choices, a_copy_of_the_retrained_model_is_found) {
  EvidenceFolder folder;
  folder.put_labels("choices.wmdp", std::vector<std::int64_t>(100, 1));
  folder.put_file("evidence.toml", "[choices]\nwmdp = \"chance\"\n");
  folder.put("original/0/choices/wmdp", noisy_questions(1, false));
  folder.put("retrained/0/choices/wmdp", noisy_questions(2, false));
  folder.put("unlearned/rmu/0/choices/wmdp", noisy_questions(2, false));
  const Reading reading = load(folder.path(), false);
  ASSERT_EQ(reading.findings.size(), 1U);
  EXPECT_EQ(reading.findings[0].code, "W-SAME");
}

TEST(samples, are_read_and_must_be_as_many) {
  const auto folder_with = [](const std::string& original, const std::string& retrained) {
    auto folder = std::make_unique<EvidenceFolder>();
    for (const char* model : {"original", "retrained"}) {
      folder->put(std::string(model) + "/0/losses/forget",
                  array_of(DType::float32, {1.5, model[0] == 'o' ? 2.5 : 3.5}, {2}));
    }
    folder->put_file("text/forget.continuation.txt", "one\ntwo\n");
    folder->put_file("original/0/generated/forget.samples.jsonl", original);
    folder->put_file("retrained/0/generated/forget.samples.jsonl", retrained);
    return folder;
  };
  const auto fault = [&](const std::string& original, const std::string& retrained) {
    const auto folder = folder_with(original, retrained);
    return testing::error_of([&] { load(folder->path(), false); });
  };
  const std::string good = "[\"a\\nb\", \"c\"]\n[\"d\", \"\"]\n";
  const auto folder = folder_with(good, good);
  const Evidence evidence = load(folder->path(), false).evidence;
  EXPECT_EQ(evidence.find("original")->models[0].samples.at("forget"),
            (std::vector<std::vector<std::string>>{{"a\nb", "c"}, {"d", ""}}));
  expect_in(fault("[\"a\", \"b\"]\n[\"c\"]\n", good), "has 1 sample of prompt 1 and 2 of prompt 0");
  expect_in(fault(good, "[\"a\"]\n[\"c\"]\n"), "has 1 sample per prompt, but");
  expect_in(fault(good, "[\"a\", \"b\"]\n"), "text/forget.continuation.txt");
  expect_in(fault("[\"a\", 1]\n", good), "is wrong in line 1");
  expect_in(fault("[\"a\"]\n[]\n", good), "is wrong in line 2");
  expect_in(fault("a plain text\n", good), "is wrong in line 1");
}

TEST(samples, texts_alone_make_models) {
  EvidenceFolder folder;
  folder.put_file("text/forget.continuation.txt", "one\ntwo\n");
  folder.put_file("unlearned/npo/0/generated/forget.txt", "one\nthree\n");
  folder.put_file("original/0/generated/forget.samples.jsonl", "[\"one\"]\n[\"two\"]\n");
  const Evidence evidence = load(folder.path(), false).evidence;
  ASSERT_EQ(evidence.groups.size(), 2U);
  EXPECT_EQ(evidence.groups[0].models[0].id(), "original/0");
  EXPECT_EQ(evidence.groups[1].models[0].generated.at("forget").size(), 2U);
  folder.put_file("unlearned/npo/0/generated/forget.txt", "one\n");
  expect_in(testing::error_of([&] { load(folder.path(), false); }),
            "text/forget.continuation.txt has 2");
}

}  // namespace vestige::evidence
