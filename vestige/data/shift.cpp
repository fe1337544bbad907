// Changed and borrowed rows.
#include "vestige/data/shift.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::data {
namespace {

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

void add_noise(Dataset& dataset, const Rows& rows, double amount, std::uint64_t seed) {
  const std::size_t size = dataset.row_size();
  for (const std::int64_t row : rows) {
    Stream stream(seed, "shift/noise", static_cast<std::uint64_t>(row));
    const std::size_t first = dataset.input_row(static_cast<std::size_t>(row)) * size;
    for (std::size_t index = 0; index < size; ++index) {
      const double noise = amount * stream.normal();
      if (!dataset.bytes.empty()) {
        dataset.bytes[first + index] =
            to_byte(static_cast<double>(dataset.bytes[first + index]) + 255 * noise);
      } else {
        dataset.values[first + index] +=
            static_cast<float>(noise * static_cast<double>(dataset.deviation[index]));
      }
    }
  }
}

void change_contrast(Dataset& dataset, const Rows& rows, double amount) {
  const std::size_t size = dataset.row_size();
  for (const std::int64_t row : rows) {
    for (std::size_t index = 0; index < size; ++index) {
      std::uint8_t& value =
          dataset.bytes[dataset.input_row(static_cast<std::size_t>(row)) * size + index];
      value = to_byte(127.5 + amount * (static_cast<double>(value) - 127.5));
    }
  }
}

void coarsen(Dataset& dataset, const Rows& rows, std::size_t block) {
  const auto height = static_cast<std::size_t>(dataset.shape[1]);
  const auto width = static_cast<std::size_t>(dataset.shape[2]);
  const auto channels = static_cast<std::size_t>(dataset.shape[0]);
  for (const std::int64_t row : rows) {
    for (std::size_t channel = 0; channel < channels; ++channel) {
      std::uint8_t* plane = dataset.bytes.data() +
                            dataset.input_row(static_cast<std::size_t>(row)) * dataset.row_size() +
                            channel * height * width;
      for (std::size_t top = 0; top < height; top += block) {
        for (std::size_t left = 0; left < width; left += block) {
          const std::size_t bottom = std::min(top + block, height);
          const std::size_t right = std::min(left + block, width);
          double sum = 0;
          for (std::size_t y = top; y < bottom; ++y) {
            for (std::size_t x = left; x < right; ++x) sum += plane[y * width + x];
          }
          const std::uint8_t mean =
              to_byte(sum / static_cast<double>((bottom - top) * (right - left)));
          for (std::size_t y = top; y < bottom; ++y) {
            std::fill(plane + y * width + left, plane + y * width + right, mean);
          }
        }
      }
    }
  }
}

}  // namespace

void shift_rows(Dataset& dataset, const Rows& rows, Options& options, std::uint64_t seed) {
  const std::string kind = options.choice("kind", "noise", {"noise", "contrast", "coarse"});
  const double amount = options.number("amount", kind == "noise"      ? 0.2
                                                 : kind == "contrast" ? 0.5
                                                                      : 2);
  options.finish();
  if (!(amount >= 0 && std::isfinite(amount))) options.wrong("amount", "it must not be negative");
  if (kind == "noise") return add_noise(dataset, rows, amount, seed);
  require(!dataset.bytes.empty(), "{}: {} changes images, and {} is a table: use noise",
          options.where(), kind, dataset.name);
  if (kind == "contrast") return change_contrast(dataset, rows, amount);
  if (amount < 2 || amount != std::floor(amount)) {
    options.wrong("amount", "blocks are 2 or more whole pixels wide");
  }
  coarsen(dataset, rows, static_cast<std::size_t>(amount));
}

Rows append_rows(Dataset& dataset, const Dataset& other, const Rows& rows) {
  require(other.shape == dataset.shape && other.bytes.empty() == dataset.bytes.empty(),
          "rows of {} are [{}], those of {} [{}]: the two sets must have inputs of one shape and "
          "kind",
          other.name, fmt::join(other.shape, ", "), dataset.name, fmt::join(dataset.shape, ", "));
  Rows numbers;
  const std::size_t size = dataset.row_size();
  for (const std::int64_t row : rows) {
    const auto from = static_cast<std::size_t>(row);
    require(other.labels[from] < dataset.classes, "{} has class {}, {} has {} classes: they differ",
            other.name, other.labels[from], dataset.name, dataset.classes);
    numbers.push_back(static_cast<std::int64_t>(dataset.rows()));
    dataset.labels.push_back(other.labels[from]);
    const auto copy = [&](auto& target, const auto& source) {
      const auto first = source.begin() + static_cast<std::ptrdiff_t>(other.input_row(from) * size);
      target.insert(target.end(), first, first + static_cast<std::ptrdiff_t>(size));
    };
    // Where row r shows what row r mod held_rows shows, further rows do so too.
    const bool all_held = dataset.held_rows == 0;
    if (all_held && dataset.bytes.empty()) copy(dataset.values, other.values);
    if (all_held && !dataset.bytes.empty()) copy(dataset.bytes, other.bytes);
    // Who is nobody here belongs to a subject and a subclass of the number -1.
    if (!dataset.subclasses.empty()) dataset.subclasses.push_back(-1);
    if (!dataset.subjects.empty()) dataset.subjects.push_back(-1);
  }
  return numbers;
}

}  // namespace vestige::data
