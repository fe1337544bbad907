// The audit of a dossier computed again, number by number.
#include <fmt/format.h>

#include <charconv>
#include <map>

#include "vestige/base/file.h"
#include "vestige/base/memory.h"
#include "vestige/practice/verify_parts.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/html.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/read_results.h"
#include "vestige/report/requests_views.h"
#include "vestige/report/results_json.h"
#include "vestige/report/samples_csv.h"

namespace vestige::practice {
namespace {

namespace fs = std::filesystem;
using report::text_of;

std::vector<std::string> names_in(const Json& selection, const char* key) {
  std::vector<std::string> names;
  for (const Json& name : report::list_of(selection, key)) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return names;
}

/// Names the first input whose bytes are not those that the results were measured on.
void check_evidence_bytes(const Json& stated, const Json& given, const std::string& evidence,
                          std::vector<Finding>& findings) {
  std::map<std::string, std::string> now;
  for (const Json& input : given) now[text_of(input, "path")] = text_of(input, "sha256");
  for (const Json& input : stated) {
    const std::string path = text_of(input, "path");
    const auto found = now.find(path);
    if (found != now.end() && found->second == text_of(input, "sha256")) continue;
    findings.push_back(
        {"evidence", false,
         fmt::format("{} of {} {}", path, evidence,
                     found == now.end() ? "is missing" : "has other bytes than what was audited")});
    return;
  }
  findings.push_back(
      {"evidence", stated.size() == given.size(),
       fmt::format("{} of {} files have the stated SHA-256", stated.size(), given.size())});
}

/// Lines of a CSV file (RFC 4180) as lists; what reads as a number is one.
Json table_of(const std::string& text) {
  Json table = Json::array(), line = Json::array();
  std::string cell;
  bool quoted = false, was_quoted = false;
  const auto close = [&] {
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    const bool is_number =
        !was_quoted && error == std::errc() && end == cell.data() + cell.size() && !cell.empty();
    line.push_back(is_number ? Json(value) : Json(cell));
    cell.clear();
    was_quoted = false;
  };
  for (const char letter : text) {
    if (letter == '"') {
      quoted = !quoted;
      was_quoted = true;
    } else if (quoted || (letter != ',' && letter != '\n')) {
      cell += letter;
    } else {
      close();
      if (letter == '\n') {
        table.push_back(std::move(line));
        line = Json::array();
      }
    }
  }
  if (!cell.empty() || !line.empty()) {
    close();
    table.push_back(std::move(line));
  }
  return table;
}

/// A table that lies beside the results, against the one that comes out now.
void check_table(const fs::path& folder, const std::string& name, const std::string& fresh,
                 std::vector<Finding>& findings) {
  if (!fs::exists(folder / name)) return;
  const std::string stored = read_file(folder / name);
  if (stored == fresh) {
    findings.push_back({name, true, "computed again: the same bytes"});
    return;
  }
  const NumberDifferences found = differences_between(table_of(stored), table_of(fresh));
  findings.push_back(
      {name, found.different.empty(),
       found.different.empty()
           ? fmt::format("computed again: {} cells are the same, {} up to the last digits",
                         found.equal, found.nearly)
           : fmt::format("computed again: {} cells differ, the first (line, column): {}",
                         found.different.size(), found.different.front())});
}

/// The page says what the results say; only the very build that made it makes the same bytes.
void check_page(const fs::path& folder, const report::Results& results,
                std::vector<Finding>& findings) {
  constexpr const char* kPage = "report.html";
  if (!fs::exists(folder / kPage)) return;
  if (results.tool != report::this_tool()) {
    findings.push_back(
        {kPage, true, "not made again: the results come from another build; its hash is right"});
    return;
  }
  const bool same = read_file(folder / kPage) == report::html(results);
  findings.push_back({kPage, same,
                      same ? "made again from results.json: the same bytes"
                           : "is not the page of these results: it was changed before the dossier "
                             "was made"});
}

/// The memory that the results were measured with, which decides what is left out; as it was
/// afterwards.
class MemoryOf {
 public:
  explicit MemoryOf(const Json& selection) : before_(static_cast<double>(memory()) / 1e9) {
    const double stated = report::number_of(selection, "memory");
    if (stated > 0) set_memory(stated);
  }
  ~MemoryOf() { set_memory(before_); }
  MemoryOf(const MemoryOf&) = delete;
  MemoryOf& operator=(const MemoryOf&) = delete;

 private:
  double before_;
};

}  // namespace

fs::path evidence_inside(const fs::path& folder) {
  const fs::path inside = folder / "evidence";
  if (!fs::is_directory(inside)) return {};
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(inside)) entries.push_back(entry.path());
  const bool archive = entries.size() == 1 && fs::is_regular_file(entries.front());
  return archive ? entries.front() : inside;
}

void check_numbers(const fs::path& folder, const fs::path& evidence, const std::string& shown,
                   std::vector<Finding>& findings) {
  const Json stored = Json::parse(read_file(folder / "results.json"));
  const report::Results results = report::results_of(stored, "results.json");
  const Json& selection = results.run.selection;
  if (selection.is_null()) {
    findings.push_back({"numbers", false,
                        "cannot be computed again: these results do not say what was asked for; "
                        "they were made by an older version"});
    return;
  }
  evidence::ReadOptions reading;
  reading.methods = names_in(selection, "methods");
  reading.exclude = names_in(selection, "exclude");
  reading.keep_going = report::flag_of(selection, "keep_going");
  const MemoryOf memory(selection);
  const report::Audited audited = report::run_audit(
      evidence, {results.run.command,
                 {names_in(selection, "metrics"), results.run.seed, results.run.options},
                 results.run.title,
                 reading});
  const Json fresh = Json::parse(report::results_text(audited.results));
  check_evidence_bytes(results.inputs, audited.results.inputs, shown, findings);
  check_table(folder, "samples.csv",
              report::samples_csv(audited.evidence, audited.measured.columns), findings);
  check_table(folder, "requests.csv", report::requests_csv(audited.results.requests), findings);
  check_page(folder, results, findings);
  const NumberDifferences found = differences_between(stored, fresh);
  if (found.different.empty()) {
    findings.push_back(
        {"numbers", true,
         fmt::format(
             "computed again from {}: {} fields are the same{}", shown, found.equal,
             found.nearly == 0 ? "" : fmt::format(", {} up to the last digits", found.nearly))});
    return;
  }
  findings.push_back(
      {"numbers", false,
       fmt::format("computed again from {}: {} of {} fields differ, the first: {}", shown,
                   found.different.size(), found.different.size() + found.equal + found.nearly,
                   found.different.front())});
}

}  // namespace vestige::practice
