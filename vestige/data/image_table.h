// The CSV beside a folder of images: who is on each one, and an attribute.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vestige::data {

/// What the CSV says of images, in the order that was asked for.
struct ImageTable {
  std::vector<std::string> subjects;    ///< empty if the CSV has no such column
  std::vector<std::string> attributes;  ///< empty if the CSV has no such column
};

/// Reads a CSV whose header has `file` and `subject`, `attribute` or both; fields may be quoted.
/// `files` are paths relative to the data set's folder; a line that gives only a file's name stands
/// for it too. Every image needs exactly one line, other lines are ignored.
ImageTable read_image_table(const std::filesystem::path& path,
                            const std::vector<std::string>& files);

}  // namespace vestige::data
