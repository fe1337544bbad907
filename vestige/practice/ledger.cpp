// Reading, checking and appending to ledgers.
#include "vestige/practice/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>

#include "vestige/base/descriptor.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/sha256.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/strip.h"

namespace vestige::practice {
namespace {

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
            "{}: line {} is torn: it was not written whole; vestige ledger {} --mend takes it off, "
            "then add that audit again",
            name, number, name);
    const std::string line = text.substr(start, end - start);
    Json entry = Json::parse(line, nullptr, false);
    require(entry.is_object(), "{}: line {} is no entry of a ledger: it was changed or is torn",
            name, number);
    // A line is the one text of its content: neither a space nor a key may differ.
    const bool own = line == line_text(entry) &&
                     report::text_of(entry, "sha256") == hash_of(unsigned_text(entry));
    require(own, "{}: line {} was changed after it was written: its own hash does not fit", name,
            number);
    require(report::text_of(entry, "previous") == ledger.head,
            "{}: line {} does not follow line {}: a line before it was changed, removed or moved",
            name, number, number - 1);
    require(report::whole_of(entry, "entry") == number,
            "{}: line {} calls itself entry {}: lines were removed or moved", name, number,
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
  require(descriptor.get() >= 0, "cannot open {}: {}", path.string(), std::strerror(errno));
  require(::flock(descriptor.get(), LOCK_EX) == 0, "cannot lock {}: {}", path.string(),
          std::strerror(errno));
  return descriptor;
}

}  // namespace

Json ledger_entry(const report::Results& results, const std::string& results_sha256) {
  std::string inputs;
  for (const Json& input : results.inputs) {
    inputs += report::text_of(input, "sha256") + "  " + report::text_of(input, "path") + "\n";
  }
  Json verdicts = Json::array();
  for (const report::Strip& strip : report::strips_of(results)) {
    for (const report::StripLine& line : strip.lines) {
      Json marks = Json::array();
      for (const report::StripMark& mark : line.marks) {
        marks.push_back({{"metric", strip.tests[mark.test]},
                         {"value", json_number(mark.value)},
                         {"lower", json_number(mark.lower)},
                         {"upper", json_number(mark.upper)}});
      }
      verdicts.push_back({{"arm", line.arm},
                          {"method", line.method},
                          {"word", audit::name(line.word)},
                          {"marks", marks},
                          {"retain", kept_json(line.retain)},
                          {"test", kept_json(line.test)}});
    }
  }
  const Json gate = results.gate.is_null()
                        ? Json()
                        : Json{{"policy", report::text_of(results.gate, "sha256")},
                               {"passed", report::flag_of(results.gate, "passed")}};
  return {{"results", results_sha256},
          {"started", results.run.started},
          {"title", results.run.title},
          {"version", report::text_of(results.tool, "version")},
          {"commit", report::text_of(results.tool, "commit")},
          {"grade", report::text_of(results.evidence, "grade")},
          {"inputs", hash_of(inputs)},
          {"gate", gate},
          {"verdicts", verdicts}};
}

Ledger read_ledger(const std::filesystem::path& path) {
  return parse_ledger(read_file(path), path.string());
}

std::size_t append_to_ledger(const std::filesystem::path& path, const report::Results& results,
                             const std::string& results_sha256) {
  const Descriptor file = locked(path, O_CREAT);
  const Ledger ledger = read_ledger(path);
  Json entry = {{"entry", ledger.entries.size() + 1}, {"previous", ledger.head}};
  entry.update(ledger_entry(results, results_sha256));
  // As text and back, so that names with bytes that are no UTF-8 are hashed as they are written.
  entry = Json::parse(line_text(entry));
  entry["sha256"] = hash_of(unsigned_text(entry));
  write_all(file.get(), line_text(entry) + "\n", path);
  require(::fsync(file.get()) == 0, "cannot write {}: {}", path.string(), std::strerror(errno));
  return ledger.entries.size() + 1;
}

std::string mend_ledger(const std::filesystem::path& path) {
  const Descriptor file = locked(path, 0);
  const std::string text = read_file(path);
  const std::size_t end = text.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  parse_ledger(text.substr(0, whole), path.string());  // nothing else may be wrong
  require(whole < text.size(), "{} has no torn line: there is nothing to mend", path.string());
  require(::ftruncate(file.get(), static_cast<off_t>(whole)) == 0 && ::fsync(file.get()) == 0,
          "cannot write {}: {}", path.string(), std::strerror(errno));
  return text.substr(whole);
}

}  // namespace vestige::practice
