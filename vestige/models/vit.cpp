// Attention over image patches; tokens are [k, batch, tokens, dim].
#include "vestige/models/vit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/models/layers.h"

namespace vestige::models {
namespace {

struct VitOptions {
  std::int64_t patch = 0;      ///< side in pixels; 0: by the image
  std::int64_t dim = 192;      ///< of a token
  std::int64_t depth = 6;      ///< blocks
  std::int64_t heads = 3;      ///< divides dim
  std::int64_t mlp_ratio = 4;  ///< inner width of a block's MLP over dim
  double epsilon = 1e-5;       ///< of the norms; torchvision and timm have 1e-6
  std::int64_t resize = 0;     ///< pixels to which images are brought first; 0: as they are
};

/// Multi-head self-attention.
class Attention : public torch::nn::Module {
 public:
  Attention(std::int64_t copies, std::int64_t dim, std::int64_t heads) : heads_(heads) {
    queries_keys_values_ = register_module("qkv", std::make_shared<Linear>(copies, dim, 3 * dim));
    project_ = register_module("project", std::make_shared<Linear>(copies, dim, dim));
  }

  torch::Tensor forward(const torch::Tensor& tokens) const {
    const std::int64_t size = tokens.size(3) / heads_;
    // [k, batch, tokens, 3, heads, size] -> [3, k, batch, heads, tokens, size]
    const torch::Tensor all = queries_keys_values_->forward(tokens)
                                  .unflatten(3, {3, heads_, size})
                                  .permute({3, 0, 1, 4, 2, 5});
    const double scale = 1 / std::sqrt(static_cast<double>(size));
    const torch::Tensor weights =
        torch::softmax(torch::matmul(all[0] * scale, all[1].transpose(3, 4)), -1);
    return project_->forward(torch::matmul(weights, all[2]).transpose(2, 3).flatten(3));
  }

 private:
  std::int64_t heads_;
  std::shared_ptr<Linear> queries_keys_values_;
  std::shared_ptr<Linear> project_;
};

class Block : public torch::nn::Module {
 public:
  Block(std::int64_t copies, const VitOptions& options) {
    const std::int64_t dim = options.dim;
    const std::int64_t inner = dim * options.mlp_ratio;
    norm1_ = register_module("norm1", std::make_shared<LayerNorm>(copies, dim, options.epsilon));
    attention_ =
        register_module("attention", std::make_shared<Attention>(copies, dim, options.heads));
    norm2_ = register_module("norm2", std::make_shared<LayerNorm>(copies, dim, options.epsilon));
    expand_ = register_module("expand", std::make_shared<Linear>(copies, dim, inner));
    contract_ = register_module("contract", std::make_shared<Linear>(copies, inner, dim));
  }

  torch::Tensor forward(const torch::Tensor& tokens) const {
    const torch::Tensor mixed = tokens + attention_->forward(norm1_->forward(tokens));
    return mixed + contract_->forward(torch::gelu(expand_->forward(norm2_->forward(mixed))));
  }

 private:
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<Attention> attention_;
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<Linear> expand_;
  std::shared_ptr<Linear> contract_;
};

/// The class token in front of the patches, then the positions: class_token [k, dim], positions
/// [k, tokens + 1, dim].
class Embedding : public Layer {
 public:
  Embedding(std::int64_t copies, std::int64_t tokens, std::int64_t dim) : Layer(copies) {
    // Uniform with the usual standard deviation of 0.02.
    const double bound = 0.02 * std::sqrt(3.0);
    class_token_ = parameter({.name = "class_token", .bound = bound}, {dim});
    positions_ = parameter({.name = "positions", .bound = bound}, {tokens + 1, dim});
  }

  torch::Tensor forward(const torch::Tensor& tokens) const {
    const torch::Tensor first =
        class_token_.view({copies(), 1, 1, -1}).expand({-1, tokens.size(1), -1, -1});
    return torch::cat({first, tokens}, 2) + positions_.unsqueeze(1);
  }

 private:
  torch::Tensor class_token_;
  torch::Tensor positions_;
};

class Vit : public Network {
 public:
  Vit(std::int64_t copies, const ImageShape& image, std::int64_t classes, const VitOptions& options)
      : Network(copies), resize_(options.resize) {
    const ConvolutionOptions patches{
        .in = image.channels, .out = options.dim, .kernel = options.patch, .stride = options.patch};
    patches_ = register_module("patches", std::make_shared<Convolution>(copies, patches));
    const std::int64_t tokens = (image.height / options.patch) * (image.width / options.patch);
    embedding_ =
        register_module("embedding", std::make_shared<Embedding>(copies, tokens, options.dim));
    for (std::int64_t block = 1; block <= options.depth; ++block) {
      blocks_.push_back(register_module("block" + std::to_string(block),
                                        std::make_shared<Block>(copies, options)));
    }
    norm_ =
        register_module("norm", std::make_shared<LayerNorm>(copies, options.dim, options.epsilon));
    output_ = register_module("output", std::make_shared<Linear>(copies, options.dim, classes));
  }

  torch::Tensor forward(const torch::Tensor& inputs, Taps* taps) override {
    // [k, batch, dim, rows, columns] -> [k, batch, tokens, dim]
    const torch::Tensor patches =
        to_images(patches_->forward(resized(to_channels(inputs), resize_)), copies());
    torch::Tensor value = embedding_->forward(patches.flatten(3).transpose(2, 3));
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      value = tap(taps, "block" + std::to_string(block + 1), blocks_[block]->forward(value));
    }
    // The norm acts on each token alone, so only the class token needs it.
    value = norm_->forward(value.narrow(2, 0, 1)).squeeze(2);
    value = tap(taps, "penultimate", value);
    return tap(taps, "logits", output_->forward(value));
  }

  std::vector<std::string> tap_names() const override {
    std::vector<std::string> names;
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      names.push_back("block" + std::to_string(block + 1));
    }
    names.insert(names.end(), {"penultimate", "logits"});
    return names;
  }

 private:
  std::int64_t resize_;
  std::shared_ptr<Convolution> patches_;
  std::shared_ptr<Embedding> embedding_;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> output_;
};

/// ViT-Ti, ViT-S and ViT-B with patches of 16 pixels at 224 (Touvron et al. 2021, Table 1;
/// Dosovitskiy et al. 2021, Table 1).
VitOptions sizes_of(const std::string& size) {
  if (size == "own") return {};
  VitOptions published{.patch = 16, .depth = 12, .epsilon = 1e-6, .resize = 224};
  published.heads = size == "tiny" ? 3 : size == "small" ? 6 : 12;
  published.dim = 64 * published.heads;
  return published;
}

std::int64_t positive(Options& options, const char* key, std::int64_t fallback) {
  const std::int64_t value = options.integer(key, fallback);
  if (value < 1) options.wrong(key, "it must be at least 1");
  return value;
}

}  // namespace

NetworkPointer vit(Options& options, const Shape& shape, std::int64_t copies) {
  VitOptions chosen = sizes_of(options.choice("size", "own", {"own", "tiny", "small", "base"}));
  chosen.resize = read_resize(options, chosen.resize);
  const ImageShape image = image_shape(resized(shape, chosen.resize), "vit", 4);
  const std::int64_t side = std::max(image.height, image.width);
  chosen.patch = positive(options, "patch",
                          chosen.patch > 0 ? chosen.patch
                          : side <= 32     ? 4
                          : side <= 64     ? 8
                                           : 16);
  if (image.height % chosen.patch != 0 || image.width % chosen.patch != 0) {
    options.wrong("patch",
                  fmt::format("patches of {0} x {0} pixels do not tile images of {1} x {2}: "
                              "choose a divisor of both",
                              chosen.patch, image.height, image.width));
  }
  chosen.dim = positive(options, "dim", chosen.dim);
  chosen.depth = positive(options, "depth", chosen.depth);
  chosen.heads = positive(options, "heads", chosen.heads);
  chosen.mlp_ratio = positive(options, "mlp_ratio", chosen.mlp_ratio);
  chosen.epsilon = options.number("epsilon", chosen.epsilon);
  if (!(chosen.epsilon > 0)) options.wrong("epsilon", "it must be above 0");
  if (chosen.dim % chosen.heads != 0) {
    options.wrong("heads", fmt::format("{} heads do not divide dim {}: choose a divisor",
                                       chosen.heads, chosen.dim));
  }
  return std::make_shared<Vit>(copies, image, shape.classes, chosen);
}

}  // namespace vestige::models
