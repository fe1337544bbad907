// Sound evidence from random logits, and its archives.
#include "tests/support/evidence_folder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>

#include "vestige/base/json.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/formats/npy.h"

namespace vestige::testing {
namespace {

namespace fs = std::filesystem;
using evidence::Array;
using evidence::DType;

template <typename T>
void append_item(std::string& bytes, T value) {
  std::array<char, sizeof(T)> item;
  std::memcpy(item.data(), &value, sizeof(T));
  bytes.append(item.data(), item.size());
}

// Nearest half by search among all of them: slow, and plainly right.
std::uint16_t half_of(double value) {
  static const std::vector<double> positive = [] {
    std::vector<double> all;
    for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
      all.push_back(evidence::half_to_float(static_cast<std::uint16_t>(bits)));
    }
    return all;
  }();
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7e00;
  const double size = std::abs(value);
  if (size > 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  const auto above = std::lower_bound(positive.begin(), positive.end(), size);
  std::size_t bits = static_cast<std::size_t>(above - positive.begin());
  if (bits == positive.size() || (bits > 0 && size - positive[bits - 1] < positive[bits] - size)) {
    --bits;
  }
  return static_cast<std::uint16_t>(sign | bits);
}

// Without the sync of write_file: a hundred files are written for one test.
void write_quickly(const fs::path& file, std::string_view content) {
  fs::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

/// A zip of stored members (APPNOTE 6.3: local headers, central directory, end record).
std::string zip_of(const std::map<std::string, std::string>& members) {
  std::string zip;
  std::string directory;
  for (const auto& [name, content] : members) {
    const auto size = static_cast<std::uint32_t>(content.size());
    const auto offset = static_cast<std::uint32_t>(zip.size());
    std::string common;  // from "version needed" to "extra length"
    for (const int field : {20, 0, 0, 0, 0x21}) {
      append_item(common, static_cast<std::uint16_t>(field));
    }
    append_item(common, crc32(content));
    append_item(common, size);
    append_item(common, size);
    append_item(common, static_cast<std::uint16_t>(name.size()));
    append_item(common, std::uint16_t{0});
    append_item(zip, std::uint32_t{0x04034b50});
    zip += common + name + content;
    append_item(directory, std::uint32_t{0x02014b50});
    append_item(directory, std::uint16_t{20});
    directory += common;
    for (int field = 0; field < 3; ++field) append_item(directory, std::uint16_t{0});
    append_item(directory, std::uint32_t{0});
    append_item(directory, offset);
    directory += name;
  }
  const auto start = static_cast<std::uint32_t>(zip.size());
  zip += directory;
  append_item(zip, std::uint32_t{0x06054b50});
  append_item(zip, std::uint32_t{0});
  append_item(zip, static_cast<std::uint16_t>(members.size()));
  append_item(zip, static_cast<std::uint16_t>(members.size()));
  append_item(zip, static_cast<std::uint32_t>(directory.size()));
  append_item(zip, start);
  append_item(zip, std::uint16_t{0});
  return zip;
}

std::string_view tensor_type(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return "F16";
    case DType::float32:
      return "F32";
    case DType::float64:
      return "F64";
    case DType::int64:
      return "I64";
    default:
      throw std::runtime_error("this test writes no such tensor");
  }
}

}  // namespace

Array array_of(DType dtype, const std::vector<double>& values, std::vector<std::size_t> shape) {
  auto bytes = std::make_shared<std::string>();
  for (const double value : values) {
    switch (dtype) {
      case DType::float16:
        append_item(*bytes, half_of(value));
        break;
      case DType::float32:
        append_item(*bytes, static_cast<float>(value));
        break;
      case DType::float64:
        append_item(*bytes, value);
        break;
      case DType::int32:
        append_item(*bytes, static_cast<std::int32_t>(value));
        break;
      case DType::int64:
        append_item(*bytes, static_cast<std::int64_t>(value));
        break;
      case DType::uint8:
        append_item(*bytes, static_cast<std::uint8_t>(value));
        break;
      default:
        throw std::runtime_error("array_of does not make this type");
    }
  }
  const auto view = std::as_bytes(std::span<const char>(*bytes));
  return Array(dtype, std::move(shape), view, bytes, evidence::size_of(dtype));
}

EvidenceFolder::EvidenceFolder(const EvidenceShape& shape) {
  const std::map<std::string, std::size_t> rows = {{"forget", shape.forget},
                                                   {"retain", shape.retain},
                                                   {"test", shape.test},
                                                   {"calibration", shape.test},
                                                   {"shadow_train", shape.retain}};
  for (const auto& [split, count] : rows) {
    Stream stream(shape.seed, "labels/" + split);
    std::vector<std::int64_t> labels(count);
    for (std::int64_t& label : labels) {
      label = static_cast<std::int64_t>(stream.below(shape.classes));
    }
    put_labels(split, std::move(labels));
  }
  for (std::size_t model = 0; model < shape.models; ++model) {
    const std::string name = std::to_string(model);
    put_model("original/" + name, shape, shape.memory, shape.memory, model);
    put_model("retrained/" + name, shape, 0, shape.memory, model);
    for (const std::string& method : shape.methods) {
      const double kept = method == "nothing" ? shape.memory : shape.memory / 2;
      put_model("unlearned/" + method + "/" + name, shape, kept, shape.memory, model);
    }
  }
  for (std::size_t model = 0; model < shape.shadows; ++model) {
    put_model("shadow/" + std::to_string(model), shape, 0, 0, model);
  }
  if (shape.untrained) put_model("random/0", shape, -2, -2, 0);
}

void EvidenceFolder::put_model(const std::string& folder, const EvidenceShape& shape,
                               double forget_memory, double retain_memory, std::uint64_t index) {
  const bool shadow = folder.starts_with("shadow/");
  for (const char* split : {"forget", "retain", "test", "calibration", "shadow_train"}) {
    if (!shadow && std::string_view(split) == "shadow_train") continue;
    const std::vector<std::int64_t> labels = array("labels/" + std::string(split)).integers();
    Stream noise(shape.seed, folder + "/" + split, index);
    std::vector<double> logits(labels.size() * shape.classes);
    for (double& value : logits) value = noise.normal();
    const double memory = std::string_view(split) == "forget"         ? forget_memory
                          : std::string_view(split) == "retain"       ? retain_memory
                          : std::string_view(split) == "shadow_train" ? shape.memory
                          : folder.starts_with("random/")             ? -2.0
                                                                      : 0.0;
    for (std::size_t row = 0; row < labels.size(); ++row) {
      // 2: every model predicts well above chance; rows that it learnt are predicted better.
      logits[row * shape.classes + static_cast<std::size_t>(labels[row])] += 2 + memory;
    }
    put(folder + "/" + split, array_of(DType::float32, logits, {labels.size(), shape.classes}));
    if (shape.activations == 0) continue;
    std::vector<double> activations(labels.size() * shape.activations);
    for (double& value : activations) value = noise.normal() + memory;
    put(folder + "/activations/penultimate/" + split,
        array_of(DType::float32, activations, {labels.size(), shape.activations}));
  }
}

void EvidenceFolder::put(const std::string& key, const Array& array) {
  write_quickly(path() / (key + ".npy"), evidence::write_npy(array));
  arrays_[key] = array;
}

void EvidenceFolder::put_labels(const std::string& split, std::vector<std::int64_t> labels) {
  const std::size_t rows = labels.size();
  put("labels/" + split, Array::from_integers(std::move(labels), {rows}));
}

void EvidenceFolder::put_file(const std::string& file, std::string_view content) {
  write_quickly(path() / file, content);
  files_[file] = content;
}

void EvidenceFolder::remove(const std::string& key) {
  fs::remove(path() / (key + ".npy"));
  arrays_.erase(key);
}

void EvidenceFolder::remove_below(const std::string& folder) {
  for (const auto& [key, array] : std::map(arrays_)) {
    if (key.starts_with(folder + "/")) remove(key);
  }
}

void EvidenceFolder::copy_model(const std::string& from, const std::string& to) {
  for (const std::string& split : kSplits) put(to + "/" + split, Array(array(from + "/" + split)));
}

void EvidenceFolder::change(const std::string& key,
                            const std::function<void(std::vector<double>&)>& action) {
  const Array& old = array(key);
  std::vector<double> values = old.doubles();
  action(values);
  put(key, array_of(old.dtype(), values, old.shape()));
}

fs::path EvidenceFolder::write_npz() const {
  std::map<std::string, std::string> members = files_;
  for (const auto& [key, array] : arrays_) members[key + ".npy"] = evidence::write_npy(array);
  const fs::path file = folder_.path() / "evidence.npz";
  write_quickly(file, zip_of(members));
  return file;
}

fs::path EvidenceFolder::write_safetensors() const {
  Json header = Json::object();
  std::string data;
  for (const auto& [key, array] : arrays_) {
    const std::size_t start = data.size();
    data.append(reinterpret_cast<const char*>(array.bytes().data()), array.bytes().size());
    header[key] = {{"dtype", tensor_type(array.dtype())},
                   {"shape", array.shape()},
                   {"data_offsets", {start, data.size()}}};
  }
  std::string head = header.dump();
  head.resize((head.size() + 7) / 8 * 8, ' ');
  std::string bytes;
  append_item(bytes, static_cast<std::uint64_t>(head.size()));
  const fs::path file = folder_.path() / "evidence.safetensors";
  write_quickly(file, bytes + head + data);
  return file;
}

}  // namespace vestige::testing
