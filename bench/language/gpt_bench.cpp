// Training speed of the language lab's GPT beside the same network in a plain LibTorch loop
// (torch::nn, torch::optim). On a CPU with one thread and by processor time, at the sizes of
// recipes/language.toml (smoke); on CUDA, where there is one, at those of its gpu size.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>

#include "vestige/base/seed.h"
#include "vestige/language/loop.h"
#include "vestige/train/engine.h"

namespace vestige::language {
namespace {

struct GptSetting {
  const char* device = "cpu";
  std::int64_t width = 64, layers = 3, heads = 4, tokens = 96, vocabulary = 768, batch = 24;
  bool bfloat16 = false;
};

constexpr std::int64_t kSteps = 8;  ///< of one iteration

/// As much running text as one iteration takes.
std::vector<Sequence> random_windows(const GptSetting& setting) {
  std::vector<Sequence> windows(static_cast<std::size_t>(setting.batch * kSteps));
  Stream stream(1, "bench/windows");
  for (Sequence& window : windows) {
    for (std::int64_t place = 0; place <= setting.tokens; ++place) {
      window.tokens.push_back(
          static_cast<int>(stream.below(static_cast<std::uint64_t>(setting.vocabulary))));
    }
  }
  return windows;
}

struct PlainBlock : torch::nn::Module {
  torch::nn::LayerNorm norm1{nullptr}, norm2{nullptr};
  torch::nn::Linear qkv{nullptr}, project{nullptr}, expand{nullptr}, contract{nullptr};
  std::int64_t heads;

  PlainBlock(std::int64_t width, std::int64_t heads_) : heads(heads_) {
    norm1 = register_module("norm1", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
    norm2 = register_module("norm2", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
    qkv = register_module("qkv", torch::nn::Linear(width, 3 * width));
    project = register_module("project", torch::nn::Linear(width, width));
    expand = register_module("expand", torch::nn::Linear(width, 4 * width));
    contract = register_module("contract", torch::nn::Linear(4 * width, width));
  }

  torch::Tensor forward(torch::Tensor x, const torch::Tensor& future) {
    const std::int64_t size = x.size(2) / heads;
    const auto all =
        qkv(norm1(x)).view({x.size(0), x.size(1), 3, heads, size}).permute({2, 0, 3, 1, 4});
    const auto scores = torch::matmul(all[0], all[1].transpose(2, 3)) / std::sqrt(size);
    const auto shares = torch::softmax(scores.masked_fill(future, -INFINITY), -1);
    x = x + project(torch::matmul(shares, all[2]).transpose(1, 2).flatten(2));
    return x + contract(torch::gelu(expand(norm2(x))));
  }
};

/// Tied embeddings, as a tutorial would write them.
struct PlainGpt : torch::nn::Module {
  torch::nn::Embedding embedding{nullptr}, positions{nullptr};
  std::vector<std::shared_ptr<PlainBlock>> blocks;
  torch::nn::LayerNorm norm{nullptr};

  explicit PlainGpt(const GptSetting& setting) {
    embedding =
        register_module("embedding", torch::nn::Embedding(setting.vocabulary, setting.width));
    positions = register_module("positions", torch::nn::Embedding(setting.tokens, setting.width));
    for (std::int64_t index = 0; index < setting.layers; ++index) {
      blocks.push_back(register_module(fmt::format("block{}", index),
                                       std::make_shared<PlainBlock>(setting.width, setting.heads)));
    }
    norm =
        register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({setting.width})));
    const torch::NoGradGuard no_gradient;
    for (torch::Tensor& weight : parameters()) {
      if (weight.dim() > 1) weight.normal_(0, 0.02);
    }
  }

  torch::Tensor forward(const torch::Tensor& tokens) {
    const std::int64_t length = tokens.size(1);
    const auto future = torch::ones({length, length}, tokens.options().dtype(torch::kBool)).triu(1);
    torch::Tensor x = embedding(tokens) + positions->weight.narrow(0, 0, length);
    for (const auto& block : blocks) x = block->forward(x, future);
    return torch::matmul(norm(x), embedding->weight.t());
  }
};

void count_sequences(benchmark::State& state, const GptSetting& setting, std::int64_t weights) {
  state.counters["sequences/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * kSteps * setting.batch),
                         benchmark::Counter::kIsRate);
  state.counters["weights"] = static_cast<double>(weights);
}

void gpt_plain(benchmark::State& state, GptSetting setting) {
  const torch::Device device(setting.device);
  train::prepare_engine(setting.device, 1);
  const std::vector<Sequence> windows = random_windows(setting);
  PlainGpt network(setting);
  network.to(device);
  std::vector<torch::Tensor> matrices, others;
  std::int64_t weights = 0;
  for (const torch::Tensor& weight : network.parameters()) {
    (weight.dim() > 1 ? matrices : others).push_back(weight);
    weights += weight.numel();
  }
  using torch::optim::AdamWOptions;
  const auto options = [](double decay) {
    return std::make_unique<AdamWOptions>(
        AdamWOptions(1e-3).betas(std::make_tuple(0.9, 0.95)).weight_decay(decay));
  };
  torch::optim::AdamW optimizer(
      std::vector<torch::optim::OptimizerParamGroup>{{matrices, options(0.01)},
                                                     {others, options(0)}},
      AdamWOptions(1e-3));
  Batches batches(windows, setting.batch, 1, "bench", device);
  const auto steps = [&] {
    for (std::int64_t step = 0; step < kSteps; ++step) {
      const Batch batch = batches.next();
      optimizer.zero_grad();
      torch::nn::functional::cross_entropy(network.forward(batch.inputs).flatten(0, 1),
                                           batch.targets.flatten())
          .backward();
      torch::nn::utils::clip_grad_norm_(network.parameters(), 1.0);
      optimizer.step();
    }
    if (device.is_cuda()) torch::cuda::synchronize();
  };
  steps();
  for (auto _ : state) steps();
  count_sequences(state, setting, weights);
}

void gpt_lab(benchmark::State& state, GptSetting setting) {
  const torch::Device device(setting.device);
  train::prepare_engine(setting.device, 1);
  const std::vector<Sequence> windows = random_windows(setting);
  const Json model = {{"name", "gpt"},
                      {"width", setting.width},
                      {"layers", setting.layers},
                      {"heads", setting.heads},
                      {"context", setting.tokens}};
  const NetworkPointer network =
      make_network(model, setting.vocabulary, {.device = device, .bfloat16 = setting.bfloat16});
  network->initialise(1);
  Watch watch;
  const auto steps = [&] {
    fit(*network, windows, {.steps = kSteps, .batch = setting.batch}, 1, "bench", watch);
    if (device.is_cuda()) torch::cuda::synchronize();
  };
  steps();
  for (auto _ : state) steps();
  count_sequences(state, setting, network->values().size(0));
}

BENCHMARK_CAPTURE(gpt_plain, cpu, GptSetting{})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(gpt_lab, cpu, GptSetting{})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

/// CUDA cases exist only where there is a device.
const bool kGptOnCuda = [] {
  if (!torch::cuda::is_available()) return false;
  GptSetting setting{"cuda", 384, 8, 6, 256, 4096, 128, false};
  const auto add = [](const std::string& name, auto function, const GptSetting& given) {
    benchmark::RegisterBenchmark(name.c_str(), function, given)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  add("gpt_plain/cuda/float32", gpt_plain, setting);
  add("gpt_lab/cuda/float32", gpt_lab, setting);
  setting.bfloat16 = true;
  add("gpt_lab/cuda/bf16", gpt_lab, setting);
  return true;
}();

}  // namespace
}  // namespace vestige::language
