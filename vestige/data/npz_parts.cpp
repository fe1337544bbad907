// Arrays as a data set's inputs and labels.
#include "vestige/data/npz_parts.h"

#include <algorithm>

#include "vestige/base/error.h"
#include "vestige/data/files.h"

namespace vestige::data {
namespace fs = std::filesystem;
namespace {

// Labels are shifted by one at most, which must not overflow.
constexpr std::int64_t kLargest = std::int64_t{1} << 53;

}  // namespace

bool has_array(const evidence::Npz& archive, const std::string& key) {
  const std::vector<std::string>& keys = archive.keys();
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

evidence::Array load_array(const evidence::Npz& archive, const std::string& key,
                           const fs::path& path) {
  require(has_array(archive, key), "{} has no array '{}': it holds {}", path.string(), key,
          archive.keys().empty() ? "none" : fmt::format("{}", fmt::join(archive.keys(), ", ")));
  return archive.load(key);
}

std::vector<std::int64_t> load_labels(const evidence::Npz& archive, const std::string& key,
                                      const fs::path& path) {
  const evidence::Array array = load_array(archive, key, path);
  require(array.rank() >= 1 && array.rank() <= 2 && array.dtype() != evidence::DType::text,
          "{} in {} have the shape {}: one whole number per row is needed, or one-hot rows", key,
          path.string(), evidence::shape_text(array.shape()));
  std::vector<std::int64_t> items;
  try {
    items = array.integers();
  } catch (const InputError& error) {
    fail("{} in {}: {}", key, path.string(), error.what());
  }
  for (const std::int64_t item : items) {
    require(item >= -kLargest && item <= kLargest, "{} in {} hold {}, which cannot be a label", key,
            path.string(), item);
  }
  const std::size_t columns = array.cols();
  if (columns == 1) return items;
  std::vector<std::int64_t> labels;
  for (std::size_t row = 0; row < array.rows(); ++row) {
    const auto first = items.begin() + static_cast<std::ptrdiff_t>(row * columns);
    const auto last = first + static_cast<std::ptrdiff_t>(columns);
    const auto one = std::find(first, last, 1);
    require(one != last && std::count(first, last, 0) == last - first - 1,
            "row {} of {} in {} is not one-hot: it needs a single 1 among zeros", row, key,
            path.string());
    labels.push_back(one - first);
  }
  return labels;
}

std::vector<std::string> load_names(const evidence::Npz& archive, const std::string& key,
                                    const fs::path& path) {
  const evidence::Array array = load_array(archive, key, path);
  try {
    return array.strings();
  } catch (const InputError& error) {
    fail("{} in {}: {}", key, path.string(), error.what());
  }
}

void append_values(Dataset& dataset, const evidence::Array& array) {
  const std::size_t start = dataset.values.size();
  allocate(dataset.values, start + array.size(), dataset.name);
  std::vector<double> row(array.cols());
  float* out = dataset.values.data() + start;
  for (std::size_t index = 0; index < array.rows(); ++index) {
    array.read_row(index, row);
    out = std::transform(row.begin(), row.end(), out,
                         [](double value) { return static_cast<float>(value); });
  }
}

void check_rows(const Dataset& dataset, const fs::path& path) {
  const std::size_t items = std::max(dataset.values.size(), dataset.bytes.size());
  require(items == dataset.rows() * dataset.row_size(),
          "{} has {} rows of inputs but {} labels: both must be of the same rows", path.string(),
          items / dataset.row_size(), dataset.rows());
}

}  // namespace vestige::data
