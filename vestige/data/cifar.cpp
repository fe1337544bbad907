// One record: the label byte (CIFAR-100: coarse, then fine), then 1024 bytes each of red, green and
// blue, row by row. The format is described on A. Krizhevsky's CIFAR page, "Binary version".
#include "vestige/data/cifar.h"

#include <algorithm>
#include <cstring>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/data/files.h"

namespace vestige::data {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kCifarBytes = 3 * 32 * 32;

struct Layout {
  std::vector<std::string> train;
  std::string test;
  std::string archive;  // the folder that the published archive unpacks to
  std::string names;    // the file of class names, which need not be there
  std::size_t label_bytes;
  std::size_t label_at;
};

Layout layout_of(const std::string& name) {
  if (name == "cifar10") {
    return {{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
             "data_batch_5.bin"},
            "test_batch.bin",
            "cifar-10-batches-bin",
            "batches.meta.txt",
            1,
            0};
  }
  const bool coarse = name == "cifar20";
  return {{"train.bin"},
          "test.bin",
          "cifar-100-binary",
          coarse ? "coarse_label_names.txt" : "fine_label_names.txt",
          2,
          coarse ? std::size_t{0} : std::size_t{1}};
}

void add_records(Dataset& dataset, const fs::path& path, const Layout& layout) {
  check_interrupt();
  const std::string content = read_file(path);
  const std::size_t record = layout.label_bytes + kCifarBytes;
  require(!content.empty() && content.size() % record == 0,
          "{} has {} bytes, which is not a whole number of records of {} bytes: it is truncated "
          "or not of the binary version",
          path.string(), content.size(), record);
  const std::size_t count = content.size() / record;
  const std::size_t start = dataset.bytes.size();
  allocate(dataset.bytes, start + count * kCifarBytes, dataset.name);
  for (std::size_t row = 0; row < count; ++row) {
    const char* labels = content.data() + row * record;
    const auto label = static_cast<unsigned char>(labels[layout.label_at]);
    require(label < dataset.classes, "record {} of {} has label {}: {} has the labels 0 to {}", row,
            path.string(), label, dataset.name, dataset.classes - 1);
    dataset.labels.push_back(label);
    if (dataset.name == "cifar20") {
      const auto fine = static_cast<unsigned char>(labels[1]);
      require(fine < 100, "record {} of {} has fine label {}: CIFAR-100 has the labels 0 to 99",
              row, path.string(), fine);
      dataset.subclasses.push_back(fine);
    }
    std::memcpy(dataset.bytes.data() + start + row * kCifarBytes, labels + layout.label_bytes,
                kCifarBytes);
  }
}

void set_channels(Dataset& dataset, bool as_cifar100) {
  if (dataset.name == "cifar10" && !as_cifar100) {
    dataset.mean = {0.4914F, 0.4822F, 0.4465F};
    dataset.deviation = {0.2470F, 0.2435F, 0.2616F};
  } else {
    dataset.mean = {0.5071F, 0.4865F, 0.4409F};
    dataset.deviation = {0.2673F, 0.2564F, 0.2762F};
  }
}

}  // namespace

Dataset load_cifar(Options& options) {
  Dataset dataset;
  dataset.name = options.choice("name", "cifar10", {"cifar10", "cifar100", "cifar20"});
  dataset.shape = {3, 32, 32};
  dataset.classes = dataset.name == "cifar10" ? 10 : dataset.name == "cifar100" ? 100 : 20;
  const Layout layout = layout_of(dataset.name);
  const Origin origin = {
      .set = dataset.name,
      .wanted = fmt::format("{} and {}", fmt::join(layout.train, ", "), layout.test),
      .source = "the binary version on A. Krizhevsky's CIFAR page"};
  fs::path folder = data_path(options, "", origin);
  const bool as_cifar100 = options.choice("normalise", "own", {"own", "cifar100"}) == "cifar100";
  options.finish();
  std::error_code ignored;
  if (!fs::exists(folder / layout.test, ignored) &&
      fs::exists(folder / layout.archive / layout.test, ignored)) {
    folder /= layout.archive;
  }
  for (const std::string& file : layout.train) {
    add_records(dataset, find_file(folder, {file}, origin), layout);
  }
  dataset.train_rows = dataset.rows();
  add_records(dataset, find_file(folder, {layout.test}, origin), layout);
  if (fs::exists(folder / layout.names, ignored)) {
    dataset.class_names = read_lines(folder / layout.names);
    require(dataset.class_names.size() == static_cast<std::size_t>(dataset.classes),
            "{} names {} classes, {} has {}: copy it again or remove it",
            (folder / layout.names).string(), dataset.class_names.size(), dataset.name,
            dataset.classes);
  }
  set_channels(dataset, as_cifar100);
  finish(dataset);
  return dataset;
}

}  // namespace vestige::data
