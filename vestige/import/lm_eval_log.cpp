// Reading samples_TASK_DATE.jsonl. lm-evaluation-harness 0.4 writes one object per question (and
// filter) with doc_id, target, arguments, resps and filtered_resps, whose numbers it writes as
// texts, and the value of every metric under its name.
#include "vestige/import/lm_eval_log.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/import/log_values.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::importing {
namespace {

constexpr const char* kAgain =
    "evaluate again with lm-evaluation-harness 0.4 or newer and --log_samples";

/// Where a value stands, for messages.
struct LineAt {
  const std::string& file;
  std::size_t line;
};

/// A number, also one that was written as a text ("-25.625"); nothing for anything else.
std::optional<double> as_number(const Log& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string stripped(const std::string& text) {
  const auto blank = [](unsigned char letter) { return std::isspace(letter) != 0; };
  const auto first = std::find_if_not(text.begin(), text.end(), blank);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), blank).base();
  return first < last ? std::string(first, last) : std::string();
}

const Log& field(const Log& sample, const char* key, const LineAt& at) {
  require(sample.contains(key), "{} line {}: has no \"{}\": {}", at.file, at.line, key, kAgain);
  return sample.at(key);
}

/// The log-likelihood of one answer: [-25.6, false], ["-25.6", "False"], or one inside a list.
std::optional<double> log_likelihood(const Log& answer) {
  if (!answer.is_array() || answer.empty()) return std::nullopt;
  if (answer.size() == 1) return log_likelihood(answer.front());
  // The second says whether greedy decoding gives the answer.
  const bool flag = answer.size() == 2 && (!answer[1].is_string() || !as_number(answer[1]));
  if (!flag) {
    return std::nullopt;
  }
  return as_number(answer[0]);
}

/// The texts of the options, " Paris"; empty if the log does not have them.
std::vector<std::string> option_texts(const Log& sample, std::size_t options) {
  std::vector<std::string> texts;
  if (!sample.contains("arguments")) return texts;
  const Log& arguments = sample.at("arguments");
  for (std::size_t i = 0; i < options; ++i) {
    const Log* one = nullptr;
    const std::string key = fmt::format("gen_args_{}", i);
    if (arguments.is_object() && arguments.contains(key)) one = &arguments.at(key);
    if (arguments.is_array() && i < arguments.size()) one = &arguments[i];
    if (one == nullptr) return {};
    const bool named = one->is_object() && one->contains("arg_1");
    if (!named && !(one->is_array() && one->size() > 1)) return {};
    const Log& text = named ? one->at("arg_1") : (*one)[1];
    if (!text.is_string()) return {};
    texts.push_back(stripped(text.get<std::string>()));
  }
  return texts;
}

/// One line of a log.
struct Sample {
  std::int64_t doc = 0;
  std::string filter;
  std::string question;
  std::vector<double> options;  ///< of multiple choice
  std::int64_t by_number = -1;  ///< the right option if "target" is its number
  std::int64_t by_text = -1;    ///< ... if it is its text
  std::map<std::string, double> metrics;
};

void read_options(const Log& sample, const LineAt& at, Sample& out) {
  const Log& answers = field(sample, "filtered_resps", at);
  if (!answers.is_array() || answers.size() < 2) return;
  for (std::size_t option = 0; option < answers.size(); ++option) {
    const std::optional<double> value = log_likelihood(answers[option]);
    if (!value) return out.options.clear();
    require(std::isfinite(*value),
            "{} line {}: filtered_resps: the log-likelihood of option {} is {}: evaluate the model "
            "again",
            at.file, at.line, option, *value);
    out.options.push_back(*value);
  }
  // acc_mutual_info asks for every option once more, without the question.
  if (sample.contains("acc_mutual_info")) out.options.resize(out.options.size() / 2);
  const Log& target = field(sample, "target", at);
  const std::string text = stripped(target.is_string() ? target.get<std::string>() : target.dump());
  require(!text.starts_with("["),
          "{} line {}: target is {}: questions with several right options are not read; leave the "
          "task out with --map skip=FILE",
          at.file, at.line, text);
  const std::optional<double> number = as_number(Log(text));
  if (number && *number >= 0 && *number < static_cast<double>(out.options.size()) &&
      *number == std::floor(*number)) {
    out.by_number = static_cast<std::int64_t>(*number);
  }
  const std::vector<std::string> texts = option_texts(sample, out.options.size());
  const auto found = std::find(texts.begin(), texts.end(), text);
  if (found != texts.end()) out.by_text = found - texts.begin();
  require(out.by_number >= 0 || out.by_text >= 0,
          "{} line {}: target is \"{}\", which is neither the number nor the text of one of {} "
          "options: {}",
          at.file, at.line, text, out.options.size(), kAgain);
}

/// The metrics that newer versions list, else whatever is no description of the question.
std::vector<std::string> metric_names(const Log& sample) {
  static const std::set<std::string> known = {
      "doc_id",   "doc",         "target",      "arguments", "resps",  "filtered_resps",
      "doc_hash", "prompt_hash", "target_hash", "filter",    "metrics"};
  std::vector<std::string> names;
  if (sample.contains("metrics") && sample.at("metrics").is_array()) {
    for (const Log& name : sample.at("metrics")) {
      if (name.is_string() && sample.contains(name.get<std::string>())) names.push_back(name);
    }
    return names;
  }
  for (const auto& [key, value] : sample.items()) {
    if (known.count(key) == 0) names.push_back(key);
  }
  return names;
}

Sample read_sample(const std::string& text, const LineAt& at, std::set<std::string>& not_read) {
  const Log sample = Log::parse(text, nullptr, false);
  require(sample.is_object(),
          "{} line {}: is no JSON object: the file was cut off or damaged, or holds NaN; {}",
          at.file, at.line, kAgain);
  Sample out;
  const Log& doc = field(sample, "doc_id", at);
  require(doc.is_number_integer() && doc.get<std::int64_t>() >= 0,
          "{} line {}: doc_id is {}: it must be a whole number; {}", at.file, at.line, doc.dump(),
          kAgain);
  out.doc = doc.get<std::int64_t>();
  if (sample.contains("filter") && sample.at("filter").is_string()) {
    out.filter = sample.at("filter");
  }
  const char* identity = sample.contains("doc_hash") ? "doc_hash" : "target";
  out.question = field(sample, identity, at).dump();
  read_options(sample, at, out);
  for (const std::string& name : metric_names(sample)) {
    const Log& value = sample.at(name);
    const std::optional<double> number = value.is_string() ? std::nullopt : as_number(value);
    if (!number && !value.is_null()) {
      not_read.insert(name);
      continue;
    }
    require(number && std::isfinite(*number),
            "{} line {}: {} is {}: it must be a finite number; {}", at.file, at.line, name,
            value.dump(), kAgain);
    // The tasks that call it perplexity log the log-likelihood of each example.
    out.metrics[name == "perplexity" && *number <= 0 ? "loglikelihood" : name] = *number;
  }
  return out;
}

std::int64_t first_largest(const std::vector<double>& values) {
  return std::max_element(values.begin(), values.end()) - values.begin();
}

/// Whether targets are numbers of options or their texts: every question must have one, and it must
/// agree with "acc" where both would do ("1" among the options "0" and "1" may be either).
bool targets_are_numbers(const std::vector<Sample>& samples) {
  const auto possible = [&](std::int64_t Sample::*label) {
    return std::all_of(samples.begin(), samples.end(),
                       [&](const Sample& sample) { return sample.*label >= 0; });
  };
  if (!possible(&Sample::by_text)) return true;
  if (!possible(&Sample::by_number)) return false;
  const auto agreeing = [&](std::int64_t Sample::*label) {
    return std::count_if(samples.begin(), samples.end(), [&](const Sample& sample) {
      const auto acc = sample.metrics.find("acc");
      return acc != sample.metrics.end() &&
             (acc->second > 0.5) == (first_largest(sample.options) == sample.*label);
    });
  };
  return agreeing(&Sample::by_number) >= agreeing(&Sample::by_text);
}

void take_options(const std::vector<Sample>& samples, TaskLog& log) {
  for (const Sample& sample : samples) {
    log.columns = std::max(log.columns, sample.options.size());
  }
  const bool numbers = targets_are_numbers(samples);
  for (const Sample& sample : samples) {
    log.options.insert(log.options.end(), sample.options.begin(), sample.options.end());
    log.options.resize(log.options.size() + log.columns - sample.options.size(), -HUGE_VAL);
    log.label.push_back(numbers ? sample.by_number : sample.by_text);
    require(log.label.back() >= 0,
            "{}: doc_id {}: the targets of some questions are numbers of options and of others "
            "texts: {}",
            log.file, sample.doc, kAgain);
  }
}

}  // namespace

std::string task_of_file(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  if (!name.starts_with("samples_") || !name.ends_with(".jsonl")) return {};
  name = name.substr(8, name.size() - 8 - 6);
  const std::size_t bar = name.rfind('_');
  if (bar == std::string::npos || name.size() < bar + 6) return name;
  const std::string_view date = std::string_view(name).substr(bar + 1);
  const bool dated = date[4] == '-' && std::all_of(date.begin(), date.begin() + 4, [](char digit) {
                       return std::isdigit(static_cast<unsigned char>(digit)) != 0;
                     });
  return dated ? name.substr(0, bar) : name;
}

TaskLog read_task_log(const std::filesystem::path& path) {
  TaskLog log;
  log.file = path.string();
  log.task = task_of_file(path);
  std::map<std::string, std::vector<Sample>> by_filter;
  std::set<std::string> not_read;
  std::istringstream lines(read_file(path));
  std::size_t line = 0;
  for (std::string text; std::getline(lines, text);) {
    ++line;
    if (stripped(text).empty()) continue;
    Sample sample = read_sample(text, {log.file, line}, not_read);
    by_filter[sample.filter].push_back(std::move(sample));
  }
  require(!by_filter.empty(), "{}: is empty: {}", log.file, kAgain);
  for (auto& [filter, samples] : by_filter) {
    std::stable_sort(samples.begin(), samples.end(),
                     [](const Sample& left, const Sample& right) { return left.doc < right.doc; });
    const auto again = std::adjacent_find(
        samples.begin(), samples.end(),
        [](const Sample& left, const Sample& right) { return left.doc == right.doc; });
    require(again == samples.end(),
            "{}: doc_id {} is given twice: two evaluations were written into one file; remove one",
            log.file, again == samples.end() ? 0 : again->doc);
    std::vector<std::int64_t> docs;
    for (const Sample& sample : samples) docs.push_back(sample.doc);
    if (log.doc.empty()) {
      log.doc = docs;
      for (const Sample& sample : samples) log.question.push_back(sample.question);
    }
    require(docs == log.doc, "{}: the filter \"{}\" is about other doc_ids than the filter \"{}\"",
            log.file, filter, by_filter.begin()->first);
    for (const auto& [name, first] : samples.front().metrics) {
      std::vector<double> values;
      for (const Sample& sample : samples) {
        const auto found = sample.metrics.find(name);
        require(found != sample.metrics.end(), "{}: doc_id {}: has no \"{}\": {}", log.file,
                sample.doc, name, kAgain);
        values.push_back(found->second);
      }
      log.metrics[by_filter.size() > 1 ? name + "." + filter : name] = std::move(values);
    }
  }
  const std::vector<Sample>& first = by_filter.begin()->second;
  const auto chosen = [](const Sample& sample) { return !sample.options.empty(); };
  const auto asked = std::count_if(first.begin(), first.end(), chosen);
  const auto acc = log.metrics.find("acc");
  // One log-likelihood or several without "acc" is no multiple choice.
  if (asked == static_cast<std::ptrdiff_t>(first.size()) && acc != log.metrics.end()) {
    take_options(first, log);
    log.accuracy = metrics::mean(acc->second);
    log.metrics.erase(acc);
  }
  log.not_read.assign(not_read.begin(), not_read.end());
  return log;
}

double accuracy_of(const TaskLog& log) {
  double right = 0;
  for (std::size_t row = 0; row < log.label.size(); ++row) {
    const auto first = log.options.begin() + static_cast<std::ptrdiff_t>(row * log.columns);
    const auto most = std::max_element(first, first + static_cast<std::ptrdiff_t>(log.columns));
    right += most - first == log.label[row] ? 1 : 0;
  }
  return right / static_cast<double>(log.label.size());
}

}  // namespace vestige::importing
