// Sample logs of lm-evaluation-harness as choices and scores.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "vestige/base/error.h"
#include "vestige/evidence/layout.h"
#include "vestige/import/import.h"
#include "vestige/import/lm_eval_log.h"
#include "vestige/import/log_roles.h"

namespace vestige::importing {
namespace {

namespace fs = std::filesystem;
using result::Code;
using result::reason;

struct SampleFile {
  fs::path path;
  std::string model;  ///< "unlearned/RMU/0"
};

/// ORIGINAL/..., unlearned/METHOD/...: folders that are named like the roles of evidence.
LogRole role_by_folder(const fs::path& relative) {
  std::vector<std::string> folders;
  for (const fs::path& part : relative.parent_path()) folders.push_back(part.string());
  LogRole role;
  if (folders.empty()) return role;
  if (folders[0] == "original" || folders[0] == "retrained") role.role = folders[0];
  if (folders[0] == "unlearned" && folders.size() > 1) role.role = "unlearned/" + folders[1];
  return role;
}

/// The role of the nearest folder above, or of the file itself, that --map names.
const LogRole* mapped_role(const fs::path& file, const std::vector<RoleMap>& map) {
  const RoleMap* nearest = nullptr;
  const fs::path whole = fs::weakly_canonical(file);
  for (const RoleMap& one : map) {
    const auto [left, right] =
        std::mismatch(one.path.begin(), one.path.end(), whole.begin(), whole.end());
    if (left != one.path.end()) continue;
    if (nearest == nullptr || nearest->path.native().size() < one.path.native().size()) {
      nearest = &one;
    }
  }
  return nearest == nullptr ? nullptr : &nearest->role;
}

std::vector<SampleFile> find_samples(const fs::path& folder, const ImportOptions& options) {
  std::error_code fault;
  require(fs::is_directory(folder, fault),
          "{}: is no folder: give the --output_path of lm-evaluation-harness", folder.string());
  const std::vector<RoleMap> map = parse_map(options.map, folder);
  std::vector<SampleFile> files;
  bool any = false;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || task_of_file(entry.path()).empty()) continue;
    any = true;
    const LogRole* given = mapped_role(entry.path(), map);
    const LogRole role =
        given != nullptr ? *given : role_by_folder(fs::relative(entry.path(), folder));
    if (role.role == "skip") continue;
    require(!role.role.empty(),
            "{}: its model is not known: give --map ROLE={}, where ROLE is original, retrained or "
            "unlearned/METHOD",
            entry.path().string(), entry.path().parent_path().string());
    files.push_back({entry.path(), role.role + "/" + (role.name.empty() ? "0" : role.name)});
  }
  require(any,
          "{}: has no samples_TASK_DATE.jsonl, in no folder below it: evaluate with --log_samples",
          folder.string());
  require(!files.empty(), "{}: all logs are skipped: nothing is left to import", folder.string());
  std::sort(files.begin(), files.end(), [](const SampleFile& left, const SampleFile& right) {
    return evidence::natural_less(left.path.string(), right.path.string());
  });
  return files;
}

/// --goal TASK=GOAL, in the order given: later ones win.
class Goals {
 public:
  explicit Goals(const std::vector<std::string>& given) {
    for (const std::string& text : given) {
      const std::size_t equals = text.rfind('=');
      const std::string goal = equals == std::string::npos ? "" : text.substr(equals + 1);
      require(
          equals != 0 &&
              (goal == "chance" || goal == "retrained" || goal == "higher" || goal == "lower"),
          "--goal {}: give TASK=chance, TASK=retrained, TASK=higher or TASK=lower; TASK may end "
          "in *",
          text);
      goals_.push_back({text.substr(0, equals), goal, false});
    }
  }

  /// Empty if none was given for the task.
  std::string of(const std::string& task) {
    std::string goal;
    for (Goal& one : goals_) {
      const bool begins =
          one.task.ends_with('*') && task.starts_with(one.task.substr(0, one.task.size() - 1));
      if (task != one.task && !begins) continue;
      goal = one.goal;
      one.used = true;
    }
    return goal;
  }

  void require_used(const std::string& folder) const {
    for (const Goal& one : goals_) {
      require(one.used, "--goal {}={}: {} has no log of this task: correct its name", one.task,
              one.goal, folder);
    }
  }

 private:
  struct Goal {
    std::string task;
    std::string goal;
    bool used;
  };
  std::vector<Goal> goals_;
};

/// All models must have answered the same questions, in the same version of the task.
void require_same_questions(const TaskLog& first, const TaskLog& log) {
  require(log.doc.size() == first.doc.size() && log.doc == first.doc,
          "{} has {} examples and {} has {}, or other ones (doc_id): evaluate all models with the "
          "same --limit",
          log.file, log.doc.size(), first.file, first.doc.size());
  const auto [ours, theirs] =
      std::mismatch(log.question.begin(), log.question.end(), first.question.begin());
  const auto place = static_cast<std::size_t>(ours - log.question.begin());
  require(ours == log.question.end(),
          "{}: doc_id {} is another question than in {}: evaluate all models with the same version "
          "of the task",
          log.file, ours == log.question.end() ? 0 : log.doc[place], first.file);
  require(log.label == first.label && log.columns == first.columns,
          "{}: has other options or targets than {}: evaluate all models with the same version of "
          "the task",
          log.file, first.file);
  for (const auto& [metric, values] : first.metrics) {
    require(log.metrics.count(metric) > 0 && log.metrics.size() == first.metrics.size(),
            "{}: has other metrics than {} ({}): evaluate all models with the same version of the "
            "task",
            log.file, first.file, metric);
  }
}

std::string direction_of_goal(const std::string& goal) {
  return goal == "higher" || goal == "lower" ? goal : "match";
}

void write_task(const std::string& model, const TaskLog& log, const std::string& goal,
                Imported& out) {
  out.splits.push_back({log.file, model, log.task, log.doc.size()});
  if (log.columns > 0) {
    require(goal != "lower",
            "--goal {}=lower: an accuracy below chance means that the answer is still known: give "
            "chance, retrained or higher",
            log.task);
    out.draft.put(model + "/choices/" + log.task, log.options, log.columns);
    out.draft.put("labels/choices." + log.task, log.label);
    out.draft.set("choices", log.task, goal);
    const double value = accuracy_of(log);
    const bool agrees = std::abs(value - log.accuracy) <= 1e-9;
    const std::string key = log.task + ".acc";
    out.recomputed.push_back({model, key, value, log.accuracy, agrees});
    if (!agrees) {
      out.remarks.push_back(reason(Code::log_total_differs, model, key, log.accuracy, value));
    }
  } else {
    require(goal != "chance",
            "--goal {}=chance: the task has no options, so chance is not known: give retrained or "
            "lower",
            log.task);
  }
  for (const auto& [metric, values] : log.metrics) {
    const std::string name = log.task + "." + metric;
    out.draft.put(model + "/scores/" + name + "/examples", values);
    out.draft.set("scores", name, direction_of_goal(goal));
  }
  if (!log.not_read.empty()) {
    out.remarks.push_back(reason(Code::task_scores_not_read, log.file, log.not_read));
  }
  require(log.columns > 0 || !log.metrics.empty(),
          "{}: has neither options nor a metric with a number per example: leave it out with "
          "--map skip={}",
          log.file, log.file);
}

}  // namespace

Imported lm_eval(const fs::path& folder, const ImportOptions& options) {
  Goals goals(options.goal);
  std::map<std::string, TaskLog> first;                             // task -> its first log
  std::map<std::pair<std::string, std::string>, std::string> seen;  // model, task -> file
  std::set<std::string> assumed;
  Imported out;
  for (const SampleFile& file : find_samples(folder, options)) {
    TaskLog log = read_task_log(file.path);
    const auto [known, is_new] = seen.try_emplace({file.model, log.task}, log.file);
    require(is_new,
            "{} and {} are both logs of {} for {}: keep one, or leave one out with --map skip=FILE",
            known->second, log.file, log.task, file.model);
    std::string goal = goals.of(log.task);
    if (goal.empty()) {
      assumed.insert(log.task);
      goal = "retrained";
    }
    const auto other = first.find(log.task);
    if (other != first.end()) require_same_questions(other->second, log);
    write_task(file.model, log, goal, out);
    if (other == first.end()) first.emplace(log.task, std::move(log));
  }
  goals.require_used(folder.string());
  if (!assumed.empty()) {
    out.remarks.push_back(
        reason(Code::task_goals_assumed, std::vector<std::string>(assumed.begin(), assumed.end())));
  }
  out.remarks.push_back(reason(Code::harness_logs_decide_nothing));
  return out;
}

}  // namespace vestige::importing
