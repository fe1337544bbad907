// OpenUnlearning's logs: TOFU's published losses in its format, the shipped logs, and every
// mistake.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"
#include "vestige/evidence/reader.h"
#include "vestige/import/import.h"
#include "vestige/import/log_roles.h"
#include "vestige/import/log_values.h"
#include "vestige/import/recompute.h"
#include "vestige/result/reason.h"

namespace vestige::importing {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::holds;
using testing::TemporaryFolder;

const fs::path kReference = fs::path(VESTIGE_SOURCE_DIR) / "tests/reference";

/// {"0": {FIELD: ...}, ...} of [rows] or [rows, answers].
Log by_index(const evidence::Array& array, const char* field) {
  const std::vector<double> values = array.doubles();
  Log out = Log::object();
  for (std::size_t row = 0; row < array.rows(); ++row) {
    Log value = values[row];
    if (array.rank() == 2) {
      value = Log::array();
      for (std::size_t i = 0; i < array.cols(); ++i)
        value.push_back(values[row * array.cols() + i]);
    }
    out[std::to_string(row)][field] = std::move(value);
  }
  return out;
}

/// The log that OpenUnlearning would write for a model of tofu_llama2.npz.
Log tofu_log(const evidence::Model& model) {
  Log log;
  const auto add = [&](const std::string& prefix, const std::string& split, bool paraphrased) {
    Log& own = log[prefix + "Q_A_Prob"]["value_by_index"];
    own = by_index(model.losses.at(split), "avg_loss");
    for (Log& value : own) value["prob"] = std::exp(-value["avg_loss"].get<double>());
    log[prefix + "Q_A_PERT_Prob"]["value_by_index"] =
        by_index(model.losses.at(split + ".perturbed"), "avg_loss");
    log[prefix + "Q_A_ROUGE"]["value_by_index"] = by_index(model.rouge.at(split), "rougeL_recall");
    if (!paraphrased) return;
    log[prefix + "Q_A_PARA_Prob"]["value_by_index"] =
        by_index(model.losses.at(split + ".paraphrased"), "avg_loss");
  };
  add("forget_", "forget", true);
  add("retain_", "utility.retain", true);
  // TOFU's published logs give the right answer itself as the paraphrase of these two.
  add("ra_", "utility.real_authors", false);
  add("wf_", "utility.world_facts", false);
  return log;
}

class Saves {
 public:
  void put(const std::string& file, const Log& log) { put_text(file, log.dump()); }
  void put_text(const std::string& file, const std::string& text) {
    fs::create_directories((folder_ / file).parent_path());
    write_file(folder_ / file, text);
  }
  fs::path path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

const char kFull[] = "eval/tofu_m_full/evals_forget10/TOFU_EVAL.json";
const char kRetain[] = "eval/tofu_m_retain90/TOFU_EVAL.json";
const char kNpo[] = "unlearn/tofu_m_forget10_NPO/evals/TOFU_EVAL.json";

double total(const Imported& imported, const std::string& model, const std::string& key) {
  for (const Recomputed& one : imported.recomputed) {
    if (one.model == model && one.key == key) return one.value;
  }
  ADD_FAILURE() << model << " " << key;
  return NAN;
}

/// Four questions, forget and retain, with unseen ones.
Log small_log(double shift) {
  Log log;
  const auto losses = [&](const std::string& field, double start) {
    Log values = Log::object();
    for (int row = 0; row < 4; ++row) {
      const double loss = start + 0.1 * row + shift;
      values[std::to_string(row)][field] = loss;
      if (field == "avg_loss") values[std::to_string(row)]["prob"] = std::exp(-loss);
    }
    return values;
  };
  log["forget_Q_A_Prob"]["value_by_index"] = losses("avg_loss", 1);
  log["retain_Q_A_Prob"]["value_by_index"] = losses("avg_loss", 0.5);
  log["mia_loss"]["forget"]["value_by_index"] = losses("score", 1);
  log["mia_loss"]["holdout"]["value_by_index"] = losses("score", 1.15);
  return log;
}

/// The error of importing two logs, the second one spoilt.
std::string fault(const std::function<void(Log&)>& spoil, const ImportOptions& options = {}) {
  Saves saves;
  saves.put(kRetain, small_log(0));
  Log log = small_log(0.5);
  spoil(log);
  saves.put(kNpo, log);
  return error_of([&] { openunlearning(saves.path(), options); });
}

TEST(openunlearning, published_tofu_losses_give_the_published_totals) {
  const evidence::Reading reading =
      evidence::load(kReference / "language/tofu_llama2.npz", evidence::ReadOptions{});
  const Json values = Json::parse(read_file(kReference / "language/tofu.json"));
  const evidence::Model& original = reading.evidence.find("original")->models[0];
  const evidence::Model& retrained = reading.evidence.find("retrained")->models[0];
  Saves saves;
  saves.put(kFull, tofu_log(original));
  saves.put(kRetain, tofu_log(retrained));
  const Imported imported = openunlearning(saves.path(), {});
  const Json& want = values.at("llama2/original/0");
  EXPECT_NEAR(total(imported, "original/0", "forget_Truth_Ratio"),
              want.at("forget").at("truth_ratio").get<double>(), 1e-6);
  EXPECT_NEAR(total(imported, "original/0", "forget_Q_A_Prob"),
              want.at("forget").at("probability").get<double>(), 1e-6);
  EXPECT_NEAR(std::log10(total(imported, "original/0", "forget_quality")),
              std::log10(want.at("forget_quality_p").get<double>()), 1e-6);
  EXPECT_NEAR(total(imported, "original/0", "model_utility"),
              want.at("model_utility").get<double>(), 2e-3);

  // Written evidence: examples in numeric order, under the roles of the paths.
  TemporaryFolder out;
  imported.draft.write(out / "evidence", false);
  const evidence::Reading written = evidence::load(out / "evidence", evidence::ReadOptions{});
  EXPECT_TRUE(written.evidence.sequence_losses);
  const evidence::Model& model = written.evidence.find("original")->models[0];
  EXPECT_EQ(model.losses.at("forget").doubles(), original.losses.at("forget").doubles());
  EXPECT_EQ(model.losses.at("utility.world_facts.perturbed").doubles(),
            original.losses.at("utility.world_facts.perturbed").doubles());
  EXPECT_EQ(model.losses.at("retain").doubles(), original.losses.at("utility.retain").doubles());
  EXPECT_EQ(model.rouge.at("forget").doubles(), original.rouge.at("forget").doubles());
  ASSERT_FALSE(imported.remarks.empty());
  EXPECT_EQ(imported.remarks[0].code, result::Code::holdout_losses_missing);
}

TEST(openunlearning, older_tofu_logs_are_read) {
  Saves saves;
  Log log;
  for (const char* task : {"eval_log_forget.json", "eval_log.json"}) {
    log[task] = {{"avg_gt_loss", {{"0", 0.5}, {"10", 0.7}, {"2", 0.6}}},
                 {"average_perturb_loss", {{"0", {1, 2}}, {"10", {3, 4}}, {"2", {2, 3}}}},
                 {"avg_paraphrased_loss", {{"0", 0.5}, {"10", 0.7}, {"2", 0.6}}},
                 {"rougeL_recall", {{"0", 1}, {"10", 0.25}, {"2", 0.5}}}};
  }
  saves.put("ft_phi_full_wd0/eval_results/eval_log_aggregated.json", log);
  const Imported imported = openunlearning(saves.path(), {});
  TemporaryFolder out;
  imported.draft.write(out / "evidence", false);
  const evidence::Reading reading = evidence::load(out / "evidence", evidence::ReadOptions{});
  const evidence::Model& model = reading.evidence.find("original")->models[0];
  EXPECT_EQ(model.losses.at("forget").doubles(), (std::vector<double>{0.5, 0.6, 0.7}));
  EXPECT_EQ(model.rouge.at("utility.retain").doubles(), (std::vector<double>{1, 0.5, 0.25}));
  // By hand: t = exp(-(mean wrong - right)) = exp(-1), exp(-1.9), exp(-2.8), all below 1.
  EXPECT_NEAR(total(imported, "original/0", "forget_Truth_Ratio"),
              (std::exp(-1.0) + std::exp(-1.9) + std::exp(-2.8)) / 3, 1e-9);
}

// The totals in the shipped logs were computed with numpy (make_logs.py).
TEST(openunlearning, totals_of_the_shipped_logs_agree) {
  const Imported imported = openunlearning(kReference / "openunlearning/saves", {});
  std::size_t compared = 0;
  for (const Recomputed& one : imported.recomputed) {
    EXPECT_TRUE(one.agrees) << one.model << " " << one.key << " " << one.value << " " << one.said;
    if (!std::isnan(one.said)) ++compared;
  }
  EXPECT_EQ(compared, 6 * 3 + 5U);  // probability and two attacks of six models, PrivLeak of five
  EXPECT_TRUE(imported.remarks.empty());
  std::vector<std::string> models;
  for (const ImportedSplit& split : imported.splits) {
    if (split.split == "test") models.push_back(split.model);
  }
  EXPECT_EQ(models, (std::vector<std::string>{"original/0", "retrained/0", "retrained/1",
                                              "unlearned/GradAscent/0", "unlearned/NPO/0",
                                              "unlearned/Retrain/0"}));
}

TEST(openunlearning, a_total_that_differs_is_named) {
  Saves saves;
  saves.put(kRetain, small_log(0));
  Log log = small_log(0.5);
  log["forget_Q_A_Prob"]["agg_value"] = 0.9;
  saves.put(kNpo, log);
  saves.put("unlearn/tofu_m_forget10_NPO/evals/TOFU_SUMMARY.json", {{"forget_Q_A_Prob", 0.8}});
  const Imported imported = openunlearning(saves.path(), {});
  ASSERT_EQ(imported.remarks.size(), 2U);
  EXPECT_EQ(imported.remarks[0].code, result::Code::log_total_differs);
  EXPECT_EQ(imported.remarks[1].code, result::Code::summary_differs);
}

TEST(openunlearning, privleak_without_a_reference_is_named) {
  const auto scores = [](std::initializer_list<double> values) {
    Log out = Log::object();
    for (const double value : values) out[std::to_string(out.size())]["score"] = value;
    return out;
  };
  const auto log = [&](std::initializer_list<double> forget) {
    Log made = small_log(0);
    made["mia_min_k"]["forget"]["value_by_index"] = scores(forget);
    made["mia_min_k"]["holdout"]["value_by_index"] = scores({1, 2});
    return made;
  };
  Saves saves;
  Log npo = log({0, 1.5});               // AUC 3/4: of four pairs, holdout is larger in three
  npo["privleak"]["agg_value"] = -50.0;  // ((1 - 0.75) - 0.5) / 0.5 * 100
  saves.put("unlearn/tofu_m_forget10_NPO/evals/TOFU_EVAL.json", npo);
  saves.put(kRetain, log({1.5, 3}));  // AUC 1/4
  const Imported imported = openunlearning(saves.path(), {});
  // ((1 - 0.75) - (1 - 0.25)) / (1 - 0.25) * 100
  EXPECT_NEAR(total(imported, "unlearned/NPO/0", "privleak"), -200.0 / 3, 1e-6);
  EXPECT_EQ(imported.remarks.back().code, result::Code::privleak_without_reference);
}

TEST(openunlearning, roles_come_from_paths) {
  const auto role = [](const char* path) {
    const LogRole found = role_of_path(path);
    return found.role + " " + found.model + " " + found.forget;
  };
  EXPECT_EQ(role("saves/eval/tofu_Llama-3.2-1B-Instruct_full/evals_forget05/TOFU_EVAL.json"),
            "original Llama-3.2-1B-Instruct forget05");
  EXPECT_EQ(role("saves/eval/tofu_Llama-3.2-1B-Instruct_retain99/TOFU_EVAL.json"),
            "retrained Llama-3.2-1B-Instruct forget01");
  EXPECT_EQ(role("saves/unlearn/tofu_phi_1_forget10_GradDiff_b/evals/TOFU_EVAL.json"),
            "unlearned/GradDiff_b phi_1 forget10");
  EXPECT_EQ(role("saves/unlearn/tofu_m_forget10_NPO/checkpoint-60/evals/TOFU_EVAL.json"),
            "unlearned/NPO-checkpoint-60 m forget10");
  EXPECT_EQ(role("saves/eval/muse_Llama-2-7b-hf_News_retrain/MUSE_EVAL.json"),
            "retrained Llama-2-7b-hf News");
  EXPECT_EQ(role("saves/unlearn/SimNPO/evals/MUSE_EVAL.json"), "unlearned/SimNPO  ");
  EXPECT_EQ(role("saves/eval/my_model/TOFU_EVAL.json"), "  ");
}

TEST(openunlearning, mistakes_are_one_sentence_with_file_key_and_remedy) {
  const auto at = [](Log& log, const char* key) -> Log& { return log[key]["value_by_index"]; };
  EXPECT_TRUE(holds(fault([&](Log& log) {
                      log["forget_Q_A_Prob"] = {{"agg_value", 0.5}};
                    }),
                    {"NPO", "forget_Q_A_Prob has no \"value_by_index\"", "another version"}));
  EXPECT_TRUE(holds(fault([&](Log& log) { at(log, "forget_Q_A_Prob")["2"].erase("avg_loss"); }),
                    {"forget_Q_A_Prob, index 2", "no \"avg_loss\""}));
  EXPECT_TRUE(holds(fault([&](Log& log) { at(log, "forget_Q_A_Prob")["2"]["avg_loss"] = nullptr; }),
                    {"forget_Q_A_Prob, index 2, avg_loss", "null", "--map skip="}));
  EXPECT_TRUE(holds(
      fault([&](Log& log) { at(log, "forget_Q_A_Prob")["x"] = at(log, "forget_Q_A_Prob")["1"]; }),
      {"index \"x\"", "whole numbers"}));
  EXPECT_TRUE(holds(fault([&](Log& log) {
                      at(log, "forget_Q_A_Prob").erase("1");
                      log["mia_loss"]["forget"]["value_by_index"].erase("1");
                    }),
                    {"has index 1", "has not (", "3 and 4 examples", "same split"}));
  EXPECT_TRUE(holds(fault([&](Log& log) {
                      Log& values = at(log, "forget_Q_A_ROUGE");
                      for (int row = 0; row < 4; ++row) {
                        values[std::to_string(row)] = {{"rougeL_recall", 0.5}, {"generation", "a"}};
                      }
                    }),
                    {"forget_Q_A_ROUGE, index 0", "no \"ground_truth\""}));
  EXPECT_TRUE(holds(fault([&](Log& log) { log["mia_loss"].erase("holdout"); }),
                    {"mia_loss has no \"holdout\""}));
  EXPECT_TRUE(holds(fault([](Log& log) { log = Log::array(); }), {"no log of OpenUnlearning"}));
  EXPECT_TRUE(holds(fault([](Log& log) { log = {{"x", 1}}; }), {"has no losses"}));
  EXPECT_TRUE(holds(fault([](Log&) {}, {.map = {"nobody=unlearn"}}), {"the role is nobody"}));
  EXPECT_TRUE(holds(fault([](Log&) {}, {.map = {"original=nowhere"}}), {"nowhere does not exist"}));
  EXPECT_TRUE(holds(fault([](Log&) {}, {.map = {"original/0=."}}), {"original/0 to two logs"}));
}

TEST(openunlearning, other_tokenizers_nan_and_damaged_files) {
  const auto with_texts = [](const char* truth) {
    Log log = small_log(0);
    for (int row = 0; row < 4; ++row) {
      log["forget_Q_A_ROUGE"]["value_by_index"][std::to_string(row)] = {
          {"rougeL_recall", 1.0}, {"generation", "it is red"}, {"ground_truth", truth}};
    }
    return log;
  };
  Saves saves;
  saves.put(kRetain, with_texts("it is red"));
  saves.put(kNpo, with_texts("it is blue"));
  EXPECT_TRUE(holds(error_of([&] { openunlearning(saves.path(), {}); }),
                    {"the true answer is not that of", "other tokenizers"}));
  saves.put(kNpo, with_texts("it  is red"));
  EXPECT_NEAR(total(openunlearning(saves.path(), {}), "unlearned/NPO/0", "forget_Q_A_ROUGE"), 1,
              1e-12);
  std::string text = small_log(0).dump();
  const std::size_t start = text.find("\"avg_loss\":") + 11;
  text.replace(start, text.find(',', start) - start, "NaN");
  saves.put_text(kNpo, text);
  EXPECT_TRUE(holds(error_of([&] { openunlearning(saves.path(), {}); }),
                    {"forget_Q_A_Prob, index 0, avg_loss", "is NaN", "diverged"}));
  saves.put_text(kNpo, "{\"forget_Q_A_Prob\": {");
  EXPECT_TRUE(holds(error_of([&] { openunlearning(saves.path(), {}); }), {"no valid JSON"}));
}

TEST(openunlearning, several_models_and_splits_must_be_chosen) {
  Saves saves;
  saves.put(kRetain, small_log(0));
  saves.put("unlearn/tofu_m_forget05_NPO/evals/TOFU_EVAL.json", small_log(0));
  EXPECT_TRUE(holds(error_of([&] { openunlearning(saves.path(), {}); }),
                    {"several forget splits (forget05, forget10)", "--forget"}));
  EXPECT_EQ(openunlearning(saves.path(), {.forget = "forget05"}).splits.front().model,
            "unlearned/NPO/0");
  EXPECT_TRUE(holds(error_of([&] { openunlearning(saves.path(), {.forget = "forget01"}); }),
                    {"there are logs of forget05, forget10 only"}));
  saves.put("my_run/TOFU_EVAL.json", small_log(0));
  EXPECT_TRUE(holds(error_of([&] { openunlearning(saves.path(), {}); }),
                    {"does not say which model", "--map ROLE=my_run/TOFU_EVAL.json"}));
  TemporaryFolder empty;
  EXPECT_TRUE(
      holds(error_of([&] { openunlearning(empty.path(), {}); }), {"has no TOFU_EVAL.json"}));
  write_file(empty / "TOFU_SUMMARY.json", "{}");
  EXPECT_TRUE(holds(error_of([&] { openunlearning(empty.path(), {}); }),
                    {"a summary holds no values per example"}));
}

TEST(openunlearning, forty_questions_belong_to_two_authors) {
  Saves saves;
  Log log;
  for (int row = 0; row < 40; ++row) {
    log["forget_Q_A_Prob"]["value_by_index"][std::to_string(row)] = {{"avg_loss", 1},
                                                                     {"prob", 0.4}};
  }
  saves.put(kRetain, log);
  TemporaryFolder out;
  openunlearning(saves.path(), {}).draft.write(out / "evidence", false);
  const auto subjects =
      evidence::load(out / "evidence", evidence::ReadOptions{}).evidence.subjects.at("forget");
  EXPECT_EQ(subjects[19], "0");
  EXPECT_EQ(subjects[20], "1");
}

// MUSE asks about other examples in each metric and has no losses of the retain set.
TEST(openunlearning, muse_logs_give_losses_and_name_what_is_missing) {
  Saves saves;
  Log log;
  log["forget_verbmem_ROUGE"]["value_by_index"] = {{"0", {{"rougeL_f1", 0.5}}},
                                                   {"1", {{"rougeL_f1", 0.25}}}};
  const char file[] = "eval/muse_m_News_retrain/MUSE_EVAL.json";
  saves.put(file, log);
  EXPECT_TRUE(holds(error_of([&] { openunlearning(saves.path(), {}); }),
                    {"MUSE_EVAL.json: has no losses", "- mia_loss", "muse.yaml"}));
  log["mia_loss"] = small_log(0)["mia_loss"];
  saves.put(file, log);
  const Imported imported = openunlearning(saves.path(), {});
  ASSERT_EQ(imported.splits.size(), 2U);
  EXPECT_EQ(imported.splits[0].split, "forget");
  EXPECT_EQ(imported.splits[1].split, "test");
  EXPECT_EQ(imported.remarks.at(0).code, result::Code::muse_without_retain);
}

}  // namespace
}  // namespace vestige::importing
