// SVHN's format 2: MAT v5 files with X, unsigned bytes [32, 32, 3, n] (row, column, channel,
// image), column-major, and y, [n, 1], where 10 stands for the digit 0.
#include "vestige/data/svhn.h"

#ifdef VESTIGE_WITH_MATIO
#include <matio.h>
#include <zlib.h>

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <string_view>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/data/files.h"

namespace vestige::data {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kSide = 32;
constexpr std::size_t kSvhnChannels = 3;
constexpr std::size_t kSvhnBytes = kSvhnChannels * kSide * kSide;

struct CloseFile {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

std::string shape_text(const matvar_t& variable) {
  return fmt::format("[{}]", fmt::join(variable.dims, variable.dims + variable.rank, ", "));
}

/// Whether `bytes` is one whole zlib stream with a sound checksum.
bool inflates(std::string_view bytes) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return false;
  std::vector<Bytef> block(std::size_t{1} << 20);
  // zlib's interface is not const-correct; it does not write to its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = block.data();
    stream.avail_out = static_cast<uInt>(block.size());
    code = inflate(&stream, Z_NO_FLUSH);
  }
  inflateEnd(&stream);
  return code == Z_STREAM_END;
}

/// matio gives out what is left of a truncated file, and of a damaged compressed one, without a
/// word. So the chain of top-level elements (a tag of type and size, then the content) must end
/// where the file does, and the checksums of compressed elements must be right.
void check_elements(const fs::path& path) {
  constexpr std::size_t kHeader = 128;
  constexpr std::uint32_t kCompressed = 15;
  const std::string content = read_file(path);
  require(content.size() > kHeader && content.starts_with("MATLAB 5.0"),
          "{} is not a MAT file of version 5: SVHN's cropped digits are needed", path.string());
  static_assert(std::endian::native == std::endian::little);
  std::size_t place = kHeader;
  while (place < content.size()) {
    std::array<std::uint32_t, 2> tag{};  // type, size
    const bool tagged = content.size() - place >= sizeof tag;
    if (tagged) std::memcpy(tag.data(), content.data() + place, sizeof tag);
    require(tagged && tag[1] <= content.size() - place - sizeof tag,
            "{} is truncated: copy it again", path.string());
    place += sizeof tag;
    require(tag[0] != kCompressed || inflates(std::string_view(content).substr(place, tag[1])),
            "{} is damaged: copy it again", path.string());
    place += tag[1];
  }
}

Variable read_variable(mat_t* file, const char* name, const fs::path& path) {
  Variable variable(Mat_VarRead(file, name));
  require(variable != nullptr && variable->data != nullptr,
          "{} has no readable variable {}: SVHN's cropped digits are needed", path.string(), name);
  return variable;
}

std::int64_t label_at(const matvar_t& y, std::size_t row, const fs::path& path) {
  double label = 0;
  if (y.class_type == MAT_C_UINT8) {
    label = static_cast<const std::uint8_t*>(y.data)[row];
  } else {
    label = static_cast<const double*>(y.data)[row];
  }
  for (int digit = 1; digit <= 10; ++digit) {
    if (label == digit) return digit % 10;
  }
  fail("{} has label {} at place {}: SVHN has the labels 1 to 10", path.string(), label, row);
}

void add_part(Dataset& dataset, const fs::path& path) {
  check_interrupt();
  check_elements(path);
  const std::unique_ptr<mat_t, CloseFile> file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  require(file != nullptr, "{} is not a MAT file of version 5: SVHN's cropped digits are needed",
          path.string());
  const Variable x = read_variable(file.get(), "X", path);
  require(x->class_type == MAT_C_UINT8 && x->rank == 4 && x->dims[0] == kSide &&
              x->dims[1] == kSide && x->dims[2] == kSvhnChannels && x->isComplex == 0,
          "X in {} is {}: it must be unsigned bytes [32, 32, 3, n]", path.string(), shape_text(*x));
  const std::size_t rows = x->dims[3];
  const Variable y = read_variable(file.get(), "y", path);
  const bool typed = y->class_type == MAT_C_UINT8 || y->class_type == MAT_C_DOUBLE;
  require(typed && y->rank == 2 && y->isComplex == 0 && y->dims[0] * y->dims[1] == rows,
          "y in {} is {}: it must be {} labels, one per image of X", path.string(), shape_text(*y),
          rows);
  const std::size_t start = dataset.bytes.size();
  allocate(dataset.bytes, start + rows * kSvhnBytes, dataset.name);
  const auto* pixels = static_cast<const std::uint8_t*>(x->data);
  for (std::size_t plane = 0; plane < rows * kSvhnChannels; ++plane) {
    std::uint8_t* out = dataset.bytes.data() + start + plane * kSide * kSide;
    const std::uint8_t* in = pixels + plane * kSide * kSide;
    for (std::size_t row = 0; row < kSide; ++row) {
      for (std::size_t column = 0; column < kSide; ++column) {
        out[row * kSide + column] = in[column * kSide + row];
      }
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    dataset.labels.push_back(label_at(*y, row, path));
  }
}

}  // namespace

Dataset load_svhn(Options& options) {
  Dataset dataset;
  dataset.name = options.choice("name", "svhn", {"svhn"});
  dataset.shape = {kSvhnChannels, kSide, kSide};
  const Origin origin = {.set = dataset.name,
                         .wanted = "train_32x32.mat and test_32x32.mat",
                         .source = "the Street View House Numbers page (format 2, cropped digits)"};
  const fs::path folder = data_path(options, "", origin);
  options.finish();
  add_part(dataset, find_file(folder, {"train_32x32.mat"}, origin));
  dataset.train_rows = dataset.rows();
  add_part(dataset, find_file(folder, {"test_32x32.mat"}, origin));
  dataset.classes = 10;
  dataset.class_names = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  dataset.mean = {0.4377F, 0.4438F, 0.4728F};
  dataset.deviation = {0.1980F, 0.2010F, 0.1970F};
  finish(dataset);
  return dataset;
}

}  // namespace vestige::data

#else  // a build on a machine without matio
#include "vestige/base/error.h"

namespace vestige::data {

Dataset load_svhn(Options& options) {
  fail(
      "{}: this build cannot read SVHN's MAT files: install matio (Debian: libmatio-dev) and build "
      "again",
      options.where());
}

}  // namespace vestige::data
#endif
