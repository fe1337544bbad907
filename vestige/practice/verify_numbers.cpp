// The audit of a dossier computed again, number by number.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>

#include "vestige/audit/metric_options.h"
#include "vestige/base/csv.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/nesting.h"
#include "vestige/metrics/options.h"
#include "vestige/practice/verify_parts.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/requests_views.h"
#include "vestige/report/tables/samples_csv.h"

namespace vestige::practice {
namespace {

namespace fs = std::filesystem;
using report::text_of;
using result::Code;
using result::reason;

/// "0.2.0 (abc1234)".
std::string version_of(const Json& tool) {
  return fmt::format("{} ({})", text_of(tool, "version"), text_of(tool, "commit"));
}

/// Names the first input whose bytes are not those that the results were measured on.
void check_evidence_bytes(const Json& stated, const Json& given, const std::string& evidence,
                          std::vector<CheckedPart>& findings) {
  std::map<std::string, std::string> now;
  for (const Json& input : given) now[text_of(input, "path")] = text_of(input, "sha256");
  for (const Json& input : stated) {
    const std::string path = text_of(input, "path");
    const auto found = now.find(path);
    if (found != now.end() && found->second == text_of(input, "sha256")) continue;
    findings.push_back(
        {"evidence", Validity::invalid,
         reason(found == now.end() ? Code::evidence_file_missing : Code::evidence_file_changed,
                path, evidence)});
    return;
  }
  findings.push_back({"evidence", valid_if(stated.size() == given.size()),
                      reason(Code::evidence_files_match, stated.size(), given.size())});
}

/// Files of the evidence in the dossier that the audit did not read: nothing vouches for them.
void check_no_more_evidence(const fs::path& folder, const Json& stated,
                            std::vector<CheckedPart>& findings) {
  const fs::path inside = evidence_inside(folder);
  if (inside.empty() || !fs::is_directory(inside)) return;
  std::set<std::string> read;
  for (const Json& input : stated) read.insert(text_of(input, "path"));
  for (const auto& entry : fs::recursive_directory_iterator(inside)) {
    const std::string name = entry.path().lexically_relative(inside).generic_string();
    if (entry.is_directory() || read.count(name) > 0) continue;
    findings.push_back({"evidence/" + name, Validity::invalid, Code::file_added});
  }
}

/// Records of a CSV file as lists; an unquoted field that reads as a number is one.
Json table_of(const std::string& text, const std::string& name) {
  Json table = Json::array();
  CsvReader reader(text, name);
  while (reader.next()) {
    Json line = Json::array();
    for (const CsvField& field : reader.fields()) {
      const char* end = field.text.data() + field.text.size();
      double value = 0;
      const auto [stop, error] = std::from_chars(field.text.data(), end, value);
      const bool is_number = !field.quoted && error == std::errc() && stop == end;
      line.push_back(is_number ? Json(value) : Json(field.text));
    }
    table.push_back(std::move(line));
  }
  return table;
}

/// A table beside the results, compared with the one that is computed now. `other` is the version
/// that made it, where that is not this one.
void check_table(const fs::path& folder, const std::string& name, const std::string& fresh,
                 const std::string& other, std::vector<CheckedPart>& findings) {
  if (!fs::exists(folder / name)) return;
  const std::string stored = read_file(folder / name);
  if (stored == fresh) {
    findings.push_back({name, Validity::valid, Code::table_same_bytes});
    return;
  }
  Json table;
  try {
    table = table_of(stored, name);
  } catch (const InputError& error) {
    findings.push_back({name, valid_if(false), reason(Code::message, error.what())});
    return;
  }
  const NumberDifferences found = differences_between(table, table_of(fresh, name));
  if (!found.different.empty() && !other.empty()) {
    findings.push_back({name, Validity::not_checked,
                        reason(Code::table_of_other_version, found.different.size(),
                               found.different.front(), other)});
    return;
  }
  findings.push_back({name, valid_if(found.different.empty()),
                      found.different.empty() ? reason(Code::table_same, found.equal, found.nearly)
                                              : reason(Code::table_differs, found.different.size(),
                                                       found.different.front())});
}

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
                   const Context& context, std::vector<CheckedPart>& findings) {
  const Json stored = parse_json(read_file(folder / "results.json", report::kMostOfResults));
  const report::Results results = report::results_of(stored, "results.json");
  const std::optional<result::RunSelection>& selection = results.run.selection;
  if (!selection) {
    findings.push_back({"numbers", Validity::not_checked, Code::numbers_not_stated});
    return;
  }
  // A stranger chose the options: their bounds keep time and memory small.
  for (const metrics::Option& option : audit::metric_options()) {
    const auto given = results.run.options.find(option.key);
    if (given == results.run.options.end() || given->is_null()) continue;
    const std::string why = metrics::misfit(option, *given);
    if (why.empty()) continue;
    findings.push_back(
        {"numbers", Validity::invalid,
         reason(Code::message, fmt::format("{} is {}: {}", option.key, given->dump(), why))});
    return;
  }
  evidence::ReadOptions reading;
  reading.methods = selection->methods;
  reading.exclude = selection->exclude;
  reading.keep_going = selection->keep_going;
  // The memory that the results were measured with decides what is left out.
  const Context same = selection->memory > 0 ? context.with_memory(selection->memory) : context;
  const report::Audited audited = report::run_audit(
      evidence, {results.run.command,
                 {selection->metrics, results.run.seed, results.run.options, same},
                 results.run.title,
                 reading});
  const Json fresh = Json::parse(report::results_text(audited.results));
  // Another version may measure or say things differently: a difference proves no change then.
  const std::string made = version_of(results.tool), here = version_of(report::this_tool());
  const std::string other = made == here ? std::string() : made;
  check_no_more_evidence(folder, results.inputs, findings);
  check_evidence_bytes(results.inputs, audited.results.inputs, shown, findings);
  check_table(folder, "samples.csv",
              report::samples_csv(audited.evidence, audited.measured.columns), other, findings);
  // Evidence without requests has an empty table: a requests.csv that was added is found.
  check_table(folder, "requests.csv",
              report::requests_csv(audited.results.requests.value_or(result::Requests{})), other,
              findings);
  const NumberDifferences found = differences_between(stored, fresh);
  if (found.different.empty()) {
    findings.push_back(
        {"numbers", Validity::valid, reason(Code::numbers_same, shown, found.equal, found.nearly)});
    return;
  }
  if (!other.empty()) {
    findings.push_back({"numbers", Validity::not_checked,
                        reason(Code::numbers_of_other_version, shown, made, here,
                               found.different.size(), found.different.front())});
    return;
  }
  findings.push_back(
      {"numbers", Validity::invalid,
       reason(Code::numbers_differ, shown, found.different.size(),
              found.different.size() + found.equal + found.nearly, found.different.front())});
}

}  // namespace vestige::practice
