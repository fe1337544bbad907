// What a split holds, in numbers and as a table.
#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "vestige/base/error.h"
#include "vestige/data/splits/split.h"

namespace vestige::data {
namespace {

constexpr std::array kOrder = {"train",       "forget", "retain", "validation",
                               "calibration", "test",   "shadow", "canary"};

Json part_summary(const std::vector<std::int64_t>& rows, const Dataset& dataset) {
  std::vector<std::size_t> classes(static_cast<std::size_t>(dataset.classes), 0);
  std::set<std::int64_t> subjects;
  for (const std::int64_t row : rows) {
    const auto place = static_cast<std::size_t>(row);
    ++classes[static_cast<std::size_t>(dataset.labels[place])];
    if (!dataset.subjects.empty()) subjects.insert(dataset.subjects[place]);
  }
  return {{"rows", rows.size()},
          {"classes", classes},
          {"subjects", dataset.subjects.empty() ? Json() : Json(subjects.size())}};
}

}  // namespace

void require_made_for(const Split& split, const Dataset& dataset) {
  const Json::json_pointer place("/data/sha256");
  const bool named = split.options.contains(place) && split.options.at(place).is_string();
  const std::string made_for = named ? split.options.at(place).get<std::string>() : "unknown";
  require(
      made_for == dataset.sha256,
      "the split was made for data with hash {:.12}, not for {} with hash {:.12}: make it again "
      "with vestige split",
      made_for, dataset.name, dataset.sha256);
  for (const auto& [name, rows] : split.parts) {
    require(rows.empty() || static_cast<std::size_t>(rows.back()) < dataset.rows(),
            "{} of the split names row {}, but the data set {} has {} rows: make the split again",
            name, rows.empty() ? 0 : rows.back(), dataset.name, dataset.rows());
  }
}

Json summary(const Split& split, const Dataset& dataset) {
  require_made_for(split, dataset);
  Json parts = Json::object();
  for (const char* name : kOrder) {
    const auto found = split.parts.find(name);
    if (found != split.parts.end()) parts[name] = part_summary(found->second, dataset);
  }
  return {{"sha256", split.sha256}, {"parts", parts}};
}

std::string split_text(const Split& split, const Dataset& dataset) {
  const Json all = summary(split, dataset);
  const bool subjects = !dataset.subjects.empty();
  std::string text =
      fmt::format("split {:.12} of {}, {} rows\n", split.sha256, dataset.name, dataset.rows());
  text += fmt::format("{:<12} {:>9} {:>8} {:>15}{}\n", "part", "rows", "classes", "rows per class",
                      subjects ? "  subjects" : "");
  for (const auto& [name, part] : all.at("parts").items()) {
    if (part.at("rows") == 0) continue;
    std::size_t present = 0;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    std::size_t most = 0;
    for (const std::size_t rows : part.at("classes").get<std::vector<std::size_t>>()) {
      if (rows == 0) continue;
      ++present;
      least = std::min(least, rows);
      most = std::max(most, rows);
    }
    const std::string range =
        least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
    text += fmt::format("{:<12} {:>9} {:>8} {:>15}", name, part.at("rows").get<std::size_t>(),
                        present, range);
    if (subjects) text += fmt::format("{:>10}", part.at("subjects").get<std::size_t>());
    text += '\n';
  }
  return text;
}

}  // namespace vestige::data
