// Reading .safetensors with all the checks that its specification asks for: no overlap, no hole, no
// duplicate key, sizes that agree (github.com/huggingface/safetensors, README, "Format").
#include "vestige/evidence/formats/safetensors.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/json.h"
#include "vestige/base/nesting.h"
#include "vestige/evidence/formats/mapped_file.h"
#include "vestige/evidence/formats/utf8.h"

namespace vestige::evidence {
namespace {

struct TypeCode {
  std::string_view name;
  DType dtype;
};

constexpr std::array<TypeCode, 13> kCodes{{{"F16", DType::float16},
                                           {"BF16", DType::bfloat16},
                                           {"F32", DType::float32},
                                           {"F64", DType::float64},
                                           {"I8", DType::int8},
                                           {"I16", DType::int16},
                                           {"I32", DType::int32},
                                           {"I64", DType::int64},
                                           {"U8", DType::uint8},
                                           {"U16", DType::uint16},
                                           {"U32", DType::uint32},
                                           {"U64", DType::uint64},
                                           {"BOOL", DType::boolean}}};

// The reference implementation's limit.
constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

/// As many as numpy allows.
constexpr std::size_t kMostDimensions = 64;

struct Tensor {
  std::string name;
  DType dtype = DType::float32;
  std::vector<std::size_t> shape;
  std::size_t begin = 0;
  std::size_t end = 0;
};

class SafetensorsReader {
 public:
  SafetensorsReader(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                    std::string_view source)
      : bytes_(bytes), owner_(std::move(owner)), source_(source) {}

  std::map<std::string, Array> read() const {
    const std::size_t size = header_size();
    const std::span<const std::byte> data = bytes_.subspan(8 + size);
    const Json header = parse_header(size);
    std::vector<Tensor> tensors;
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") continue;
      tensors.push_back(tensor(name, entry));
      require(tensors.back().end <= data.size(),
              "{}: the data of {} ends at byte {}, the file holds {}: it is truncated, export it "
              "again",
              source_, printable(name), tensors.back().end, data.size());
    }
    check_cover(tensors, data.size());
    std::map<std::string, Array> arrays;
    for (const Tensor& each : tensors) {
      arrays.emplace(each.name,
                     Array(each.dtype, each.shape, data.subspan(each.begin, each.end - each.begin),
                           owner_, size_of(each.dtype)));
    }
    return arrays;
  }

 private:
  std::size_t header_size() const {
    require(bytes_.size() >= 8, "{} is truncated: a safetensors file has at least 8 bytes",
            source_);
    std::uint64_t size = 0;
    for (std::size_t place = 8; place-- > 0;) {
      size = size << 8 | std::to_integer<std::uint64_t>(bytes_[place]);
    }
    require(size <= kMaxSafetensorsHeader,
            "{} claims a header of {} bytes: it is not a safetensors file, or it is damaged",
            source_, size);
    require(size <= bytes_.size() - 8, "{} is truncated inside its header: export it again",
            source_);
    return static_cast<std::size_t>(size);
  }

  Json parse_header(std::size_t size) const {
    const auto* first = reinterpret_cast<const char*>(bytes_.data()) + 8;
    require(size > 0 && *first == '{',
            "{} is not a safetensors file: its header does not begin with a brace", source_);
    require(!json_too_deep({first, size}),
            "{} has a header that is nested too deeply: it is not a safetensors file", source_);
    std::set<std::string> seen;
    std::string repeated;
    const auto watch_keys = [&](int depth, Json::parse_event_t event, Json& parsed) {
      if (event == Json::parse_event_t::key && depth == 1 &&
          !seen.insert(parsed.get<std::string>()).second) {
        repeated = parsed.get<std::string>();
      }
      return true;
    };
    Json header;
    try {
      header = Json::parse(first, first + size, watch_keys);
    } catch (const Json::exception&) {
      fail("{} has a header that is not valid JSON: export it again", source_);
    }
    require(repeated.empty(), "{} has two tensors named {}: give each its own name", source_,
            printable(repeated));
    return header;
  }

  Tensor tensor(const std::string& name, const Json& entry) const {
    const auto check = [&](bool good, std::string_view what) {
      require(good, "{}: the tensor {} {}; export it again", source_, printable(name), what);
    };
    check(entry.is_object() && entry.contains("dtype") && entry.contains("shape") &&
              entry.contains("data_offsets"),
          "lacks dtype, shape or data_offsets");
    Tensor tensor;
    tensor.name = name;
    check(entry["dtype"].is_string(), "has a dtype that is not a text");
    tensor.dtype = dtype(name, entry["dtype"].get<std::string>());
    check(entry["shape"].is_array(), "has a shape that is not a list");
    check(entry["shape"].size() <= kMostDimensions, "has more than 64 dimensions");
    std::size_t needed = size_of(tensor.dtype);
    bool empty = false;
    for (const Json& length : entry["shape"]) {
      check(length.is_number_unsigned(), "has a dimension that is not a whole number");
      tensor.shape.push_back(length.get<std::size_t>());
      empty = empty || tensor.shape.back() == 0;
      const std::size_t factor = std::max(tensor.shape.back(), std::size_t{1});
      check(needed <= std::numeric_limits<std::size_t>::max() / factor,
            "claims a shape larger than any file can hold");
      needed *= factor;
    }
    if (empty) needed = 0;
    const Json& offsets = entry["data_offsets"];
    check(offsets.is_array() && offsets.size() == 2 && offsets[0].is_number_unsigned() &&
              offsets[1].is_number_unsigned(),
          "has data_offsets that are not two whole numbers");
    tensor.begin = offsets[0].get<std::size_t>();
    tensor.end = offsets[1].get<std::size_t>();
    check(tensor.begin <= tensor.end, "has data_offsets that run backwards");
    require(tensor.end - tensor.begin == needed,
            "{}: the tensor {} has {} bytes, shape {} of {} needs {}; export it again", source_,
            printable(name), tensor.end - tensor.begin, shape_text(tensor.shape),
            evidence::name(tensor.dtype), needed);
    return tensor;
  }

  DType dtype(const std::string& name, const std::string& text) const {
    for (const TypeCode& code : kCodes) {
      if (text == code.name) return code.dtype;
    }
    fail("{}: the tensor {} has the dtype {}, which cannot be read: convert it to F32", source_,
         printable(name), printable(text));
  }

  void check_cover(const std::vector<Tensor>& tensors, std::size_t size) const {
    std::vector<const Tensor*> order;
    for (const Tensor& each : tensors) order.push_back(&each);
    std::sort(order.begin(), order.end(), [](const Tensor* left, const Tensor* right) {
      return std::pair(left->begin, left->end) < std::pair(right->begin, right->end);
    });
    std::size_t reached = 0;
    for (const Tensor* each : order) {
      require(each->begin >= reached, "{}: the tensor {} overlaps another: export it again",
              source_, printable(each->name));
      require(each->begin == reached,
              "{}: {} bytes before the tensor {} belong to no tensor: export it again", source_,
              each->begin - reached, printable(each->name));
      reached = each->end;
    }
    require(reached == size, "{} has {} trailing bytes that belong to no tensor: export it again",
            source_, size - reached);
  }

  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::string_view source_;
};

}  // namespace

std::map<std::string, Array> parse_safetensors(std::span<const std::byte> bytes,
                                               std::shared_ptr<const void> owner,
                                               std::string_view source_name) {
  return SafetensorsReader(bytes, std::move(owner), source_name).read();
}

std::map<std::string, Array> read_safetensors(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  return parse_safetensors(file.bytes, file.owner, path.string());
}

}  // namespace vestige::evidence
