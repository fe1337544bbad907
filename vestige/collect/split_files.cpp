// Files of splits.
#include "vestige/collect/split_files.h"

#include <memory>
#include <span>

#include "vestige/evidence/formats/npy.h"
#include "vestige/models/kinds.h"

namespace vestige::collect {
namespace {

/// [n, h, w] or [n, h, w, c] of images that are kept as [n, c, h, w].
evidence::Array pictures_of(const data::Dataset& data, const data::Rows& rows) {
  const auto channels = static_cast<std::size_t>(data.shape[0]);
  const auto height = static_cast<std::size_t>(data.shape[1]);
  const auto width = static_cast<std::size_t>(data.shape[2]);
  const std::size_t pixels = height * width;
  auto bytes = std::make_shared<std::vector<std::uint8_t>>(rows.size() * data.row_size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::uint8_t* from =
        data.bytes.data() + data.input_row(static_cast<std::size_t>(rows[row])) * data.row_size();
    std::uint8_t* to = bytes->data() + row * data.row_size();
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
      for (std::size_t channel = 0; channel < channels; ++channel) {
        to[pixel * channels + channel] = from[channel * pixels + pixel];
      }
    }
  }
  std::vector<std::size_t> shape = {rows.size(), height, width};
  if (channels > 1) shape.push_back(channels);
  return {evidence::DType::uint8, shape, std::as_bytes(std::span(*bytes)), bytes, 1};
}

}  // namespace

bool says_losses(const train::Lab& lab) {
  return models::is_denoiser(lab.recipe.model.at("name").get<std::string>());
}

std::string npy_of(const std::vector<std::int64_t>& values) {
  return evidence::write_npy(evidence::Array::from_integers(values, {values.size()}));
}

void write_splits(Folder& folder, const train::Lab& lab, const Splits& splits) {
  const auto chosen = [](const std::vector<std::int64_t>& all, const data::Rows& rows) {
    std::vector<std::int64_t> result;
    for (const std::int64_t row : rows) result.push_back(all[static_cast<std::size_t>(row)]);
    return result;
  };
  for (const auto& [name, rows] : splits) {
    // Denoisers say nothing about classes.
    if (!says_losses(lab)) {
      folder.write("labels/" + name + ".npy", npy_of(chosen(lab.data.labels, rows)));
    }
    folder.write("ids/" + name + ".npy", npy_of(rows));
    if (!lab.data.subjects.empty()) {
      folder.write("subjects/" + name + ".npy", npy_of(chosen(lab.data.subjects, rows)));
    }
    if (!lab.data.subclasses.empty()) {
      folder.write("subclasses/" + name + ".npy", npy_of(chosen(lab.data.subclasses, rows)));
    }
  }
}

void write_pictures(Folder& folder, const data::Dataset& data, const data::Rows& rows) {
  folder.write("pictures/forget.npy", evidence::write_npy(pictures_of(data, rows)));
}

}  // namespace vestige::collect
