// npz arrays as they stand, images with their channels first.
#include "vestige/data/arrays.h"

#include <algorithm>
#include <filesystem>
#include <span>

#include "vestige/base/error.h"
#include "vestige/data/files.h"
#include "vestige/data/npz_parts.h"

namespace vestige::data {
namespace fs = std::filesystem;
namespace {

struct ArraySettings {
  fs::path path;
  bool channels_last = false;
};

std::vector<std::int64_t> row_shape(const evidence::Array& inputs, const std::string& key,
                                    const ArraySettings& settings) {
  const std::vector<std::size_t>& shape = inputs.shape();
  require(shape.size() >= 2 && shape.size() <= 4 && inputs.cols() > 0 &&
              inputs.dtype() != evidence::DType::text,
          "{} in {} has the shape {}: numbers [n, columns], [n, height, width] or "
          "[n, channels, height, width] are needed",
          key, settings.path.string(), evidence::shape_text(shape));
  std::vector<std::int64_t> result(shape.begin() + 1, shape.end());
  if (result.size() == 2) result.insert(result.begin(), 1);
  if (shape.size() < 4) return result;
  require(settings.channels_last || shape[3] > 4 || shape[1] <= 4,
          "{} in {} has the shape {}: channels seem to come last, set layout = \"hwc\"", key,
          settings.path.string(), evidence::shape_text(shape));
  if (settings.channels_last) std::rotate(result.begin(), result.end() - 1, result.end());
  return result;
}

/// One image from [height, width, channels] to [channels, height, width].
template <typename Item>
void channels_first(const std::vector<std::int64_t>& shape, std::span<Item> image) {
  const auto channels = static_cast<std::size_t>(shape[0]);
  const std::size_t pixels = image.size() / channels;
  const std::vector<Item> copy(image.begin(), image.end());
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    for (std::size_t channel = 0; channel < channels; ++channel) {
      image[channel * pixels + pixel] = copy[pixel * channels + channel];
    }
  }
}

void add_inputs(Dataset& dataset, const evidence::Array& inputs, const std::string& key,
                const ArraySettings& settings) {
  const std::vector<std::int64_t> shape = row_shape(inputs, key, settings);
  require(dataset.shape.empty() || dataset.shape == shape,
          "{} in {} has rows of the shape [{}], inputs have [{}]: both need the same", key,
          settings.path.string(), fmt::join(shape, ", "), fmt::join(dataset.shape, ", "));
  dataset.shape = shape;
  const bool bytes = inputs.dtype() == evidence::DType::uint8;
  const std::size_t start = dataset.bytes.size() + dataset.values.size();
  require(start == 0 || bytes == dataset.values.empty(),
          "{} in {} is of {}: inputs and test_inputs must both be uint8 or both be numbers", key,
          settings.path.string(), evidence::name(inputs.dtype()));
  if (bytes) {
    allocate(dataset.bytes, start + inputs.size(), dataset.name);
    std::transform(inputs.bytes().begin(), inputs.bytes().end(),
                   dataset.bytes.begin() + static_cast<std::ptrdiff_t>(start),
                   [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  } else {
    append_values(dataset, inputs);
  }
  if (!settings.channels_last || inputs.rank() != 4) return;
  const std::size_t row_size = dataset.row_size();
  for (std::size_t row = 0; row < inputs.rows(); ++row) {
    const std::size_t first = start + row * row_size;
    if (bytes) {
      channels_first(shape, std::span(dataset.bytes).subspan(first, row_size));
    } else {
      channels_first(shape, std::span(dataset.values).subspan(first, row_size));
    }
  }
}

/// subjects or subclasses of both parts; text becomes numbers in sorted order.
std::vector<std::int64_t> read_identities(const evidence::Npz& archive, const std::string& key,
                                          bool has_test, const fs::path& path) {
  if (!has_array(archive, key)) return {};
  std::vector<std::string> names = load_names(archive, key, path);
  if (has_test) {
    const std::vector<std::string> test = load_names(archive, "test_" + key, path);
    names.insert(names.end(), test.begin(), test.end());
  }
  return identities(names);
}

void read_parts(Dataset& dataset, const ArraySettings& settings) {
  const evidence::Npz archive(settings.path);
  add_inputs(dataset, load_array(archive, "inputs", settings.path), "inputs", settings);
  dataset.labels = load_labels(archive, "labels", settings.path);
  check_rows(dataset, settings.path);
  dataset.train_rows = dataset.rows();
  const bool has_test = has_array(archive, "test_inputs");
  if (has_test) {
    add_inputs(dataset, load_array(archive, "test_inputs", settings.path), "test_inputs", settings);
    const std::vector<std::int64_t> labels = load_labels(archive, "test_labels", settings.path);
    dataset.labels.insert(dataset.labels.end(), labels.begin(), labels.end());
    check_rows(dataset, settings.path);
  }
  if (has_array(archive, "train_rows")) {
    require(!has_test, "{} has both train_rows and test_inputs: remove one of them",
            settings.path.string());
    const std::vector<std::int64_t> value = archive.load("train_rows").integers();
    require(
        value.size() == 1 && value[0] >= 0 && value[0] <= static_cast<std::int64_t>(dataset.rows()),
        "train_rows in {} must be one number from 0 to {}, the rows there are",
        settings.path.string(), dataset.rows());
    dataset.train_rows = static_cast<std::size_t>(value[0]);
  }
  dataset.subjects = read_identities(archive, "subjects", has_test, settings.path);
  dataset.subclasses = read_identities(archive, "subclasses", has_test, settings.path);
}

}  // namespace

Dataset load_arrays(Options& options) {
  Dataset dataset;
  dataset.name = options.choice("name", "arrays", {"arrays"});
  const Origin origin = {.set = dataset.name,
                         .wanted = "an npz with inputs and labels",
                         .source = "numpy.savez in your own export"};
  const ArraySettings settings = {
      .path = data_path(options, "", origin),
      .channels_last = options.choice("layout", "chw", {"chw", "hwc"}) == "hwc"};
  dataset.classes = options.integer("classes", 0);
  if (dataset.classes < 0) options.wrong("classes", "it must be positive, or 0 to count them");
  options.finish();
  std::error_code ignored;
  if (!fs::exists(settings.path, ignored)) fail_missing(settings.path, origin);
  read_parts(dataset, settings);
  if (dataset.classes == 0 && dataset.rows() > 0) {
    dataset.classes = *std::max_element(dataset.labels.begin(), dataset.labels.end()) + 1;
  }
  finish(dataset);
  return dataset;
}

}  // namespace vestige::data
