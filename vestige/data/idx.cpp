// IDX: a big-endian magic number (0x08 for unsigned bytes, then the rank), the dimensions, the
// bytes. The format is described on the MNIST page of Y. LeCun, C. Cortes and C. Burges.
#include "vestige/data/idx.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/data/files.h"

namespace vestige::data {
namespace fs = std::filesystem;
namespace {

constexpr std::uint32_t kImages = 0x803;
constexpr std::uint32_t kLabels = 0x801;
constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

/// A gzipped or plain file; zlib reads both alike.
class Reader {
 public:
  explicit Reader(const fs::path& path) : path_(path.string()), file_(gzopen(path.c_str(), "rb")) {
    require(file_ != nullptr, "cannot read {}: check its permissions", path_);
  }

  /// Up to out.size() bytes; fewer only at the end of the file.
  std::size_t read(std::span<std::uint8_t> out) {
    const int count = gzread(file_.get(), out.data(), static_cast<unsigned>(out.size()));
    int code = Z_OK;
    const char* message = gzerror(file_.get(), &code);
    require(code != Z_BUF_ERROR, "{} is truncated: copy it again", path_);
    require(count >= 0 && code >= Z_OK, "{} is damaged ({}): copy it again", path_, message);
    return static_cast<std::size_t>(count);
  }

  std::uint32_t big_endian() {
    std::array<std::uint8_t, 4> bytes{};
    require(read(bytes) == bytes.size(), "{} ends inside its header: copy it again", path_);
    std::uint32_t value = 0;
    for (const std::uint8_t byte : bytes) value = value << 8U | byte;
    return value;
  }

 private:
  struct Close {
    void operator()(gzFile_s* file) const { gzclose(file); }
  };
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

struct Idx {
  std::vector<std::size_t> shape;
  std::vector<std::uint8_t> items;
};

Idx read_idx(const fs::path& path, std::uint32_t magic) {
  Reader reader(path);
  const std::uint32_t found = reader.big_endian();
  require(found == magic,
          "{} starts with the magic number 0x{:08x}, not 0x{:08x}: it is no IDX file of {}",
          path.string(), found, magic, magic == kImages ? "images" : "labels");
  Idx idx;
  std::uint64_t size = 1;
  for (std::uint32_t axis = 0; axis < (magic & 0xffU); ++axis) {
    const std::uint32_t length = reader.big_endian();
    require(length > 0 && size <= kMostBytes / length,
            "{} states {} as dimension {}: the header is damaged", path.string(), length, axis);
    size *= length;
    idx.shape.push_back(length);
  }
  // Grows with what is really there, so that a false header asks for no memory.
  while (idx.items.size() < size) {
    check_interrupt();
    const std::size_t start = idx.items.size();
    idx.items.resize(start + std::min<std::uint64_t>(kBlock, size - start));
    const std::size_t count = reader.read(std::span(idx.items).subspan(start));
    require(start + count == idx.items.size(),
            "{} ends after {} of the {} bytes that its header states: copy it again", path.string(),
            start + count, size);
  }
  std::uint8_t extra = 0;
  require(reader.read({&extra, 1}) == 0,
          "{} goes on after the {} bytes that its header states: copy it again", path.string(),
          size);
  return idx;
}

void add_part(Dataset& dataset, const fs::path& folder, const std::string& stem,
              const Origin& origin) {
  // Some archives have a dot where the original names have a dash.
  const auto find = [&](const std::string& middle, const std::string& kind) {
    const std::string dash = stem + middle + "-" + kind;
    const std::string dot = stem + middle + "." + kind;
    return find_file(folder, {dash + ".gz", dash, dot + ".gz", dot}, origin);
  };
  const fs::path image_path = find("-images", "idx3-ubyte");
  const fs::path label_path = find("-labels", "idx1-ubyte");
  const Idx images = read_idx(image_path, kImages);
  const Idx labels = read_idx(label_path, kLabels);
  require(images.shape[0] == labels.shape[0],
          "{} has {} images but {} has {} labels: both must be of the same set",
          image_path.string(), images.shape[0], label_path.string(), labels.shape[0]);
  const std::vector<std::int64_t> shape = {1, static_cast<std::int64_t>(images.shape[1]),
                                           static_cast<std::int64_t>(images.shape[2])};
  if (!dataset.shape.empty()) {
    require(dataset.shape == shape,
            "{} has images of {} x {} pixels, the training images have {} x {}: both must be of "
            "the same set",
            image_path.string(), shape[1], shape[2], dataset.shape[1], dataset.shape[2]);
  }
  dataset.shape = shape;
  dataset.bytes.insert(dataset.bytes.end(), images.items.begin(), images.items.end());
  dataset.labels.insert(dataset.labels.end(), labels.items.begin(), labels.items.end());
}

}  // namespace

Dataset load_idx(Options& options) {
  Dataset dataset;
  dataset.name = options.choice("name", "fashion_mnist", {"fashion_mnist", "mnist"});
  const bool fashion = dataset.name == "fashion_mnist";
  const Origin origin = {
      .set = dataset.name,
      .wanted =
          "train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and "
          "t10k-labels-idx1-ubyte (each plain or .gz)",
      .source = fashion ? "Debian's package dataset-fashion-mnist (Zalando Research)"
                        : "the MNIST page of Y. LeCun, C. Cortes and C. Burges"};
  const fs::path folder =
      data_path(options, fashion ? "/usr/share/datasets/fashion-mnist" : "", origin);
  options.finish();
  add_part(dataset, folder, "train", origin);
  dataset.train_rows = dataset.rows();
  add_part(dataset, folder, "t10k", origin);
  dataset.classes = 10;
  if (fashion) {
    dataset.class_names = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                           "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
    dataset.mean = {0.2860F};
    dataset.deviation = {0.3530F};
  } else {
    dataset.class_names = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    dataset.mean = {0.1307F};
    dataset.deviation = {0.3081F};
  }
  finish(dataset);
  return dataset;
}

}  // namespace vestige::data
