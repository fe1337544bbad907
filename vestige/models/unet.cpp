// The U-Net. Features travel as channels [batch, k * C, H, W], the noise level as [k, batch, E].
#include "vestige/models/unet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/models/denoiser.h"
#include "vestige/models/layers.h"

namespace vestige::models {
namespace {

struct UnetOptions {
  std::int64_t width = 32;                            ///< channels of a multiplier of 1
  std::vector<std::int64_t> multipliers = {1, 2, 2};  ///< of each level
  std::int64_t depth = 1;                             ///< blocks of a level in the encoder
  std::vector<std::int64_t> attention = {};           ///< sides with self-attention
  std::int64_t heads = 1;                             ///< of attention
  std::int64_t resize = 0;
};

/// What sums of two branches are multiplied with, so that their variance stays (skip_scale of the
/// published code).
const double kBranch = std::sqrt(0.5);

/// At most 32 groups of at least 4 channels, as the published code has it.
std::int64_t groups_of(std::int64_t channels) {
  return std::gcd(channels, std::max<std::int64_t>(1, std::min<std::int64_t>(32, channels / 4)));
}

std::shared_ptr<Convolution> convolution(std::int64_t copies, std::int64_t in, std::int64_t out,
                                         std::int64_t stride = 1, bool zero = false) {
  return std::make_shared<Convolution>(
      copies, ConvolutionOptions{
                  .in = in, .out = out, .kernel = 3, .stride = stride, .padding = 1, .zero = zero});
}

/// Self-attention over the places of an image; its output begins at 0.
class ImageAttention : public torch::nn::Module {
 public:
  ImageAttention(std::int64_t copies, std::int64_t channels, std::int64_t heads)
      : copies_(copies), heads_(heads) {
    const ConvolutionOptions reading{.in = channels, .out = 3 * channels, .kernel = 1};
    const ConvolutionOptions writing{.in = channels, .out = channels, .kernel = 1, .zero = true};
    norm_ =
        register_module("norm", std::make_shared<GroupNorm>(copies, channels, groups_of(channels)));
    read_ = register_module("qkv", std::make_shared<Convolution>(copies, reading));
    write_ = register_module("project", std::make_shared<Convolution>(copies, writing));
  }

  torch::Tensor forward(const torch::Tensor& channels) const {
    const std::int64_t batch = channels.size(0), height = channels.size(2),
                       width = channels.size(3);
    // [batch, k * 3 * C, H, W] -> [batch, k, 3, heads, C / heads, places]
    const torch::Tensor all = read_->forward(norm_->forward(channels))
                                  .reshape({batch, copies_, 3, heads_,
                                            channels.size(1) / copies_ / heads_, height * width});
    const torch::Tensor queries = all.select(2, 0).transpose(3, 4);
    const double scale = 1 / std::sqrt(static_cast<double>(queries.size(4)));
    const torch::Tensor weights =
        torch::softmax(torch::matmul(queries * scale, all.select(2, 1)), -1);
    const torch::Tensor mixed = torch::matmul(all.select(2, 2), weights.transpose(3, 4));
    return write_->forward(mixed.reshape(channels.sizes()));
  }

 private:
  std::int64_t copies_;
  std::int64_t heads_;
  std::shared_ptr<GroupNorm> norm_;
  std::shared_ptr<Convolution> read_;
  std::shared_ptr<Convolution> write_;
};

/// Two convolutions beside a skip; the noise level shifts the channels between them.
class UnetBlock : public torch::nn::Module {
 public:
  UnetBlock(std::int64_t copies, std::int64_t in, std::int64_t out, std::int64_t embedding,
            std::int64_t heads)
      : copies_(copies) {
    norm1_ = register_module("norm1", std::make_shared<GroupNorm>(copies, in, groups_of(in)));
    conv1_ = register_module("conv1", convolution(copies, in, out));
    shift_ = register_module("shift", std::make_shared<Linear>(copies, embedding, out));
    norm2_ = register_module("norm2", std::make_shared<GroupNorm>(copies, out, groups_of(out)));
    conv2_ = register_module("conv2", convolution(copies, out, out, 1, true));
    if (in != out) {
      const ConvolutionOptions plain{.in = in, .out = out, .kernel = 1};
      skip_ = register_module("skip", std::make_shared<Convolution>(copies, plain));
    }
    if (heads > 0) {
      attention_ =
          register_module("attention", std::make_shared<ImageAttention>(copies, out, heads));
    }
  }

  torch::Tensor forward(const torch::Tensor& channels, const torch::Tensor& level) const {
    torch::Tensor value = conv1_->forward(torch::silu(norm1_->forward(channels)));
    // [k, batch, C] -> [batch, k * C, 1, 1]
    const torch::Tensor shift = shift_->forward(level).transpose(0, 1).flatten(1);
    value = value + shift.unsqueeze(-1).unsqueeze(-1);
    value = conv2_->forward(torch::silu(norm2_->forward(value)));
    value = (value + (skip_ ? skip_->forward(channels) : channels)) * kBranch;
    return attention_ ? (value + attention_->forward(value)) * kBranch : value;
  }

 private:
  std::int64_t copies_;
  std::shared_ptr<GroupNorm> norm1_;
  std::shared_ptr<Convolution> conv1_;
  std::shared_ptr<Linear> shift_;
  std::shared_ptr<GroupNorm> norm2_;
  std::shared_ptr<Convolution> conv2_;
  std::shared_ptr<Convolution> skip_;
  std::shared_ptr<ImageAttention> attention_;
};

class Unet : public Denoiser {
 public:
  Unet(std::int64_t copies, const ImageShape& image, const UnetOptions& options)
      : Denoiser(copies, options.resize), image_(image), width_(options.width) {
    embedding_ = 4 * options.width;
    map1_ = register_module("map1", std::make_shared<Linear>(copies, options.width, embedding_));
    map2_ = register_module("map2", std::make_shared<Linear>(copies, embedding_, embedding_));
    std::int64_t channels = options.width;
    stem_ = register_module("stem", convolution(copies, image.channels, channels));
    build_encoder(options, channels);
    build_decoder(options, channels);
    norm_ =
        register_module("norm", std::make_shared<GroupNorm>(copies, channels, groups_of(channels)));
    output_ = register_module("output", convolution(copies, channels, image.channels, 1, true));
  }

  std::vector<std::string> tap_names() const override { return {"encoder"}; }

  std::vector<std::int64_t> image() const override {
    return {image_.channels, image_.height, image_.width};
  }

 protected:
  torch::Tensor raw(const torch::Tensor& images, const torch::Tensor& noise, Taps* taps) override {
    const torch::Tensor level = embed(noise);
    torch::Tensor value = stem_->forward(to_channels(images));
    std::vector<torch::Tensor> kept{value};
    for (std::size_t index = 0; index < encoder_.size(); ++index) {
      for (const auto& block : encoder_[index]) {
        value = block->forward(value, level);
        kept.push_back(value);
      }
      if (index + 1 == encoder_.size()) break;
      value = down_[index]->forward(value);
      kept.push_back(value);
    }
    value = tap_channels(taps, "encoder", value, copies());
    value = middle2_->forward(middle1_->forward(value, level), level);
    for (std::size_t index = decoder_.size(); index-- > 0;) {
      for (const auto& block : decoder_[index]) {
        value = block->forward(join_channels(value, kept.back(), copies()), level);
        kept.pop_back();
      }
      if (index == 0) break;
      value = torch::upsample_nearest2d(value, {2 * value.size(2), 2 * value.size(3)});
      value = up_[index - 1]->forward(value);
    }
    return to_images(output_->forward(torch::silu(norm_->forward(value))), copies());
  }

 private:
  void build_encoder(const UnetOptions& options, std::int64_t& channels) {
    skips_.push_back(channels);
    std::int64_t side = std::min(image_.height, image_.width);
    for (std::size_t level = 0; level < options.multipliers.size(); ++level) {
      std::vector<std::shared_ptr<UnetBlock>> blocks;
      for (std::int64_t place = 0; place < options.depth; ++place) {
        const std::int64_t out = options.multipliers[level] * options.width;
        blocks.push_back(
            block(fmt::format("encoder{}_{}", level + 1, place + 1), channels, out, side, options));
        channels = out;
        skips_.push_back(channels);
      }
      encoder_.push_back(std::move(blocks));
      if (level + 1 == options.multipliers.size()) break;
      down_.push_back(register_module(fmt::format("down{}", level + 1),
                                      convolution(copies(), channels, channels, 2)));
      skips_.push_back(channels);
      side /= 2;
    }
    lowest_ = side;
  }

  void build_decoder(const UnetOptions& options, std::int64_t& channels) {
    middle1_ = register_module("middle1", std::make_shared<UnetBlock>(copies(), channels, channels,
                                                                      embedding_, options.heads));
    middle2_ = register_module(
        "middle2", std::make_shared<UnetBlock>(copies(), channels, channels, embedding_, 0));
    decoder_.resize(encoder_.size());
    up_.resize(down_.size());
    std::int64_t side = lowest_;
    for (std::size_t level = encoder_.size(); level-- > 0;) {
      // One block more than the encoder's: the last takes what came before the level.
      for (std::int64_t place = 0; place <= options.depth; ++place) {
        const std::int64_t out = options.multipliers[level] * options.width;
        decoder_[level].push_back(block(fmt::format("decoder{}_{}", level + 1, place + 1),
                                        channels + skips_.back(), out, side, options));
        skips_.pop_back();
        channels = out;
      }
      if (level == 0) break;
      up_[level - 1] =
          register_module(fmt::format("up{}", level), convolution(copies(), channels, channels));
      side *= 2;
    }
  }

  std::shared_ptr<UnetBlock> block(const std::string& name, std::int64_t in, std::int64_t out,
                                   std::int64_t side, const UnetOptions& options) {
    const bool attends = std::find(options.attention.begin(), options.attention.end(), side) !=
                         options.attention.end();
    return register_module(name, std::make_shared<UnetBlock>(copies(), in, out, embedding_,
                                                             attends ? options.heads : 0));
  }

  /// Sines and cosines of the noise level at `width` / 2 frequencies from 1 down to 1 / 10,000
  /// (Vaswani et al. 2017), then two linear layers: [k, batch] -> [k, batch, E].
  torch::Tensor embed(const torch::Tensor& noise) const {
    const std::int64_t half = width_ / 2;
    const torch::Tensor exponents = torch::arange(half, noise.options()) /
                                    static_cast<double>(std::max<std::int64_t>(1, half - 1));
    const torch::Tensor angles = noise.unsqueeze(-1) * torch::exp(-std::log(10000.0) * exponents);
    const torch::Tensor waves = torch::cat({angles.cos(), angles.sin()}, -1);
    return torch::silu(map2_->forward(torch::silu(map1_->forward(waves))));
  }

  ImageShape image_;
  std::int64_t width_;
  std::int64_t embedding_ = 0;
  std::int64_t lowest_ = 0;
  std::vector<std::int64_t> skips_;  ///< channels that the decoder still has to take
  std::shared_ptr<Linear> map1_, map2_;
  std::shared_ptr<Convolution> stem_;
  std::vector<std::vector<std::shared_ptr<UnetBlock>>> encoder_, decoder_;
  std::vector<std::shared_ptr<Convolution>> down_, up_;
  std::shared_ptr<UnetBlock> middle1_, middle2_;
  std::shared_ptr<GroupNorm> norm_;
  std::shared_ptr<Convolution> output_;
};

std::int64_t at_least_one(Options& options, const char* key, std::int64_t fallback) {
  const std::int64_t value = options.integer(key, fallback);
  if (value < 1) options.wrong(key, "it must be at least 1");
  return value;
}

void check_attention(Options& options, const UnetOptions& chosen, std::int64_t side) {
  std::vector<std::int64_t> sides;
  for (std::size_t level = 0; level < chosen.multipliers.size(); ++level) {
    sides.push_back(side >> level);
  }
  for (const std::int64_t wanted : chosen.attention) {
    if (std::find(sides.begin(), sides.end(), wanted) != sides.end()) continue;
    std::string known;
    for (const std::int64_t each : sides)
      known += fmt::format("{}{}", known.empty() ? "" : ", ", each);
    options.wrong("attention",
                  fmt::format("no level has a side of {}: the sides are {}", wanted, known));
  }
}

}  // namespace

NetworkPointer unet(Options& options, const Shape& shape, std::int64_t copies) {
  UnetOptions chosen;
  chosen.resize = read_resize(options);
  chosen.width = at_least_one(options, "width", chosen.width);
  if (chosen.width % 4 != 0) options.wrong("width", "it must be a multiple of 4");
  chosen.multipliers = options.integers("multipliers", chosen.multipliers);
  if (chosen.multipliers.empty() ||
      *std::min_element(chosen.multipliers.begin(), chosen.multipliers.end()) < 1 ||
      chosen.multipliers.size() > 8) {
    options.wrong("multipliers", "give one whole number above 0 for each of 1 to 8 levels");
  }
  chosen.depth = at_least_one(options, "depth", chosen.depth);
  chosen.heads = at_least_one(options, "heads", chosen.heads);
  if (chosen.width % chosen.heads != 0) options.wrong("heads", "it must divide width");
  const std::int64_t divisor = std::int64_t{1} << (chosen.multipliers.size() - 1);
  const ImageShape image = image_shape(resized(shape, chosen.resize), "unet", 4);
  if (image.height % divisor != 0 || image.width % divisor != 0) {
    options.wrong("multipliers",
                  fmt::format("{} levels halve the image's side {} times, and {} x {} pixels do "
                              "not allow that: give fewer levels, or resize",
                              chosen.multipliers.size(), chosen.multipliers.size() - 1,
                              image.height, image.width));
  }
  const std::int64_t side = std::min(image.height, image.width);
  chosen.attention = options.integers("attention", {side / divisor});
  check_attention(options, chosen, side);
  return std::make_shared<Unet>(copies, image, chosen);
}

}  // namespace vestige::models
