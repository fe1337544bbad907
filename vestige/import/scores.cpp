// Scores of examples from a CSV file with the columns model, split, example and score.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "vestige/base/csv.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/evidence/layout.h"
#include "vestige/import/import.h"

namespace vestige::importing {
namespace {

struct NaturalLess {
  bool operator()(const std::string& left, const std::string& right) const {
    return evidence::natural_less(left, right);
  }
};
using ByExample = std::map<std::string, double, NaturalLess>;

std::map<std::string, std::size_t> columns_of(const std::vector<std::string>& header,
                                              const std::string& file) {
  std::map<std::string, std::size_t> columns;
  for (std::size_t place = 0; place < header.size(); ++place) columns[header[place]] = place;
  for (const char* wanted : {"model", "split", "example", "score"}) {
    require(columns.count(wanted) > 0,
            "{}: the first line has no column '{}': it must name model, split, example and score",
            file, wanted);
  }
  return columns;
}

double number_in(const std::string& text, const std::string& file, std::size_t line) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size() && std::isfinite(value),
          "{} line {}: score is '{}', it must be a finite number: leave examples without a score "
          "out for all models",
          file, line, text);
  return value;
}

/// "original" is "original/0"; the rest must be the path of a model.
std::string model_of(const std::string& text, const std::string& file, std::size_t line) {
  const evidence::Place place = evidence::place_of(text + "/scores/x/y");
  require(place.part == evidence::Part::scores,
          "{} line {}: model is '{}', it must be original, retrained or unlearned/METHOD, which "
          "may end in /NAME",
          file, line, text);
  return evidence::model_id(place);
}

}  // namespace

Imported scores(const std::filesystem::path& path, const std::string& name,
                const std::string& direction) {
  require(!name.empty() && name.find_first_of("/\\") == std::string::npos && name[0] != '.',
          "--name {}: a score's name is a folder: give letters, digits, - or _", name);
  require(direction == "higher" || direction == "lower" || direction == "match",
          "--direction {}: it must be higher, lower or match (as for retrained models)", direction);
  const std::string file = path.string();
  const std::string text = read_file(path);
  std::map<std::string, std::map<std::string, ByExample>> by_split;  // split -> model -> example
  std::map<std::string, std::size_t> columns;
  CsvReader reader(text, file);
  while (reader.next()) {
    if (reader.blank()) continue;
    const std::vector<std::string> fields = reader.texts();
    const std::size_t line = reader.line();
    if (columns.empty()) {
      columns = columns_of(fields, file);
      continue;
    }
    require(fields.size() >= columns.size(), "{} line {} has {} fields, the first line has {}",
            file, line, fields.size(), columns.size());
    const std::string& split = fields[columns["split"]];
    const std::string& example = fields[columns["example"]];
    require(!split.empty() && split.find_first_of("/\\") == std::string::npos,
            "{} line {}: split is '{}', it must be a name such as forget", file, line, split);
    const std::string model = model_of(fields[columns["model"]], file, line);
    const double score = number_in(fields[columns["score"]], file, line);
    require(by_split[split][model].emplace(example, score).second,
            "{} line {}: example '{}' of {}, split {}, is given twice: keep one line", file, line,
            example, model, split);
  }
  require(!by_split.empty(), "{}: has no scores: give a line per model, split and example", file);
  Imported out;
  for (const auto& [split, models] : by_split) {
    const auto& [first, examples] = *models.begin();
    for (const auto& [model, own] : models) {
      std::vector<double> values;
      for (const auto& [example, score] : own) {
        require(examples.count(example) > 0,
                "{}: split {}: {} has the example '{}', {} has not: score the same examples of "
                "every model",
                file, split, model, example, first);
        values.push_back(score);
      }
      require(own.size() == examples.size(),
              "{}: split {}: {} has {} examples, {} has {}: score the same examples of every model",
              file, split, model, own.size(), first, examples.size());
      out.splits.push_back({file, model, split, values.size()});
      out.draft.put(model + "/scores/" + name + "/" + split, std::move(values));
    }
  }
  out.draft.set("scores", name, direction);
  return out;
}

}  // namespace vestige::importing
