// Pictures of forget rows.
#include "vestige/report/page/pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vestige/base/base64.h"

namespace vestige::report {
namespace {

constexpr const char* kSplit = "forget";

Json image_json(const std::vector<std::size_t>& shape, std::span<const std::byte> pixels) {
  return {{"width", shape[2]},
          {"height", shape[1]},
          {"channels", shape.size() > 3 ? shape[3] : 1},
          {"pixels", base64(pixels)}};
}

std::vector<std::byte> map_bytes(const evidence::Array& maps, std::size_t row) {
  std::vector<double> values(maps.cols());
  maps.read_row(row, values);
  std::vector<std::byte> bytes;
  for (const double value : values) {
    bytes.push_back(static_cast<std::byte>(std::lround(255 * std::clamp(value, 0.0, 1.0))));
  }
  return bytes;
}

}  // namespace

Json pictures_json(const evidence::Evidence& evidence, std::span<const std::size_t> rows) {
  Json list = Json::array();
  const auto found = evidence.pictures.find(kSplit);
  if (found == evidence.pictures.end()) return list;
  const evidence::Array& pictures = found->second;
  for (const std::size_t row : rows.first(std::min(rows.size(), kMostPictures))) {
    if (row >= pictures.rows()) continue;
    Json maps = Json::object();
    for (const evidence::Group& group : evidence.groups) {
      for (const evidence::Model& model : group.models) {
        const auto map = model.grad_cam.find(kSplit);
        if (map == model.grad_cam.end()) continue;
        maps[model.id()] = image_json(map->second.shape(), map_bytes(map->second, row));
      }
    }
    const std::size_t size = pictures.cols() * pictures.item_size();
    list.push_back(
        {{"row", row},
         {"image", image_json(pictures.shape(), pictures.bytes().subspan(row * size, size))},
         {"maps", std::move(maps)}});
  }
  return list;
}

Json samples_json(const evidence::Evidence& evidence) {
  constexpr std::string_view kSamples = "samples.";
  Json list = Json::array();
  for (const auto& [split, pictures] : evidence.pictures) {
    if (!split.starts_with(kSamples) || pictures.rows() == 0) continue;
    const std::size_t size = pictures.cols() * pictures.item_size();
    list.push_back({{"samples", split.substr(kSamples.size())},
                    {"image", image_json(pictures.shape(), pictures.bytes().first(size))}});
  }
  return list;
}

}  // namespace vestige::report
