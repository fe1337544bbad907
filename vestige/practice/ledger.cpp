// Reading, checking and appending to ledgers.
#include "vestige/practice/ledger.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <map>
#include <span>
#include <string_view>

#include "vestige/base/descriptor.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/nesting.h"
#include "vestige/base/sha256.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/summary_plot.h"

namespace vestige::practice {
namespace {

/// An entry has some thousand bytes.
constexpr std::size_t kMostOfLedger = std::size_t{1} << 30U;

std::string hash_of(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

std::string line_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The line without its own hash.
std::string unsigned_text(Json entry) {
  entry.erase("sha256");
  return line_text(entry);
}

Json kept_json(const report::Kept& kept) { return json_number(kept.difference); }

/// The ledger's lines from its bytes.
Ledger parse_ledger(const std::string& text, const std::string& name) {
  Ledger ledger{{}, std::string(64, '0')};
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t number = ledger.entries.size() + 1;
    const std::size_t end = text.find('\n', start);
    require(end != std::string::npos,
            "{}: line {} is incomplete: writing it was interrupted. vestige ledger {} --fix "
            "removes it; "
            "then add that audit again",
            name, number, name);
    const std::string line = text.substr(start, end - start);
    Json entry = parse_json(line);
    require(
        entry.is_object(),
        "{}: line {} is not an entry of a ledger: it was changed, or writing it was interrupted",
        name, number);
    // A line is the one text of its content: neither a space nor a key may differ.
    const bool own = line == line_text(entry) &&
                     report::text_of(entry, "sha256") == hash_of(unsigned_text(entry));
    require(own, "{}: line {} was changed after it was written: its hash does not match", name,
            number);
    require(report::text_of(entry, "previous") == ledger.head,
            "{}: line {} does not follow line {}: a line before it was changed, removed or moved",
            name, number, number - 1);
    require(report::whole_of(entry, "entry") == number,
            "{}: line {} has the entry number {}: lines were removed or moved", name, number,
            report::whole_of(entry, "entry"));
    ledger.head = hash_of(line);
    ledger.entries.push_back(std::move(entry));
    start = end + 1;
  }
  return ledger;
}

void write_all(int descriptor, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    require(written > 0, "cannot write {}: {}", path.string(), std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Opened for appending and locked until it is closed.
Descriptor locked(const std::filesystem::path& path, int more_flags) {
  Descriptor descriptor(::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | more_flags, 0644));
  if (descriptor.get() < 0) fail("cannot open {}: {}", path.string(), std::strerror(errno));
  if (::flock(descriptor.get(), LOCK_EX) != 0) {
    fail("cannot lock {}: {}", path.string(), std::strerror(errno));
  }
  return descriptor;
}

}  // namespace

Json declared_margins(const report::Results& results) {
  Json margins = Json::object();
  for (const char* name : {"margin", "smallest_effect", "utility_margin"}) {
    const Json& options = results.run.options;
    const auto found = options.find(std::string("verdict.") + name);
    margins[name] = found != options.end() ? *found : Json();
  }
  return margins;
}

Json ledger_entry(const report::Results& results, const std::string& results_sha256) {
  std::string inputs;
  for (const Json& input : results.inputs) {
    inputs += report::text_of(input, "sha256") + "  " + report::text_of(input, "path") + "\n";
  }
  Json verdicts = Json::array();
  for (const report::SummaryPlot& summary : report::summary_plots(results)) {
    for (const report::SummaryLine& line : summary.lines) {
      Json marks = Json::array();
      for (const report::SummaryMark& mark : line.marks) {
        marks.push_back({{"metric", summary.tests[mark.test]},
                         {"value", json_number(mark.value)},
                         {"lower", json_number(mark.lower)},
                         {"upper", json_number(mark.upper)}});
      }
      verdicts.push_back({{"variant", line.variant},
                          {"method", line.method},
                          {"word", result::name(line.word)},
                          {"marks", marks},
                          {"retain", kept_json(line.retain)},
                          {"test", kept_json(line.test)}});
    }
  }
  Json gate;
  if (results.gate) gate = {{"policy", results.gate->sha256}, {"passed", results.gate->passed}};
  Json entry = {{"added", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
                {"results", results_sha256},
                {"started", results.run.started},
                {"title", results.run.title},
                {"version", report::text_of(results.tool, "version")},
                {"commit", report::text_of(results.tool, "commit")},
                {"grade", report::text_of(results.evidence, "grade")},
                {"inputs", hash_of(inputs)}};
  entry.update(declared_margins(results));
  const bool by_file = results.gate && !results.gate->sha256.empty();
  entry["policy"] = by_file ? Json(results.gate->sha256) : Json();
  entry["gate"] = gate;
  entry["verdicts"] = verdicts;
  return entry;
}

Ledger read_ledger(const std::filesystem::path& path) {
  return parse_ledger(read_file(path, kMostOfLedger), path.string());
}

std::string head_at(const Ledger& ledger, std::size_t entry) {
  if (entry == 0 || entry > ledger.entries.size()) return {};
  return entry == ledger.entries.size() ? ledger.head
                                        : report::text_of(ledger.entries[entry], "previous");
}

std::size_t entry_with_head(const Ledger& ledger, const std::string& head) {
  for (std::size_t entry = ledger.entries.size(); entry > 0; --entry) {
    if (head_at(ledger, entry) == head) return entry;
  }
  return 0;
}

std::size_t entry_of(const Ledger& ledger, const std::string& results_sha256) {
  for (std::size_t entry = ledger.entries.size(); entry > 0; --entry) {
    if (report::text_of(ledger.entries[entry - 1], "results") == results_sha256) return entry;
  }
  return 0;
}

result::Reasons ledger_remarks(const Ledger& ledger) {
  using result::Code;
  using result::reason;
  result::Reasons remarks;
  std::map<std::string, std::size_t> first;  // results -> entry
  std::string last_started, last_added;
  for (std::size_t place = 0; place < ledger.entries.size(); ++place) {
    const Json& entry = ledger.entries[place];
    const std::size_t number = place + 1;
    const auto [known, fresh] = first.try_emplace(report::text_of(entry, "results"), number);
    if (!fresh) remarks.push_back(reason(Code::ledger_duplicate, number, known->second));
    // Times are UTC in ISO 8601, so that their order is that of their texts.
    const std::string started = report::text_of(entry, "started");
    const std::string added = report::text_of(entry, "added");
    if (started < last_started) {
      remarks.push_back(reason(Code::ledger_started_earlier, number, started, last_started));
    }
    if (!added.empty() && added < last_added) {
      remarks.push_back(reason(Code::ledger_added_earlier, number, added, last_added));
    }
    if (!added.empty() && added < started) {
      remarks.push_back(reason(Code::ledger_added_before_measured, number, added, started));
    }
    last_started = started;
    if (!added.empty()) last_added = added;
  }
  return remarks;
}

AddedEntry append_to_ledger(const std::filesystem::path& path, const report::Results& results,
                            const std::string& results_sha256) {
  const Descriptor file = locked(path, O_CREAT);
  const Ledger ledger = read_ledger(path);
  Json entry = {{"entry", ledger.entries.size() + 1}, {"previous", ledger.head}};
  entry.update(ledger_entry(results, results_sha256));
  // As text and back, so that names with bytes that are no UTF-8 are hashed as they are written.
  entry = Json::parse(line_text(entry));
  entry["sha256"] = hash_of(unsigned_text(entry));
  const std::string line = line_text(entry);
  write_all(file.get(), line + "\n", path);
  if (::fsync(file.get()) != 0) fail("cannot write {}: {}", path.string(), std::strerror(errno));
  return {ledger.entries.size() + 1, hash_of(line)};
}

std::string fix_ledger(const std::filesystem::path& path) {
  const Descriptor file = locked(path, 0);
  const std::string text = read_file(path);
  const std::size_t end = text.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  parse_ledger(text.substr(0, whole), path.string());  // nothing else may be wrong
  require(whole < text.size(), "{} has no incomplete line: there is nothing to fix", path.string());
  if (::ftruncate(file.get(), static_cast<off_t>(whole)) != 0 || ::fsync(file.get()) != 0) {
    fail("cannot write {}: {}", path.string(), std::strerror(errno));
  }
  return text.substr(whole);
}

}  // namespace vestige::practice
