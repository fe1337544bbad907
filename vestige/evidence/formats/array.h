// One array of the evidence: typed, row-major, in native byte order, usually a view of a mapped
// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::evidence {

enum class DType {
  float16,
  bfloat16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  boolean,
  text  // fixed-width strings; each item is `item_size` bytes of UTF-8, padded with zeros
};

/// "float16", ...
std::string_view name(DType dtype);
/// Bytes per item; 0 for text, whose width belongs to the array.
std::size_t size_of(DType dtype);
bool is_floating(DType dtype);
bool is_integer(DType dtype);  // boolean counts as integer, text does not

/// Immutable; copies share the bytes. Readers turn big-endian and Fortran-order files into this
/// form, so that nothing behind them has to know.
class Array {
 public:
  Array() = default;
  /// `owner` keeps `bytes` alive (a mapping or a buffer).
  Array(DType dtype, std::vector<std::size_t> shape, std::span<const std::byte> bytes,
        std::shared_ptr<const void> owner, std::size_t item_size);
  static Array from_doubles(std::vector<double> values, std::vector<std::size_t> shape);
  static Array from_integers(std::vector<std::int64_t> values, std::vector<std::size_t> shape);
  /// Every row is `row`, which alone is held: bytes() are those of one row. InputError unless
  /// rows of `shape` are as long.
  static Array repeated(std::vector<float> row, std::vector<std::size_t> shape);

  DType dtype() const { return dtype_; }
  const std::vector<std::size_t>& shape() const { return shape_; }
  std::size_t rank() const { return shape_.size(); }
  /// Number of items.
  std::size_t size() const { return size_; }
  /// First dimension; 0 for rank 0.
  std::size_t rows() const { return shape_.empty() ? 0 : shape_[0]; }
  /// Product of all dimensions but the first ("higher ranks are flattened").
  std::size_t cols() const;
  std::span<const std::byte> bytes() const { return bytes_; }
  std::size_t item_size() const { return item_size_; }

  /// Items [first, first + out.size()) as doubles; text is an InputError.
  void read(std::size_t first, std::span<double> out) const;
  /// Row `row` as doubles; out.size() == cols().
  void read_row(std::size_t row, std::span<double> out) const { read(row * cols(), out); }
  /// All items as doubles.
  std::vector<double> doubles() const;
  /// All items as integers; InputError if floating values are not whole numbers.
  std::vector<std::int64_t> integers() const;
  /// All items as text; integers are printed.
  std::vector<std::string> strings() const;
  /// Sub-array `index` of the first dimension: [k, n, C] -> [n, C], sharing the bytes.
  Array slice(std::size_t index) const;
  /// The same bytes under another shape of the same size.
  Array reshaped(std::vector<std::size_t> shape) const;

 private:
  DType dtype_ = DType::float64;
  std::vector<std::size_t> shape_;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::size_t item_size_ = 0;
  std::size_t size_ = 0;
};

/// IEEE half to float, exact.
float half_to_float(std::uint16_t bits);

/// "[40, 1000, 10]"
std::string shape_text(const std::vector<std::size_t>& shape);

}  // namespace vestige::evidence
