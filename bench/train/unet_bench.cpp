// Training speed of a U-Net: the lab's loop beside the same network in a plain LibTorch loop
// (torch::nn, torch::optim), noise, averaged weights and all. On a CPU with one thread and by
// processor time, at the sizes of recipes/diffusion.toml (smoke); on CUDA, where there is one, at
// those of its gpu size.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/data/synthetic.h"
#include "vestige/models/denoiser.h"
#include "vestige/train/engine.h"
#include "vestige/train/loop.h"

namespace vestige::train {
namespace {

struct UnetSetting {
  const char* device = "cpu";
  std::int64_t width = 16;
  std::vector<std::int64_t> multipliers = {1, 2};
  std::int64_t depth = 1, side = 16, batch = 25;
  const char* precision = "float32";
  bool channels_last = false;
  /// Of one iteration. On CUDA as many as make the first ones, which are not replayed, few, as they
  /// are in a real training of thousands.
  std::int64_t steps = 4;
};

const double kPlainBranch = std::sqrt(0.5);

data::Dataset unet_images(const UnetSetting& setting) {
  Options options(Json{{"name", "synthetic"},
                       {"rows", setting.batch * setting.steps},
                       {"test_rows", 0},
                       {"height", setting.side},
                       {"width", setting.side}},
                  "bench");
  return data::load_synthetic(options);
}

torch::nn::GroupNorm plain_norm(std::int64_t channels) {
  const std::int64_t wanted = std::max<std::int64_t>(1, std::min<std::int64_t>(32, channels / 4));
  return torch::nn::GroupNorm(torch::nn::GroupNormOptions(std::gcd(channels, wanted), channels));
}

torch::nn::Conv2d plain_convolution(std::int64_t in, std::int64_t out, std::int64_t kernel = 3,
                                    std::int64_t stride = 1) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2));
}

struct PlainUnetBlock : torch::nn::Module {
  torch::nn::GroupNorm norm1{nullptr}, norm2{nullptr}, norm3{nullptr};
  torch::nn::Conv2d conv1{nullptr}, conv2{nullptr}, skip{nullptr}, qkv{nullptr}, project{nullptr};
  torch::nn::Linear shift{nullptr};

  PlainUnetBlock(std::int64_t in, std::int64_t out, std::int64_t embedding, bool attends) {
    norm1 = register_module("norm1", plain_norm(in));
    conv1 = register_module("conv1", plain_convolution(in, out));
    shift = register_module("shift", torch::nn::Linear(embedding, out));
    norm2 = register_module("norm2", plain_norm(out));
    conv2 = register_module("conv2", plain_convolution(out, out));
    if (in != out) skip = register_module("skip", plain_convolution(in, out, 1));
    if (!attends) return;
    norm3 = register_module("norm3", plain_norm(out));
    qkv = register_module("qkv", plain_convolution(out, 3 * out, 1));
    project = register_module("project", plain_convolution(out, out, 1));
  }

  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& level) {
    torch::Tensor value = conv1(torch::silu(norm1(x)));
    value = value + shift(level).unsqueeze(-1).unsqueeze(-1);
    value = (conv2(torch::silu(norm2(value))) + (skip ? skip(x) : x)) * kPlainBranch;
    if (!qkv) return value;
    const std::int64_t channels = value.size(1), places = value.size(2) * value.size(3);
    const auto all = qkv(norm3(value)).reshape({value.size(0), 3, channels, places});
    const auto scores =
        torch::bmm(all.select(1, 0).transpose(1, 2), all.select(1, 1)) / std::sqrt(channels);
    const auto mixed = torch::bmm(all.select(1, 2), torch::softmax(scores, -1).transpose(1, 2));
    return (value + project(mixed.reshape(value.sizes()))) * kPlainBranch;
  }
};

struct PlainUnet : torch::nn::Module {
  using Blocks = std::vector<std::vector<std::shared_ptr<PlainUnetBlock>>>;
  std::int64_t width;
  torch::nn::Linear map1{nullptr}, map2{nullptr};
  torch::nn::Conv2d stem{nullptr}, output{nullptr};
  torch::nn::GroupNorm norm{nullptr};
  Blocks encoder, decoder;
  std::vector<torch::nn::Conv2d> down, up;
  std::shared_ptr<PlainUnetBlock> middle1, middle2;

  explicit PlainUnet(const UnetSetting& setting) : width(setting.width) {
    const std::int64_t embedding = 4 * width;
    const std::size_t levels = setting.multipliers.size();
    const auto block = [&](const std::string& name, std::int64_t in, std::int64_t out,
                           bool attends) {
      return register_module(name, std::make_shared<PlainUnetBlock>(in, out, embedding, attends));
    };
    map1 = register_module("map1", torch::nn::Linear(width, embedding));
    map2 = register_module("map2", torch::nn::Linear(embedding, embedding));
    stem = register_module("stem", plain_convolution(1, width));
    std::int64_t channels = width;
    std::vector<std::int64_t> skips{width};
    encoder.resize(levels);
    decoder.resize(levels);
    for (std::size_t level = 0; level < levels; ++level) {
      const std::int64_t out = setting.multipliers[level] * width;
      for (std::int64_t place = 0; place < setting.depth; ++place) {
        encoder[level].push_back(
            block(fmt::format("encoder{}_{}", level, place), channels, out, level + 1 == levels));
        channels = out;
        skips.push_back(channels);
      }
      if (level + 1 == levels) break;
      down.push_back(register_module(fmt::format("down{}", level),
                                     plain_convolution(channels, channels, 3, 2)));
      skips.push_back(channels);
    }
    middle1 = block("middle1", channels, channels, true);
    middle2 = block("middle2", channels, channels, false);
    for (std::size_t level = levels; level-- > 0;) {
      const std::int64_t out = setting.multipliers[level] * width;
      for (std::int64_t place = 0; place <= setting.depth; ++place) {
        decoder[level].push_back(block(fmt::format("decoder{}_{}", level, place),
                                       channels + skips.back(), out, level + 1 == levels));
        skips.pop_back();
        channels = out;
      }
      if (level == 0) break;
      up.push_back(
          register_module(fmt::format("up{}", level), plain_convolution(channels, channels)));
    }
    norm = register_module("norm", plain_norm(channels));
    output = register_module("output", plain_convolution(channels, 1));
  }

  torch::Tensor forward(const torch::Tensor& images, const torch::Tensor& noise) {
    const std::int64_t half = width / 2;
    const auto exponents = torch::arange(half, noise.options()) /
                           static_cast<double>(std::max<std::int64_t>(1, half - 1));
    const auto angles = noise.unsqueeze(1) * torch::exp(-std::log(10000.0) * exponents);
    const auto level =
        torch::silu(map2(torch::silu(map1(torch::cat({angles.cos(), angles.sin()}, 1)))));
    torch::Tensor value = stem(images);
    std::vector<torch::Tensor> kept{value};
    for (std::size_t index = 0; index < encoder.size(); ++index) {
      for (const auto& block : encoder[index]) kept.push_back(value = block->forward(value, level));
      if (index + 1 < encoder.size()) kept.push_back(value = down[index](value));
    }
    value = middle2->forward(middle1->forward(value, level), level);
    for (std::size_t index = decoder.size(); index-- > 0;) {
      for (const auto& block : decoder[index]) {
        value = block->forward(torch::cat({value, kept.back()}, 1), level);
        kept.pop_back();
      }
      if (index == 0) break;
      value = torch::upsample_nearest2d(value, {2 * value.size(2), 2 * value.size(3)});
      value = up[decoder.size() - 1 - index](value);
    }
    return output(torch::silu(norm(value)));
  }
};

void count_images(benchmark::State& state, const UnetSetting& setting,
                  const std::vector<torch::Tensor>& parameters) {
  std::int64_t weights = 0;
  for (const torch::Tensor& weight : parameters) weights += weight.numel();
  state.counters["images/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * setting.steps * setting.batch),
                         benchmark::Counter::kIsRate);
  state.counters["weights"] = static_cast<double>(weights);
}

void unet_plain(benchmark::State& state, UnetSetting setting) {
  const torch::Device device(setting.device);
  prepare_engine(setting.device, 1, setting.precision);
  const data::Dataset dataset = unet_images(setting);
  const Samples samples(dataset, device);
  Rows rows(static_cast<std::size_t>(setting.batch * setting.steps));
  std::iota(rows.begin(), rows.end(), 0);
  constexpr double kData = models::kSigmaData;
  const torch::Tensor images = samples.batch(rows).inputs[0] * kData;
  PlainUnet network(setting);
  network.to(device);
  const std::vector<torch::Tensor> parameters = network.parameters();
  torch::optim::Adam optimizer(parameters, torch::optim::AdamOptions(1e-3));
  std::vector<torch::Tensor> average;
  for (const torch::Tensor& weight : parameters) average.push_back(weight.detach().clone());
  const auto steps = [&] {
    const torch::Tensor order = torch::randperm(images.size(0), torch::kInt64).to(device);
    for (std::int64_t step = 0; step < setting.steps; ++step) {
      const torch::Tensor batch =
          images.index_select(0, order.narrow(0, step * setting.batch, setting.batch));
      const torch::Tensor sigma = torch::exp(
          models::kLogSigmaMean +
          models::kLogSigmaDeviation * torch::randn({setting.batch, 1, 1, 1}, batch.options()));
      const torch::Tensor noisy = batch + sigma * torch::randn_like(batch);
      const torch::Tensor total = sigma.square() + kData * kData;
      optimizer.zero_grad();
      const torch::Tensor raw = network.forward(noisy / total.sqrt(), sigma.flatten().log() / 4);
      const torch::Tensor answer =
          kData * kData / total * noisy + sigma * kData / total.sqrt() * raw;
      (total / (sigma * kData).square() * (answer - batch).square()).mean().backward();
      optimizer.step();
      const torch::NoGradGuard no_gradient;
      for (std::size_t index = 0; index < average.size(); ++index) {
        average[index].lerp_(parameters[index], 1e-3);
      }
    }
    if (device.is_cuda()) torch::cuda::synchronize();
  };
  steps();
  for (auto _ : state) steps();
  count_images(state, setting, parameters);
}

void unet_lab(benchmark::State& state, UnetSetting setting) {
  const torch::Device device(setting.device);
  prepare_engine(setting.device, 1, setting.precision);
  const data::Dataset dataset = unet_images(setting);
  const Samples samples(dataset, device);
  Options options(Json{{"name", "unet"},
                       {"width", setting.width},
                       {"multipliers", setting.multipliers},
                       {"depth", setting.depth}},
                  "bench");
  const models::NetworkPointer network = models::make(options, {dataset.shape, 10}, 1);
  models::initialise(*network, 0, 1);
  network->to(device);
  if (setting.channels_last) models::keep_channels_last(*network);
  Rows rows(static_cast<std::size_t>(setting.batch * setting.steps));
  std::iota(rows.begin(), rows.end(), 0);
  Phase phase;
  phase.batch = setting.batch;
  phase.optimizer.kind = "adam";
  phase.optimizer.rate = 1e-3;
  phase.average_halflife = 500000;
  Watch watch;
  const auto steps = [&] {
    run_phase(*network, samples, rows, 1, phase, watch);
    if (device.is_cuda()) torch::cuda::synchronize();
  };
  steps();
  for (auto _ : state) steps();
  count_images(state, setting, network->parameters());
}

BENCHMARK_CAPTURE(unet_plain, cpu, UnetSetting{})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(unet_lab, cpu, UnetSetting{})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

/// CUDA cases exist only where there is a device.
const bool kUnetOnCuda = [] {
  if (!torch::cuda::is_available()) return false;
  const auto add = [](const std::string& name, auto function, const UnetSetting& given) {
    benchmark::RegisterBenchmark(name.c_str(), function, given)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  for (const char* precision : {"float32", "tf32", "bf16"}) {
    const bool fast = precision != std::string("float32");
    const UnetSetting setting{"cuda", 32, {1, 2, 4}, 2, 32, 256, precision, fast, 100};
    // A switch gives TF32, but bfloat16 needs autocast: see bench/plain/unet.py.
    if (precision != std::string("bf16")) {
      add(fmt::format("unet_plain/cuda/{}", precision), unet_plain, setting);
    }
    add(fmt::format("unet_lab/cuda/{}", precision), unet_lab, setting);
  }
  return true;
}();

}  // namespace
}  // namespace vestige::train
