// Reading requests.csv.
#include "vestige/evidence/requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "vestige/base/csv.h"
#include "vestige/base/error.h"
#include "vestige/base/text.h"
#include "vestige/evidence/formats/utf8.h"
#include "vestige/evidence/names.h"
#include "vestige/evidence/source.h"

namespace vestige::evidence {
namespace {

/// Column name -> place.
std::map<std::string, std::size_t> columns_of(const std::vector<std::string>& header) {
  const std::vector<std::string> known = {"request", "row", "subject", "date"};
  std::map<std::string, std::size_t> columns;
  for (std::size_t place = 0; place < header.size(); ++place) {
    require(std::find(known.begin(), known.end(), header[place]) != known.end(),
            "{}: the column '{}' is not known: did you mean '{}'? Known are {}", kRequestsFile,
            header[place], nearest(header[place], known), fmt::join(known, ", "));
    require(columns.emplace(header[place], place).second, "{}: the column '{}' is given twice",
            kRequestsFile, header[place]);
  }
  require(
      columns.count("request") > 0 && (columns.count("row") > 0 || columns.count("subject") > 0),
      "{}: the first line must name the columns: row,request or subject,request", kRequestsFile);
  return columns;
}

std::size_t row_named(const std::string& text, const std::vector<std::string>* ids,
                      std::size_t forget_rows, std::size_t number) {
  if (ids != nullptr) {
    const auto found = std::find(ids->begin(), ids->end(), text);
    require(found != ids->end(), "{} line {}: no forget example has the id '{}'", kRequestsFile,
            number, text);
    return static_cast<std::size_t>(found - ids->begin());
  }
  std::size_t row = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row);
  require(error == std::errc() && end == text.data() + text.size(),
          "{} line {}: '{}' is not a row number: give its place in the forget set, from 0",
          kRequestsFile, number, text);
  require(row < forget_rows,
          "{} line {}: row {} is outside forget, which has rows 0 to {}: requests are about forget "
          "rows",
          kRequestsFile, number, row, forget_rows - 1);
  return row;
}

}  // namespace

std::vector<ErasureRequest> parse_requests(std::string_view text, const Evidence& evidence,
                                           std::size_t forget_rows) {
  const auto find = [](const auto& table) {
    const auto found = table.find("forget");
    return found == table.end() ? nullptr : &found->second;
  };
  const std::vector<std::string>* ids = find(evidence.ids);
  const std::vector<std::string>* subjects = find(evidence.subjects);
  require(forget_rows > 0, "{}: the evidence has no forget set", kRequestsFile);
  std::vector<ErasureRequest> requests;
  std::map<std::string, std::size_t> columns;
  CsvReader reader(text, kRequestsFile);
  while (reader.next()) {
    if (reader.blank()) continue;
    const std::size_t number = reader.line();
    const std::vector<std::string> fields = reader.texts();
    if (columns.empty()) {
      columns = columns_of(fields);
      continue;
    }
    require(fields.size() == columns.size(), "{} line {} has {} fields, the first line has {}",
            kRequestsFile, number, fields.size(), columns.size());
    for (const std::string& entry : fields) {
      require(!has_controls(entry), "{} line {}: '{}' has control characters: rename it",
              kRequestsFile, number, printable(entry));
    }
    const auto field = [&](const char* name) {
      const auto place = columns.find(name);
      return place == columns.end() ? std::string() : fields[place->second];
    };
    require(!field("request").empty(), "{} line {}: the request has no name", kRequestsFile,
            number);
    auto request = std::find_if(requests.begin(), requests.end(), [&](const ErasureRequest& own) {
      return own.name == field("request");
    });
    if (request == requests.end()) {
      request = requests.insert(request, {field("request"), {}, field("subject"), field("date")});
    }
    if (columns.count("row") > 0) {
      request->rows.push_back(row_named(field("row"), ids, forget_rows, number));
      continue;
    }
    require(subjects != nullptr,
            "{}: it names subjects, but the forget examples have none: add subjects/forget.npy or "
            "name rows",
            kRequestsFile);
    const std::size_t before = request->rows.size();
    for (std::size_t row = 0; row < subjects->size(); ++row) {
      if ((*subjects)[row] == field("subject")) request->rows.push_back(row);
    }
    require(request->rows.size() > before,
            "{} line {}: no forget example belongs to the subject '{}'", kRequestsFile, number,
            field("subject"));
  }
  require(!requests.empty(), "{} names no rows: write one line row,request for each",
          kRequestsFile);
  for (ErasureRequest& request : requests) {
    std::sort(request.rows.begin(), request.rows.end());
    request.rows.erase(std::unique(request.rows.begin(), request.rows.end()), request.rows.end());
  }
  return requests;
}

bool has_requests(const Evidence& evidence) {
  return std::any_of(evidence.inputs.begin(), evidence.inputs.end(),
                     [](const Input& input) { return input.path == kRequestsFile; });
}

std::vector<ErasureRequest> read_requests(const Evidence& evidence, std::size_t forget_rows) {
  if (!has_requests(evidence)) return {};
  require(std::filesystem::exists(evidence.path),
          "{} is read from disk: write the evidence to a folder and audit that", kRequestsFile);
  return parse_requests(open_source(evidence.path).read(std::string(kRequestsFile)), evidence,
                        forget_rows);
}

}  // namespace vestige::evidence
