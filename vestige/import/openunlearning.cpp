// From a folder of OpenUnlearning's logs to evidence.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/evidence/layout.h"
#include "vestige/import/import.h"
#include "vestige/import/log_roles.h"
#include "vestige/import/model_log.h"
#include "vestige/import/recompute.h"

namespace vestige::importing {
namespace {

namespace fs = std::filesystem;
using result::Code;
using result::reason;

constexpr std::int64_t kQuestionsOfAnAuthor = 20;  // TOFU (Maini et al. 2024), section 2.1

struct LogFile {
  fs::path path;
  std::string shown;  ///< relative to the folder
  LogRole role;
};

bool is_log(const std::string& name) {
  return name.ends_with("_EVAL.json") || name == "eval_log_aggregated.json";
}

std::vector<LogFile> find_logs(const fs::path& saves, std::vector<fs::path>& summaries) {
  std::error_code fault;
  require(fs::is_directory(saves, fault), "{}: is no folder: give OpenUnlearning's saves/",
          saves.string());
  std::vector<LogFile> logs;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(saves)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with("_SUMMARY.json")) summaries.push_back(entry.path());
    if (!is_log(name)) continue;
    logs.push_back({entry.path(), fs::relative(entry.path(), saves).generic_string(), {}});
  }
  std::sort(logs.begin(), logs.end(), [](const LogFile& left, const LogFile& right) {
    return evidence::natural_less(left.shown, right.shown);
  });
  return logs;
}

bool is_below(const fs::path& file, const fs::path& folder) {
  const auto [one, other] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return one == folder.end();
}

std::string listed(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

/// Keeps the logs of one choice ("--model X"); several choices and none made are an error.
void choose(std::vector<LogFile>& logs, std::string LogRole::*field, const std::string& chosen,
            const char* option, const char* what) {
  std::set<std::string> names;
  for (const LogFile& log : logs) {
    if (!(log.role.*field).empty()) names.insert(log.role.*field);
  }
  require(chosen.empty() || names.count(chosen) > 0, "{} {}: there are logs of {} only", option,
          chosen, listed(names));
  require(!chosen.empty() || names.size() < 2,
          "the logs are of several {} ({}): choose one with {}", what, listed(names), option);
  if (chosen.empty()) return;
  std::erase_if(logs, [&](const LogFile& log) {
    return !(log.role.*field).empty() && log.role.*field != chosen;
  });
}

void give_roles(std::vector<LogFile>& logs, const fs::path& saves, const ImportOptions& options) {
  const std::vector<RoleMap> map = parse_map(options.map, saves);
  for (LogFile& log : logs) {
    log.role = role_of_path(fs::path(saves.filename()) / log.shown);
    for (const RoleMap& entry : map) {
      if (is_below(fs::weakly_canonical(log.path), entry.path)) log.role = entry.role;
    }
    require(!log.role.role.empty(),
            "{}: its path does not say which model it is about: give --map ROLE={}, with ROLE "
            "original, retrained, unlearned/METHOD or skip",
            log.path.string(), log.shown);
  }
  std::erase_if(logs, [](const LogFile& log) { return log.role.role == "skip"; });
  choose(logs, &LogRole::model, options.model, "--model", "models");
  choose(logs, &LogRole::forget, options.forget, "--forget", "forget splits");
}

std::vector<ModelLog> read_logs(const std::vector<LogFile>& logs) {
  std::vector<ModelLog> models(logs.size());
  parallel_for(logs.size(), [&](std::size_t i) {
    const Log log = read_log(logs[i].path);
    const std::string file = logs[i].path.string();
    models[i] = logs[i].path.filename() == "eval_log_aggregated.json"
                    ? read_tofu_log(file, log)
                    : read_openunlearning_log(file, log);
  });
  std::map<std::string, std::size_t> next;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const LogRole& role = logs[i].role;
    std::string name = role.name;
    while (name.empty() || (role.name.empty() && taken.count(role.role + "/" + name) > 0)) {
      name = std::to_string(next[role.role]++);
    }
    models[i].id = role.role + "/" + name;
    require(taken.insert(models[i].id).second, "--map gives {} to two logs, the second is {}",
            models[i].id, models[i].file);
  }
  return models;
}

/// Writes one model into the draft.
class ModelWriter {
 public:
  ModelWriter(const ModelLog& model, const ModelLog& first, Imported& out)
      : model_(model), first_(first), out_(out) {}

  void write() {
    for (const auto& [name, split] : model_.splits) {
      check(name, split);
      if (name == "forget") {
        questions("forget", split);
      } else {
        if (name == "retain" && !split.loss.index.empty()) {
          put("losses/retain", split.loss);
          listed("retain", split.loss.index.size());
        }
        questions("utility." + name, split);
      }
    }
    losses_of_attack();
    check_scores();
  }

 private:
  void listed(const std::string& split, std::size_t examples) {
    out_.splits.push_back({model_.file, model_.id, split, examples});
  }
  void put(const std::string& key, const Column& column) {
    out_.draft.put(model_.id + "/" + key, column.values, column.width);
  }

  /// The examples of a split are the same in every column and in every model.
  void check(const std::string& name, const QuestionLog& split) const {
    const Column& base = split.loss.index.empty() ? split.rouge : split.loss;
    const At here{model_.file, name};
    for (const Column* column : {&split.paraphrased, &split.perturbed, &split.rouge}) {
      if (!column->index.empty()) require_same(base.index, here, column->index, here);
    }
    const auto found = first_.splits.find(name);
    if (found == first_.splits.end()) return;
    const QuestionLog& theirs = found->second;
    const Column& reference = theirs.loss.index.empty() ? theirs.rouge : theirs.loss;
    require_same(base.index, here, reference.index, {first_.file, name});
    if (split.truth.texts.size() != theirs.truth.texts.size()) return;
    for (std::size_t row = 0; row < split.truth.texts.size(); ++row) {
      require(letters(split.truth.texts[row]) == letters(theirs.truth.texts[row]),
              "{}: {}, index {}: the true answer is not that of {}: the models were asked other "
              "questions or have other tokenizers, and their losses do not compare",
              model_.file, name, split.truth.index[row], first_.file);
    }
  }

  /// Tokenizers put white space differently back together.
  static std::string letters(const std::string& text) {
    std::string result;
    std::copy_if(text.begin(), text.end(), std::back_inserter(result),
                 [](unsigned char letter) { return std::isspace(letter) == 0; });
    return result;
  }

  void questions(const std::string& name, const QuestionLog& split) {
    if (!split.loss.index.empty()) put("losses/" + name, split.loss);
    if (!split.paraphrased.index.empty()) put("losses/" + name + ".paraphrased", split.paraphrased);
    if (!split.perturbed.index.empty()) put("losses/" + name + ".perturbed", split.perturbed);
    if (!split.rouge.index.empty()) put("generated/" + name + ".rouge_l", split.rouge);
    if (!split.generated.texts.empty()) {
      out_.draft.put_lines(model_.id + "/generated/" + name + ".txt", split.generated.texts);
      out_.draft.put_lines("text/" + name + ".continuation.txt", split.truth.texts);
    }
    listed(name, std::max(split.loss.index.size(), split.rouge.index.size()));
    if (name == "forget") subjects(name, split.loss.index, 0);
  }

  /// mia_loss: losses of unseen examples, and in MUSE those of forget examples as well.
  void losses_of_attack() {
    const auto found = model_.scores.find("mia_loss");
    if (found == model_.scores.end()) return;
    const Column& holdout = found->second.at("holdout");
    const Column& forget = found->second.at("forget");
    const auto own = model_.splits.find("forget");
    if (own == model_.splits.end() || own->second.loss.index.empty()) {
      put("losses/forget", forget);
      listed("forget", forget.index.size());
    } else {
      require_same(own->second.loss.index, {model_.file, "forget_Q_A_Prob"}, forget.index,
                   {model_.file, "mia_loss.forget"});
    }
    put("losses/test", holdout);
    listed("test", holdout.index.size());
    if (own != model_.splits.end()) subjects("test", holdout.index, 1000000);
  }

  /// TOFU asks 20 questions about each author, in order.
  void subjects(const std::string& split, const std::vector<std::int64_t>& index,
                std::int64_t first) {
    const auto rows = static_cast<std::int64_t>(index.size());
    // forget01, forget05 and forget10 of TOFU's 4,000 questions; other data have other subjects.
    if ((rows != 40 && rows != 200 && rows != 400) || index.back() != rows - 1) return;
    std::vector<std::int64_t> authors;
    for (const std::int64_t row : index) authors.push_back(first + row / kQuestionsOfAnAuthor);
    out_.draft.put("subjects/" + split, authors);
  }

  /// Scores of attacks are not evidence, but must be about the same examples in all logs.
  void check_scores() const {
    for (const auto& [name, splits] : model_.scores) {
      const auto found = first_.scores.find(name);
      if (found == first_.scores.end()) continue;
      for (const auto& [split, column] : splits) {
        if (found->second.count(split) == 0) continue;
        require_same(column.index, {model_.file, name + "." + split}, found->second.at(split).index,
                     {first_.file, name + "." + split});
      }
    }
  }

  const ModelLog& model_;
  const ModelLog& first_;
  Imported& out_;
};

/// The first model of a role that has this split, to compare others with.
const ModelLog* find_role(const std::vector<ModelLog>& models, std::string_view role) {
  for (const ModelLog& model : models) {
    if (model.id.starts_with(role)) return &model;
  }
  return nullptr;
}

void add_remarks(const std::vector<ModelLog>& models, const ModelLog* retrained, Imported& out) {
  std::vector<std::string> without, with_min_k;
  bool tofu = false;
  for (const ModelLog& model : models) {
    tofu = tofu || !model.splits.empty();
    if (model.scores.count("mia_loss") == 0) without.push_back(model.id);
    if (model.scores.count("mia_min_k") > 0) with_min_k.push_back(model.id);
    if (!model.not_read.empty()) {
      out.remarks.push_back(reason(Code::log_keys_not_read, model.file, model.not_read));
    }
  }
  if (!without.empty()) {
    out.remarks.push_back(
        reason(Code::holdout_losses_missing, without, tofu ? "tofu" : "muse", with_min_k.size()));
  }
  if (!tofu) out.remarks.push_back(reason(Code::muse_without_retain));
  if (retrained == nullptr) out.remarks.push_back(reason(Code::no_retrained_log));
  std::map<std::string, const ModelLog*> by_id;
  for (const ModelLog& model : models) by_id[model.id] = &model;
  for (const Recomputed& total : out.recomputed) {
    if (total.agrees) continue;
    const bool no_reference =
        total.key == "privleak" && privleak_without_reference(*by_id.at(total.model));
    out.remarks.push_back(
        no_reference
            ? reason(Code::privleak_without_reference, total.model, total.said, total.value)
            : reason(Code::log_total_differs, total.model, total.key, total.said, total.value));
  }
}

/// Summaries hold totals only; they must be those of the log beside them.
void check_summaries(const std::vector<fs::path>& summaries, const std::vector<ModelLog>& models,
                     Imported& out) {
  for (const fs::path& path : summaries) {
    std::string name = path.filename().string();
    name.resize(name.size() - std::string_view("SUMMARY.json").size());
    name += "EVAL.json";
    const std::string file = (path.parent_path() / name).string();
    const auto model = std::find_if(models.begin(), models.end(),
                                    [&](const ModelLog& log) { return log.file == file; });
    if (model == models.end()) continue;
    const Log summary = read_log(path);
    require(summary.is_object(), "{}: is no summary: it must be an object of numbers",
            path.string());
    for (const auto& [key, value] : summary.items()) {
      const auto said = model->said.find(key);
      if (!value.is_number() || said == model->said.end() || std::isnan(said->second)) continue;
      const double number = value.get<double>();
      if (std::abs(number - said->second) <= 1e-9 * std::max(1.0, std::abs(number))) continue;
      out.remarks.push_back(
          reason(Code::summary_differs, path.string(), key, number, said->second));
    }
  }
}

}  // namespace

Imported openunlearning(const fs::path& saves, const ImportOptions& options) {
  std::vector<fs::path> summaries;
  std::vector<LogFile> logs = find_logs(saves, summaries);
  require(!logs.empty() || summaries.empty(),
          "{}: has {} but no *_EVAL.json: a summary holds no values per example; copy the "
          "TOFU_EVAL.json or MUSE_EVAL.json that was written beside it",
          saves.string(), summaries.empty() ? "" : summaries.front().filename().string());
  require(!logs.empty(),
          "{}: has no TOFU_EVAL.json, MUSE_EVAL.json or eval_log_aggregated.json, in no folder "
          "below it: give OpenUnlearning's saves/",
          saves.string());
  give_roles(logs, saves, options);
  require(!logs.empty(), "{}: all logs are skipped: nothing is left to import", saves.string());
  const std::vector<ModelLog> models = read_logs(logs);
  Imported out;
  const ModelLog* retrained = find_role(models, "retrained/");
  for (const ModelLog& model : models) {
    require(
        !model.splits.empty() || model.scores.count("mia_loss") > 0,
        "{}: has no losses: neither forget_Q_A_Prob (TOFU) nor mia_loss (MUSE) is in it; add the "
        "line \"- mia_loss\" to configs/eval/muse.yaml (remove its #) and evaluate again",
        model.file);
    ModelWriter(model, models.front(), out).write();
  }
  std::vector<std::vector<Recomputed>> totals(models.size());
  parallel_for(models.size(), [&](std::size_t i) {
    totals[i] = recompute(models[i], retrained == &models[i] ? nullptr : retrained);
  });
  for (const std::vector<Recomputed>& own : totals) {
    out.recomputed.insert(out.recomputed.end(), own.begin(), own.end());
  }
  out.draft.set("losses", "sequence");
  add_remarks(models, retrained, out);
  check_summaries(summaries, models, out);
  return out;
}

}  // namespace vestige::importing
