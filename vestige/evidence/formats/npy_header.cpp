// A strict parser for the header's dictionary; format: numpy/lib/format.py, "Format Version 1.0"
// to "3.0".
#include "vestige/evidence/formats/npy_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/evidence/formats/utf8.h"

namespace vestige::evidence {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy's own limit on headers that it calls safe to parse is 10 000; structured dtypes, which are
// longer, are not read here anyway.
constexpr std::size_t kMaxHeader = std::size_t{1} << 20;
constexpr std::size_t kMaxRank = 64;

struct Foreign {
  std::string_view magic;
  std::string_view what;
};

constexpr std::array<Foreign, 6> kForeign{{
    {"PK\x03\x04", "a zip archive: name it .npz, or unpack it"},
    {"\x89HDF", "an HDF5 file: save the array with numpy.save"},
    {"\x1f\x8b", "a gzip file: unpack it first"},
    {"\x80", "a Python pickle: save the array with numpy.save"},
    {"version https://git-lfs", "a Git LFS pointer: fetch the real file with git lfs pull"},
    {"{", "text: save the array with numpy.save"},
}};

// The scalar types that are read, by NumPy's kind and size.
struct Scalar {
  std::string_view code;
  DType dtype;
};

constexpr std::array<Scalar, 12> kScalars{{{"f2", DType::float16},
                                           {"f4", DType::float32},
                                           {"f8", DType::float64},
                                           {"i1", DType::int8},
                                           {"i2", DType::int16},
                                           {"i4", DType::int32},
                                           {"i8", DType::int64},
                                           {"u1", DType::uint8},
                                           {"u2", DType::uint16},
                                           {"u4", DType::uint32},
                                           {"u8", DType::uint64},
                                           {"b1", DType::boolean}}};

class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view source) : rest_(text), source_(source) {}

  void parse(NpyHeader& header) {
    bool seen_descr = false, seen_order = false, seen_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !std::exchange(seen_descr, true)) {
        parse_descr(header);
      } else if (key == "fortran_order" && !std::exchange(seen_order, true)) {
        header.fortran_order = boolean();
      } else if (key == "shape" && !std::exchange(seen_shape, true)) {
        header.shape = tuple();
      } else {
        malformed(fmt::format("has the unknown or repeated key '{}'", printable(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) malformed("goes on after its closing brace");
    if (!seen_descr) malformed("lacks the key 'descr'");
    if (!seen_order) malformed("lacks the key 'fortran_order'");
    if (!seen_shape) malformed("lacks the key 'shape'");
  }

 private:
  [[noreturn]] void malformed(std::string_view what) const {
    fail("{} is not a valid npy file: its header {}; save the array with numpy.save", source_,
         what);
  }

  void skip_space() {
    const std::size_t first = rest_.find_first_not_of(" \t\r\n\f");
    rest_.remove_prefix(std::min(first, rest_.size()));
  }

  bool accept(char wanted) {
    skip_space();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (accept(wanted)) return;
    if (rest_.empty()) malformed(fmt::format("ends where '{}' is due", wanted));
    malformed(fmt::format("has '{}' where '{}' is due", printable(rest_.substr(0, 1)), wanted));
  }

  std::string_view quoted() {
    skip_space();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"') malformed("has no quoted text where one is due");
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) malformed("has a quote that is not closed");
    const std::string_view text = rest_.substr(1, end - 1);
    if (text.find('\\') != std::string_view::npos) malformed("has an escape in a quoted text");
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool accept_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool boolean() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    malformed("has neither True nor False for 'fortran_order'");
  }

  std::size_t dimension() {
    skip_space();
    if (accept('-')) fail("{} has a negative dimension in its shape: export it again", source_);
    std::size_t value = 0;
    const char* end = rest_.data() + rest_.size();
    const auto [next, error] = std::from_chars(rest_.data(), end, value);
    if (error == std::errc::result_out_of_range) {
      fail("{} claims a dimension larger than any file can hold: export it again", source_);
    }
    if (error != std::errc{}) malformed("has something else than whole numbers in 'shape'");
    rest_.remove_prefix(static_cast<std::size_t>(next - rest_.data()));
    if (!rest_.empty() && rest_.front() == 'L') rest_.remove_prefix(1);  // Python 2's long
    return value;
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> shape;
    expect('(');
    while (!accept(')')) {
      shape.push_back(dimension());
      if (shape.size() > kMaxRank) malformed(fmt::format("has more than {} dimensions", kMaxRank));
      if (accept(',')) continue;
      if (shape.size() == 1) malformed("has a shape of one number without the comma of a tuple");
      expect(')');
      break;
    }
    return shape;
  }

  void parse_descr(NpyHeader& header) {
    skip_space();
    if (!rest_.empty() && (rest_.front() == '[' || rest_.front() == '(')) {
      fail("{} holds a structured dtype, which cannot be read: export each field as its own array",
           source_);
    }
    const std::string_view descr = quoted();
    std::string_view code = descr;
    if (!code.empty() && std::string_view("<>|=").find(code.front()) != std::string_view::npos) {
      header.big_endian = code.front() == '>';
      code.remove_prefix(1);
    }
    for (const Scalar& scalar : kScalars) {
      if (code != scalar.code) continue;
      header.dtype = scalar.dtype;
      header.item_size = size_of(scalar.dtype);
      return;
    }
    if (!code.empty() && (code.front() == 'S' || code.front() == 'U')) {
      parse_text_width(header, code);
    } else {
      refuse(descr, code);
    }
  }

  void parse_text_width(NpyHeader& header, std::string_view code) {
    std::uint32_t width = 0;
    const char* end = code.data() + code.size();
    const auto [next, error] = std::from_chars(code.data() + 1, end, width);
    if (error != std::errc{} || next != end || width == 0 || width > (1U << 28)) {
      malformed(
          fmt::format("has the dtype '{}', a text without a possible width", printable(code)));
    }
    header.dtype = DType::text;
    header.unicode = code.front() == 'U';
    header.item_size = std::size_t{width} * (header.unicode ? 4 : 1);
  }

  [[noreturn]] void refuse(std::string_view descr, std::string_view code) const {
    const char kind = code.empty() ? '\0' : code.front();
    if (kind == 'O') {
      fail("{}: object arrays cannot be read; export with a numeric dtype", source_);
    }
    if (kind == 'c') {
      fail("{} holds complex numbers, which cannot be read: export real numbers", source_);
    }
    if (kind == 'M' || kind == 'm') {
      fail("{} holds dates or times, which cannot be read: export them as integers", source_);
    }
    if (kind == 'V') {
      fail("{} holds raw bytes (dtype '{}'), which cannot be read: export with a numeric dtype",
           source_, printable(descr));
    }
    if (kind == 'f') {
      fail(
          "{} holds floats of dtype '{}', which cannot be read: export as float16, float32 or "
          "float64",
          source_, printable(descr));
    }
    fail("{} has the unknown dtype '{}': export with a numeric dtype", source_, printable(descr));
  }

  std::string_view rest_;
  std::string_view source_;
};

[[noreturn]] void fail_foreign(std::string_view text, std::string_view source) {
  for (const Foreign& foreign : kForeign) {
    if (text.starts_with(foreign.magic)) {
      fail("{} is not an npy file but {}", source, foreign.what);
    }
  }
  fail("{} is not an npy file: it does not begin with NumPy's mark; save it with numpy.save",
       source);
}

std::size_t data_size(const NpyHeader& header, std::string_view source) {
  std::size_t needed = header.item_size;
  bool empty = false;
  for (const std::size_t length : header.shape) {
    empty = empty || length == 0;
    const std::size_t factor = std::max(length, std::size_t{1});
    require(needed <= std::numeric_limits<std::size_t>::max() / 2 / factor,
            "{} claims the shape {}, larger than any file can hold: export it again", source,
            shape_text(header.shape));
    needed *= factor;
  }
  return empty ? 0 : needed;
}

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::string_view source_name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) {
    require(!kMagic.starts_with(text), "{} is truncated inside its header: export it again",
            source_name);
    fail_foreign(text, source_name);
  }
  const auto byte_at = [&bytes](std::size_t place) {
    return std::to_integer<std::size_t>(bytes[place]);
  };
  require(text.size() >= 10, "{} is truncated inside its header: export it again", source_name);
  const std::size_t major = byte_at(6);
  require(major >= 1 && major <= 3 && byte_at(7) == 0,
          "{} has npy version {}.{}, which is not known: versions 1.0 to 3.0 are read", source_name,
          major, byte_at(7));
  const std::size_t prefix = major == 1 ? 10 : 12;
  require(text.size() >= prefix, "{} is truncated inside its header: export it again", source_name);
  std::size_t length = byte_at(8) | byte_at(9) << 8;
  if (major > 1) length |= byte_at(10) << 16 | byte_at(11) << 24;
  require(length <= kMaxHeader,
          "{} claims a header of {} bytes, which no array needs: it is damaged", source_name,
          length);
  require(length <= text.size() - prefix, "{} is truncated inside its header: export it again",
          source_name);
  NpyHeader header;
  HeaderParser(text.substr(prefix, length), source_name).parse(header);
  header.data_start = prefix + length;
  header.data_size = data_size(header, source_name);
  return header;
}

}  // namespace vestige::evidence
