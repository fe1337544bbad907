// Sample logs of lm-evaluation-harness, in the form that version 0.4 writes them, and every
// mistake.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"
#include "vestige/evidence/reader.h"
#include "vestige/import/import.h"
#include "vestige/import/lm_eval_log.h"

namespace vestige::importing {
namespace {

using vestige::testing::error_of;
using vestige::testing::TemporaryFolder;

/// A multiple-choice question as the harness logs it: numbers and flags are texts.
Json question(int doc, std::vector<double> values, const std::string& target, double acc) {
  Json sample = {{"doc_id", doc},
                 {"doc", {{"question", "Q" + std::to_string(doc)}, {"choices", {"a", "b"}}}},
                 {"target", target},
                 {"arguments", Json::object()},
                 {"resps", Json::array()},
                 {"filtered_resps", Json::array()},
                 {"filter", "none"},
                 {"metrics", {"acc"}},
                 {"doc_hash", "hash" + std::to_string(doc)},
                 {"acc", acc}};
  for (std::size_t option = 0; option < values.size(); ++option) {
    const Json answer = {fmt::format("{}", values[option]), "False"};
    sample["resps"].push_back({answer});
    sample["filtered_resps"].push_back(answer);
    sample["arguments"][fmt::format("gen_args_{}", option)] = {
        {"arg_0", "Q"}, {"arg_1", fmt::format(" {}", static_cast<char>('A' + option))}};
  }
  return sample;
}

Json generation(int doc, const char* filter, double exact) {
  return {{"doc_id", doc},        {"doc", Json::object()},
          {"target", "42"},       {"arguments", Json::object()},
          {"resps", {{"is 42"}}}, {"filtered_resps", {"42"}},
          {"filter", filter},     {"metrics", {"exact_match", "words"}},
          {"doc_hash", "g"},      {"exact_match", exact},
          {"words", {1.0, 2.0}}};
}

std::string lines(const std::vector<Json>& samples) {
  std::string text;
  for (const Json& sample : samples) text += sample.dump() + "\n";
  return text;
}

/// Logs of an original and a retrained model in a folder each.
class Harness {
 public:
  Harness() {
    put("original/org__model", "wmdp_bio",
        {question(10, {-1, -2}, "0", 1), question(2, {-3.5, -0.25}, "1", 1)});
    put("retrained/org__retrained", "wmdp_bio",
        {question(10, {-1, -2}, "0", 1), question(2, {-0.5, -2}, "1", 0)});
  }
  void put(const std::string& model, const std::string& task, const std::vector<Json>& samples) {
    write(model, task, lines(samples));
  }
  void write(const std::string& model, const std::string& task, const std::string& text) {
    std::filesystem::create_directories(folder_ / "out" / model);
    write_file(folder_ / "out" / model / ("samples_" + task + "_2026-01-31T10-11-12.345678.jsonl"),
               text);
  }
  Imported read(const ImportOptions& options = {}) const {
    return lm_eval(folder_ / "out", options);
  }
  std::string fault(const ImportOptions& options = {}) const {
    return error_of([&] { read(options); });
  }
  std::filesystem::path path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

void expect_said(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace

TEST(import_lm_eval, tasks_are_named_by_their_files) {
  EXPECT_EQ(task_of_file("a/samples_wmdp_bio_2026-01-31T10-11-12.345678.jsonl"), "wmdp_bio");
  EXPECT_EQ(task_of_file("samples_mmlu_anatomy.jsonl"), "mmlu_anatomy");
  EXPECT_EQ(task_of_file("results_2026-01-31.json"), "");
}

TEST(import_lm_eval, options_become_choices_in_numeric_order) {
  Harness harness;
  const Imported imported = harness.read({.goal = {"wmdp*=chance"}});
  ASSERT_EQ(imported.recomputed.size(), 2U);
  EXPECT_EQ(imported.recomputed[0].value, 1);
  EXPECT_EQ(imported.recomputed[1].value, 0.5);
  EXPECT_TRUE(imported.recomputed[0].agrees && imported.recomputed[1].agrees);
  imported.draft.write(harness.path() / "evidence", false);
  const evidence::Evidence evidence = evidence::load(harness.path() / "evidence", false).evidence;
  EXPECT_EQ(evidence.choice_goals.at("wmdp_bio"), "chance");
  EXPECT_EQ(*evidence.find_labels("choices.wmdp_bio"), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(evidence.find("original")->models[0].choices.at("wmdp_bio").doubles(),
            (std::vector<double>{-3.5, -0.25, -1, -2}));
  // No goal was assumed; that such logs decide nothing is always said.
  ASSERT_EQ(imported.remarks.size(), 1U);
  EXPECT_EQ(imported.remarks[0].code, result::Code::harness_logs_decide_nothing);
}

TEST(import_lm_eval, targets_may_be_texts_and_options_may_be_missing) {
  Harness harness;
  for (const char* model : {"original/m", "retrained/m"}) {
    harness.put(model, "arc", {question(0, {-1, -2, -3}, "B", 0), question(1, {-2, -1}, "A", 0)});
  }
  const Imported imported = harness.read();
  imported.draft.write(harness.path() / "evidence", false);
  const evidence::Evidence evidence = evidence::load(harness.path() / "evidence", false).evidence;
  EXPECT_EQ(*evidence.find_labels("choices.arc"), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(evidence.find("original")->models[0].choices.at("arc").doubles(),
            (std::vector<double>{-1, -2, -3, -2, -1, -HUGE_VAL}));
  // The default goal is the cautious one, and is said.
  EXPECT_EQ(evidence.choice_goals.at("arc"), "retrained");
  EXPECT_EQ(imported.remarks[0].code, result::Code::task_goals_assumed);
}

TEST(import_lm_eval, numbers_that_are_also_texts_are_told_apart_by_the_accuracy) {
  // Options "1" and "0": the target "1" is the text of the first if the log says that it is right.
  const auto swapped = [](double acc) {
    Json sample = question(0, {-1, -2}, "1", acc);
    sample["arguments"]["gen_args_0"]["arg_1"] = " 1";
    sample["arguments"]["gen_args_1"]["arg_1"] = " 0";
    return sample;
  };
  for (const bool text : {false, true}) {
    Harness harness;
    harness.put("original/m", "boolean", {swapped(text ? 1 : 0)});
    const TaskLog log = read_task_log(
        harness.path() / "out/original/m/samples_boolean_2026-01-31T10-11-12.345678.jsonl");
    EXPECT_EQ(log.label, (std::vector<std::int64_t>{text ? 0 : 1}));
  }
}

TEST(import_lm_eval, metrics_of_generations_become_scores) {
  Harness harness;
  for (const char* model : {"original/m", "retrained/m"}) {
    harness.put(model, "gsm8k",
                {generation(1, "strict-match", 0), generation(0, "strict-match", 1),
                 generation(0, "flexible-extract", 1), generation(1, "flexible-extract", 1)});
    Json loglikelihood = generation(0, "none", 0);
    loglikelihood["metrics"] = {"acc", "perplexity"};
    loglikelihood["filtered_resps"] = {{"-2.5", "True"}};
    loglikelihood["acc"] = 1.0;
    loglikelihood["perplexity"] = -2.5;
    harness.put(model, "lambada", {loglikelihood});
  }
  const Imported imported = harness.read({.goal = {"gsm8k=higher", "wmdp_bio=chance"}});
  imported.draft.write(harness.path() / "evidence", false);
  const evidence::Evidence evidence = evidence::load(harness.path() / "evidence", false).evidence;
  const auto& scores = evidence.find("original")->models[0].scores;
  EXPECT_EQ(scores.at("gsm8k.exact_match.strict-match").at("examples").doubles(),
            (std::vector<double>{1, 0}));
  EXPECT_EQ(scores.at("lambada.loglikelihood").at("examples").doubles(),
            (std::vector<double>{-2.5}));
  EXPECT_EQ(scores.at("lambada.acc").at("examples").doubles(), (std::vector<double>{1}));
  EXPECT_EQ(evidence.score_directions.at("gsm8k.exact_match.strict-match"), "higher");
  EXPECT_EQ(evidence.score_directions.at("lambada.acc"), "match");
  // A metric that is a list per example is named.
  EXPECT_TRUE(std::any_of(imported.remarks.begin(), imported.remarks.end(), [](const auto& one) {
    return one.code == result::Code::task_scores_not_read;
  }));
}

TEST(import_lm_eval, an_accuracy_that_its_options_do_not_give_is_named) {
  Harness harness;
  harness.put("original/org__model", "wmdp_bio",
              {question(10, {-1, -2}, "0", 0), question(2, {-3.5, -0.25}, "1", 1)});
  const Imported imported = harness.read();
  EXPECT_FALSE(imported.recomputed[0].agrees);
  EXPECT_EQ(imported.recomputed[0].said, 0.5);
}

TEST(import_lm_eval, are_added_to_evidence_that_exists) {
  Harness harness;
  Draft draft;
  draft.put("original/0/losses/forget", std::vector<double>{1, 2});
  draft.put("retrained/0/losses/forget", std::vector<double>{3, 4});
  draft.write(harness.path() / "evidence", false);
  harness.read().draft.add(harness.path() / "evidence", false);
  const evidence::Evidence evidence = evidence::load(harness.path() / "evidence", false).evidence;
  EXPECT_EQ(evidence.find("original")->models[0].losses.at("forget").doubles(),
            (std::vector<double>{1, 2}));
  EXPECT_EQ(evidence.choice_goals.size(), 1U);
  // A second time nothing is replaced unasked.
  expect_said(error_of([&] { harness.read().draft.add(harness.path() / "evidence", false); }),
              "exists: give --force");
}

TEST(import_lm_eval, roles_come_from_folders_or_map) {
  Harness harness;
  harness.put("org__other", "wmdp_bio",
              {question(10, {-1, -2}, "0", 1), question(2, {-3.5, -0.25}, "1", 1)});
  expect_said(harness.fault(), "its model is not known: give --map ROLE=");
  const Imported mapped = harness.read({.map = {"unlearned/rmu=org__other"}});
  EXPECT_EQ(mapped.splits[0].model, "unlearned/rmu/0");
  EXPECT_EQ(harness.read({.map = {"skip=org__other"}}).splits.size(), 2U);
  expect_said(harness.fault({.map = {"unlearnt=org__other"}}), "the role is unlearnt");
  // Two evaluations of one model.
  expect_said(harness.fault({.map = {"original=org__other"}}), "are both logs of wmdp_bio");
}

TEST(import_lm_eval, mistakes_name_file_line_key_and_remedy) {
  const auto with = [](const Json& sample) {
    Harness harness;
    harness.put("original/org__model", "wmdp_bio", {question(10, {-1, -2}, "0", 1), sample});
    return harness.fault();
  };
  const auto without = [&](const char* key) {
    Json sample = question(2, {-3.5, -0.25}, "1", 1);
    sample.erase(key);
    return with(sample);
  };
  expect_said(without("doc_id"), "line 2: has no \"doc_id\": evaluate again with");
  expect_said(without("filtered_resps"), "line 2: has no \"filtered_resps\"");
  expect_said(without("target"), "line 2: has no \"target\"");
  expect_said(with(question(10, {-3.5, -0.25}, "1", 1)), "doc_id 10 is given twice");
  expect_said(with(question(2, {-3.5, -0.25}, "7", 1)), "target is \"7\"");
  expect_said(with(question(2, {-3.5, -0.25}, "[0, 1]", 1)), "several right options");
  expect_said(with(question(2, {-3.5, NAN}, "1", 1)), "log-likelihood of option 1 is nan");
  Json null_metric = question(2, {-3.5, -0.25}, "1", 1);
  null_metric["acc"] = nullptr;
  expect_said(with(null_metric), "line 2: acc is null");

  Harness damaged;
  damaged.write("original/org__model", "wmdp_bio",
                lines({question(10, {-1, -2}, "0", 1)}) + "{\"doc_id\": 2, \"tar");
  expect_said(damaged.fault(), "line 2: is no JSON object");
  damaged.write("original/org__model", "wmdp_bio", "\n");
  expect_said(damaged.fault(), "is empty");

  Harness other;
  other.put("retrained/org__retrained", "wmdp_bio", {question(10, {-1, -2}, "0", 1)});
  expect_said(other.fault(), "same --limit");
  Json changed = question(2, {-3.5, -0.25}, "1", 1);
  changed["doc_hash"] = "another";
  other.put("retrained/org__retrained", "wmdp_bio", {question(10, {-1, -2}, "0", 1), changed});
  expect_said(other.fault(), "doc_id 2 is another question than in");

  Harness harness;
  expect_said(harness.fault({.goal = {"wmdp=chance"}}), "has no log of this task");
  expect_said(harness.fault({.goal = {"wmdp_bio=low"}}), "--goal wmdp_bio=low: give");
  expect_said(harness.fault({.goal = {"wmdp_bio=lower"}}), "still known");
  TemporaryFolder empty;
  expect_said(error_of([&] { lm_eval(empty.path(), {}); }), "evaluate with --log_samples");
  expect_said(error_of([&] { lm_eval(empty / "none", {}); }), "is no folder");
}

}  // namespace vestige::importing
