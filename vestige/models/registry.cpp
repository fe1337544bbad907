// The table of architectures.
#include <algorithm>
#include <array>

#include "vestige/base/error.h"
#include "vestige/models/allcnn.h"
#include "vestige/models/densenet.h"
#include "vestige/models/kinds.h"
#include "vestige/models/mlp.h"
#include "vestige/models/mobilenet.h"
#include "vestige/models/network.h"
#include "vestige/models/resnet.h"
#include "vestige/models/small_cnn.h"
#include "vestige/models/unet.h"
#include "vestige/models/vgg.h"
#include "vestige/models/vit.h"
#include "vestige/models/weights/pretrained.h"

namespace vestige::models {
namespace {

struct Entry {
  const char* name;
  NetworkPointer (*construct)(Options& options, const Shape& shape, std::int64_t copies);
  const char* summary;
};

constexpr std::array kEntries{
    Entry{"small_cnn", small_cnn, "two convolutions, two linear layers; for pools of many models"},
    Entry{"mlp", mlp, "linear layers 1024-512-256-128; for tables such as Purchase-100"},
    Entry{"allcnn", allcnn, "All-CNN-C with batch norm, as in the unlearning literature"},
    Entry{"resnet18", resnet18, "ResNet-18; a 3x3 stem up to 64 pixels"},
    Entry{"resnet34", resnet34, "ResNet-34; a 3x3 stem up to 64 pixels"},
    Entry{"resnet50", resnet50, "ResNet-50 (bottlenecks); a 3x3 stem up to 64 pixels"},
    Entry{"vit", vit,
          "vision transformer, 6 blocks of 192 or a published size; patches go by the image"},
    Entry{"vgg11", vgg11, "VGG-11 with batch norm and one linear layer, or torchvision's"},
    Entry{"vgg16", vgg16, "VGG-16 with batch norm and one linear layer, or torchvision's"},
    Entry{"densenet", densenet, "DenseNet-BC, depth 100, growth 12"},
    Entry{"densenet121", densenet121, "DenseNet-121 of torchvision, with its 7x7 stem"},
    Entry{"mobilenet_v2", mobilenet_v2, "MobileNetV2; strides of 1 at the start up to 64 pixels"},
};

/// Networks that say no logits.
constexpr std::array kDenoisers{
    Entry{"unet", unet, "U-Net that takes noise away, the network of a diffusion model"},
};

template <typename Entries>
std::vector<ArchitectureInfo> infos(const Entries& entries) {
  std::vector<ArchitectureInfo> list;
  for (const Entry& entry : entries) list.push_back({entry.name, entry.summary});
  return list;
}

}  // namespace

const std::vector<ArchitectureInfo>& architectures() {
  static const std::vector<ArchitectureInfo> all = infos(kEntries);
  return all;
}

const std::vector<ArchitectureInfo>& denoisers() {
  static const std::vector<ArchitectureInfo> all = infos(kDenoisers);
  return all;
}

bool is_denoiser(const std::string& architecture) {
  return std::any_of(kDenoisers.begin(), kDenoisers.end(),
                     [&](const Entry& entry) { return architecture == entry.name; });
}

NetworkPointer make(Options& options, const Shape& shape, std::int64_t copies) {
  require(copies >= 1, "{}: a network of {} copies cannot be made: at least 1 is needed",
          options.where(), copies);
  require(shape.classes >= 1, "{}: the data have {} classes: at least 1 is needed", options.where(),
          shape.classes);
  std::vector<std::string> names;
  for (const ArchitectureInfo& info : architectures()) names.push_back(info.name);
  for (const ArchitectureInfo& info : denoisers()) names.push_back(info.name);
  const std::string name = options.choice("name", "small_cnn", names);
  NetworkPointer network;
  for (const Entry& entry : kEntries) {
    if (name == entry.name) network = entry.construct(options, shape, copies);
  }
  for (const Entry& entry : kDenoisers) {
    if (name == entry.name) network = entry.construct(options, shape, copies);
  }
  const std::string weights = options.text("weights", "");
  options.finish();
  if (!weights.empty()) {
    check_pretrained(*network, name, weights, options.where());
    network->begin_with({name, weights});
  }
  return network;
}

}  // namespace vestige::models
