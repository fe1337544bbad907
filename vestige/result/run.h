// How results were made, as results.json says it under `run` and `samples`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/result/codec.h"
#include "vestige/result/row.h"

namespace vestige::result {

/// What was asked for: with the options, enough to measure again.
struct RunSelection {
  std::vector<std::string> metrics{};  ///< empty: all that the evidence supports
  std::vector<std::string> methods{};  ///< empty: all
  std::vector<std::string> exclude{};
  bool keep_going = false;
  double memory = kUndefined;  ///< gigabytes; results of 0.1.0 do not say

  static constexpr std::string_view kType = "RunSelection";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("metrics", &RunSelection::metrics, "metric groups and ids asked for; empty: all");
    visit("methods", &RunSelection::methods, "methods asked for; empty: all");
    visit("exclude", &RunSelection::exclude, "methods and models left out");
    visit("keep_going", &RunSelection::keep_going, "whether unusable models were left out");
    visit("memory", &RunSelection::memory, "memory for what is held as a whole, in gigabytes");
  }
};

struct Run {
  std::string command{};
  std::uint64_t seed = 1;
  int threads = 1;
  std::string started{};  ///< UTC, ISO 8601
  double seconds = 0;
  Json options = Json::object();            ///< in force, by key
  std::optional<RunSelection> selection{};  ///< none where the results do not say
  std::string title{};                      ///< of the page, where people gave one
  /// The page is rewritten by an experiment that goes on: it reloads itself. In no file.
  bool running = false;

  static constexpr std::string_view kType = "Run";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("command", &Run::command, "the command line, or the call from Python");
    visit("seed", &Run::seed, "root seed of all random draws");
    visit("threads", &Run::threads, "threads; results do not depend on them");
    visit("started", &Run::started, "UTC, ISO 8601");
    visit("seconds", &Run::seconds, "how long it took");
    visit("options", &Run::options, "metric options in force, by key: {\"iam.levels\": 50}");
    visit("selection", &Run::selection, "what was asked for; absent where the results do not say");
    visit("title", &Run::title, "title of the page; absent where nobody gave one");
  }
};

/// One column of the per-example file.
struct SampleColumnInfo {
  std::string name{};
  std::string split{};

  static constexpr std::string_view kType = "SampleColumnInfo";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &SampleColumnInfo::name, "name of the column: epsilon.finetune");
    visit("split", &SampleColumnInfo::split, "the split whose examples it is about");
  }
};

struct SampleFile {
  std::string file{};
  std::vector<SampleColumnInfo> columns{};

  static constexpr std::string_view kType = "SampleFile";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &SampleFile::file, "the file beside results.json: samples.csv");
    visit("columns", &SampleFile::columns, "its columns of scores");
  }
};

}  // namespace vestige::result
