// samples.csv as columns: of a live audit without text in between, of a saved one from its text.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/bindings/arrays.h"
#include "python/bindings/module.h"
#include "vestige/base/csv.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/page/escape.h"
#include "vestige/report/tables/samples_csv.h"

namespace vestige::python {
namespace {

using metrics::SampleColumn;
using report::SampleRows;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Texts of rows, such as ids; "" where a split has none.
using Names = std::map<std::string, std::vector<std::string>>;

template <typename Value>
py::list texts_of(const report::SampleTable& table, Value value) {
  py::list made;
  for (const SampleRows& split : table.splits) {
    for (const std::size_t row : split.rows) made.append(value(split, row));
  }
  return made;
}

py::list names_of(const report::SampleTable& table, const Names& names) {
  const py::str empty("");
  return texts_of(table, [&](const SampleRows& split, std::size_t row) {
    const auto found = names.find(split.split);
    return found == names.end() || row >= found->second.size() ? empty
                                                               : py::str(found->second[row]);
  });
}

/// One column; `value` of a split and a row.
template <typename T, typename Value>
py::array_t<T> numbers_of(const report::SampleTable& table, Value value) {
  std::vector<T> made;
  for (const SampleRows& split : table.splits) {
    for (const std::size_t row : split.rows) made.push_back(value(split, row));
  }
  return numpy_of(std::move(made));
}

/// Whole numbers; None where a split has no labels.
py::object labels_of(const report::SampleTable& table, const evidence::Evidence& evidence) {
  bool all = true;
  for (const SampleRows& split : table.splits) {
    all = all && evidence.find_labels(split.split) != nullptr;
  }
  if (all) {
    return numbers_of<std::int64_t>(table, [&](const SampleRows& split, std::size_t row) {
      return (*evidence.find_labels(split.split))[row];
    });
  }
  return texts_of(table, [&](const SampleRows& split, std::size_t row) -> py::object {
    const auto* labels = evidence.find_labels(split.split);
    return labels == nullptr ? py::object(py::none()) : py::int_((*labels)[row]);
  });
}

/// A number or nothing; false if the text is something else.
bool read_number(std::string_view text, double& value) {
  value = kNothing;
  if (text.empty()) return true;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Whether every text of a column is a number: a file does not say which columns are texts, and
/// what is read from one must be what the live audit gives.
bool all_numbers(const report::SampleTable& table, std::size_t place) {
  double value = 0;
  for (const SampleRows& split : table.splits) {
    const SampleColumn* column = split.scores[place];
    if (column == nullptr) continue;
    for (std::size_t row = 0; row < column->texts.size(); ++row) {
      if (!read_number(column->texts[row], value)) return false;
    }
  }
  return true;
}

py::object scores_of(const report::SampleTable& table, std::size_t place) {
  if (all_numbers(table, place)) {
    return numbers_of<double>(table, [place](const SampleRows& split, std::size_t row) {
      const SampleColumn* column = split.scores[place];
      if (column == nullptr) return kNothing;
      if (column->texts.empty()) return column->values[row];
      double value = kNothing;
      read_number(column->texts[row], value);
      return value;
    });
  }
  return texts_of(table, [place](const SampleRows& split, std::size_t row) {
    const SampleColumn* column = split.scores[place];
    if (column == nullptr) return py::str("");
    if (!column->texts.empty()) return py::str(std::string(column->texts[row]));
    const double value = column->values[row];
    return py::str(std::isnan(value) ? std::string() : fmt::format("{}", value));
  });
}

py::dict columns_of(const report::Audited& audited) {
  const report::SampleTable table =
      unlocked([&] { return report::sample_table(audited.measured.columns); });
  py::dict made;
  std::string last;
  py::str split_name("");
  made["split"] = texts_of(table, [&](const SampleRows& split, std::size_t) {
    if (split.split != last) split_name = py::str(last = split.split);
    return split_name;
  });
  made["row"] = numbers_of<std::int64_t>(
      table, [](const SampleRows&, std::size_t row) { return static_cast<std::int64_t>(row); });
  made["id"] = names_of(table, audited.evidence.ids);
  made["subject"] = names_of(table, audited.evidence.subjects);
  made["label"] = labels_of(table, audited.evidence);
  for (std::size_t place = 0; place < table.names.size(); ++place) {
    made[py::str(table.names[place])] = scores_of(table, place);
  }
  return made;
}

/// Columns split, id and subject are texts; the others are texts where one field is no number.
py::dict columns_of_csv(const std::string& text) {
  py::dict made;
  if (text.empty()) return made;
  std::vector<std::string> names;
  std::vector<std::vector<double>> numbers;
  std::vector<char> is_text;
  unlocked([&] {
    CsvReader reader(text, "samples.csv");
    reader.next();
    for (const CsvField& field : reader.fields()) {
      names.emplace_back(report::without_guard(field.text));
    }
    numbers.resize(names.size());
    for (const std::string& name : names) {
      is_text.push_back(name == "split" || name == "id" || name == "subject" ? 1 : 0);
    }
    while (reader.next()) {
      const auto& fields = reader.fields();
      require(fields.size() == names.size(), "samples.csv, line {}: {} fields, the header has {}",
              reader.line(), fields.size(), names.size());
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (is_text[i] != 0) continue;
        double value = 0;
        if (!read_number(fields[i].text, value)) is_text[i] = 1;
        numbers[i].push_back(value);
      }
    }
  });
  std::vector<py::list> texts(names.size());
  CsvReader reader(text, "samples.csv");
  reader.next();
  while (reader.next()) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (is_text[i] != 0) {
        texts[i].append(py::str(std::string(report::without_guard(reader.fields()[i].text))));
      }
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const py::str name(names[i]);
    const auto missing = [](double value) { return std::isnan(value); };
    if (is_text[i] != 0) {
      made[name] = texts[i];
    } else if (names[i] != "row" && names[i] != "label") {
      made[name] = numpy_of(std::move(numbers[i]));
    } else if (std::none_of(numbers[i].begin(), numbers[i].end(), missing)) {
      made[name] = numpy_of(std::vector<std::int64_t>(numbers[i].begin(), numbers[i].end()));
    } else {
      py::list whole;
      for (const double value : numbers[i]) {
        whole.append(std::isnan(value) ? py::object(py::none())
                                       : py::int_(static_cast<std::int64_t>(value)));
      }
      made[name] = whole;
    }
  }
  return made;
}

}  // namespace

void add_samples(py::module_& module) {
  module.def("samples_columns", &columns_of, py::arg("audited"),
             "Scores of every row, column by column: numpy arrays, or lists of texts.");
  module.def("columns_of_csv", &columns_of_csv, py::arg("text"),
             "The same from the text of samples.csv.");
}

}  // namespace vestige::python
