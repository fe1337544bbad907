// Features and labels as they stand in the file; labels end up counted from 0.
#include "vestige/data/table.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "vestige/base/csv.h"
#include "vestige/base/error.h"
#include "vestige/base/text.h"
#include "vestige/data/files.h"
#include "vestige/data/npz_parts.h"
#include "vestige/evidence/formats/csv.h"
#include "vestige/evidence/formats/mapped_file.h"
#include "vestige/evidence/formats/npz.h"

namespace vestige::data {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kPurchaseClasses = 100;
constexpr std::int64_t kPurchaseColumns = 600;

Origin origin_of(const std::string& name) {
  if (name == "purchase100") {
    return {.set = name,
            .wanted = "purchase100.npz or dataset_purchase",
            .source = "the Purchase-100 set of R. Shokri et al. (ML Privacy Meter)"};
  }
  return {.set = name,
          .wanted = "an npz with features and labels, or a CSV file",
          .source = "your own export"};
}

void add_features(Dataset& dataset, const evidence::Array& features, const std::string& source) {
  require(features.rank() == 2 && features.cols() > 0,
          "features in {} have the shape {}: they must be [rows, columns]", source,
          evidence::shape_text(features.shape()));
  const auto columns = static_cast<std::int64_t>(features.cols());
  if (!dataset.shape.empty()) {
    require(dataset.shape[0] == columns,
            "{} has {} training columns but {} test columns: both need the same", source,
            dataset.shape[0], columns);
  }
  dataset.shape = {columns};
  append_values(dataset, features);
}

void read_npz(Dataset& dataset, const fs::path& path) {
  const evidence::Npz archive(path);
  add_features(dataset, load_array(archive, "features", path), path.string());
  dataset.labels = load_labels(archive, "labels", path);
  check_rows(dataset, path);
  dataset.train_rows = dataset.rows();
  if (has_array(archive, "features_test")) {
    add_features(dataset, load_array(archive, "features_test", path), path.string());
    const std::vector<std::int64_t> labels = load_labels(archive, "labels_test", path);
    dataset.labels.insert(dataset.labels.end(), labels.begin(), labels.end());
    check_rows(dataset, path);
  }
}

/// The label column's number; `label` is its name or number.
std::size_t label_column(const Json& label, std::string_view text, std::size_t columns,
                         const fs::path& path) {
  if (label.is_number_integer() && label >= 0 && label < columns) return label.get<std::size_t>();
  require(label.is_string(), "{} has {} columns, label is {}: columns are counted from 0",
          path.string(), columns, label.dump());
  const std::string source = path.string();
  CsvReader reader(text, source);
  reader.next();
  const std::vector<std::string> names = reader.texts();
  const std::string wanted = label.get<std::string>();
  const auto found = std::find(names.begin(), names.end(), wanted);
  require(found != names.end(), "{} has no column '{}': did you mean '{}'?", path.string(), wanted,
          nearest(wanted, names));
  return static_cast<std::size_t>(found - names.begin());
}

void read_csv(Dataset& dataset, const fs::path& path, const Json& label) {
  const evidence::MappedFile file = evidence::map_file(path);
  const evidence::Array array = evidence::parse_csv(file.text(), path.string());
  require(array.rank() == 2, "{} has a single column: labels and features are needed",
          path.string());
  const std::size_t columns = array.cols();
  const std::size_t chosen = label_column(label, file.text(), columns, path);
  dataset.shape = {static_cast<std::int64_t>(columns - 1)};
  allocate(dataset.values, array.rows() * (columns - 1), dataset.name);
  std::vector<double> row(columns);
  std::size_t place = 0;
  for (std::size_t index = 0; index < array.rows(); ++index) {
    array.read_row(index, row);
    require(std::trunc(row[chosen]) == row[chosen] && std::abs(row[chosen]) <= 1e15,
            "row {} of {} has the label {}: labels are whole numbers", index, path.string(),
            row[chosen]);
    dataset.labels.push_back(static_cast<std::int64_t>(row[chosen]));
    for (std::size_t column = 0; column < columns; ++column) {
      if (column != chosen) dataset.values[place++] = static_cast<float>(row[column]);
    }
  }
  dataset.train_rows = dataset.rows();
}

/// Makes labels start at 0. Where the file's first class is 1 (Purchase-100), that is recorded as
/// the option first_label.
void shift_labels(Dataset& dataset, Options& options, std::int64_t classes) {
  const auto [least, most] = std::minmax_element(dataset.labels.begin(), dataset.labels.end());
  const bool from_one = *least == 1 && (classes == 0 || *most == classes);
  const std::int64_t first = options.integer("first_label", from_one ? 1 : 0);
  if (first != 0 && first != 1) options.wrong("first_label", "it must be 0 or 1");
  dataset.classes = classes > 0 ? classes : *most + 1 - first;
  for (std::int64_t& label : dataset.labels) label -= first;
}

bool is_zip(const fs::path& path) { return evidence::map_file(path).text().starts_with("PK"); }

}  // namespace

Dataset load_table(Options& options) {
  Dataset dataset;
  dataset.name = options.choice("name", "table", {"table", "purchase100"});
  const bool purchase = dataset.name == "purchase100";
  const Origin origin = origin_of(dataset.name);
  fs::path path = data_path(options, "", origin);
  const std::int64_t classes = options.integer("classes", purchase ? kPurchaseClasses : 0);
  if (classes < 0) options.wrong("classes", "it must be positive, or 0 to count them");
  const bool has_label = options.has("label");
  const Json label = has_label ? options.raw("label") : Json(options.integer("label", 0));
  options.has("first_label");
  options.has("train_rows");
  options.finish();
  std::error_code ignored;
  if (purchase && fs::is_directory(path, ignored)) {
    path = find_file(path, {"purchase100.npz", "dataset_purchase", "dataset_purchase.csv"}, origin);
  }
  if (!fs::exists(path, ignored)) fail_missing(path, origin);
  if (is_zip(path)) {
    if (has_label) options.wrong("label", "an npz has no label column: remove the key");
    read_npz(dataset, path);
  } else {
    read_csv(dataset, path, label);
  }
  require(dataset.rows() > 0, "{} has no rows: export it again", path.string());
  require(!purchase || dataset.shape[0] == kPurchaseColumns,
          "{} has {} columns of features: Purchase-100 has {}, load other tables by name = "
          "\"table\"",
          path.string(), dataset.shape[0], kPurchaseColumns);
  const std::int64_t train_rows =
      options.integer("train_rows", static_cast<std::int64_t>(dataset.train_rows));
  if (train_rows < 1 || train_rows > static_cast<std::int64_t>(dataset.rows())) {
    options.wrong("train_rows",
                  fmt::format("it must be 1 to {}, the rows there are", dataset.rows()));
  }
  dataset.train_rows = static_cast<std::size_t>(train_rows);
  shift_labels(dataset, options, classes);
  finish(dataset);
  return dataset;
}

}  // namespace vestige::data
