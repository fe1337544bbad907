// The table of all loaders.
#include <algorithm>
#include <array>

#include "vestige/base/error.h"
#include "vestige/data/arrays.h"
#include "vestige/data/cifar.h"
#include "vestige/data/dataset.h"
#include "vestige/data/femnist.h"
#include "vestige/data/idx.h"
#include "vestige/data/image_folder.h"
#include "vestige/data/svhn.h"
#include "vestige/data/synthetic.h"
#include "vestige/data/table.h"

namespace vestige::data {
namespace {

/// A loader that shows no progress.
template <Dataset (*kLoad)(Options&)>
Dataset silent(Options& options, const Context&) {
  return kLoad(options);
}

struct Loader {
  const char* name;
  const char* summary;
  Dataset (*load)(Options&, const Context&);
};

constexpr std::array kLoaders = {
    Loader{"fashion_mnist", "clothes, 28 x 28 grey: IDX files of dataset-fashion-mnist",
           silent<load_idx>},
    Loader{"mnist", "digits, 28 x 28 grey: IDX files, plain or .gz", silent<load_idx>},
    Loader{"cifar10", "photos, 32 x 32: data_batch_1.bin to 5, test_batch.bin", silent<load_cifar>},
    Loader{"cifar100", "photos, 32 x 32, 100 classes: train.bin, test.bin", silent<load_cifar>},
    Loader{"cifar20", "CIFAR-100 by its 20 coarse classes: train.bin, test.bin",
           silent<load_cifar>},
    Loader{"svhn", "house numbers, 32 x 32: train_32x32.mat, test_32x32.mat", silent<load_svhn>},
    Loader{"image_folder", "PNG or JPEG in class folders, with a CSV of subjects: train/CLASS/*",
           load_image_folder},
    Loader{"femnist", "characters by writer, 28 x 28 grey: LEAF's train/*.json, test/*.json",
           load_femnist},
    Loader{"purchase100", "shopping, 600 columns, 100 classes: purchase100.npz or dataset_purchase",
           silent<load_table>},
    Loader{"table", "any table of numbers: npz with features and labels, or CSV",
           silent<load_table>},
    Loader{"arrays", "anything: npz with inputs and labels", silent<load_arrays>},
    Loader{"synthetic", "synthetic: class prototypes, label noise, subjects, subclasses",
           silent<load_synthetic>},
};

}  // namespace

const std::vector<LoaderInfo>& loaders() {
  static const std::vector<LoaderInfo> kInfos = [] {
    std::vector<LoaderInfo> infos;
    for (const Loader& loader : kLoaders) infos.push_back({loader.name, loader.summary});
    return infos;
  }();
  return kInfos;
}

Dataset load(Options& options, const Context& context) {
  std::vector<std::string> names;
  for (const Loader& loader : kLoaders) names.emplace_back(loader.name);
  if (!options.has("name")) {
    options.wrong("name", fmt::format("it is missing: give one of {}", fmt::join(names, ", ")));
  }
  const std::string name = options.choice("name", "", names);
  const auto* found = std::find_if(kLoaders.begin(), kLoaders.end(),
                                   [&](const Loader& loader) { return loader.name == name; });
  return context.run([&] { return found->load(options, context); });
}

}  // namespace vestige::data
