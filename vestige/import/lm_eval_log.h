// One sample log of lm-evaluation-harness: what one model answered to one task.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace vestige::importing {

struct TaskLog {
  std::string file;
  std::string task;
  std::vector<std::int64_t> doc;      ///< doc_id, ascending
  std::vector<std::string> question;  ///< doc_hash of each, else the target: is it the same?
  /// Multiple choice only: log-likelihoods [doc.size(), options], -inf where a question has fewer.
  std::vector<double> options;
  std::size_t columns = 0;
  std::vector<std::int64_t> label;
  double accuracy = 0;  ///< mean of "acc" in the log; NaN without
  /// "exact_match" or, with several filters, "exact_match.strict-match" -> one number per doc.
  std::map<std::string, std::vector<double>> metrics;
  std::vector<std::string> not_read;  ///< metrics without a number per example
};

/// "wmdp_bio" of samples_wmdp_bio_2026-01-31T10-11-12.345678.jsonl; empty if it is no sample log.
std::string task_of_file(const std::filesystem::path& file);

/// InputError with file, line, key and remedy.
TaskLog read_task_log(const std::filesystem::path& file);

/// Share of questions whose first most probable option is the right one.
double accuracy_of(const TaskLog& log);

}  // namespace vestige::importing
