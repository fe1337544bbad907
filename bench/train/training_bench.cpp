// Training speed: the lab's loop beside a plain LibTorch loop of the same network, and k models in
// one graph beside one. Images per second; on a CPU with one thread, on CUDA where there is one.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <numeric>

#include "vestige/data/synthetic.h"
#include "vestige/train/engine.h"
#include "vestige/train/loop.h"

namespace vestige::train {
namespace {

constexpr std::int64_t kRows = 2560;
constexpr std::int64_t kBatch = 128;

const data::Dataset& images() {
  static const data::Dataset kDataset = [] {
    Options options(Json{{"name", "synthetic"},
                         {"rows", kRows},
                         {"test_rows", 0},
                         {"height", 28},
                         {"width", 28}},
                    "bench");
    return data::load_synthetic(options);
  }();
  return kDataset;
}

Rows all_rows() {
  Rows rows(kRows);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// The same network with torch::nn and torch::optim, as a tutorial would write it.
struct PlainNet : torch::nn::Module {
  torch::nn::Conv2d conv1{nullptr}, conv2{nullptr};
  torch::nn::Linear linear1{nullptr}, linear2{nullptr};
  PlainNet() {
    conv1 =
        register_module("conv1", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 16, 3).padding(1)));
    conv2 =
        register_module("conv2", torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 32, 3).padding(1)));
    linear1 = register_module("linear1", torch::nn::Linear(32 * 7 * 7, 128));
    linear2 = register_module("linear2", torch::nn::Linear(128, 10));
  }
  torch::Tensor forward(torch::Tensor value) {
    value = torch::max_pool2d(torch::relu(conv1(value)), 2);
    value = torch::max_pool2d(torch::relu(conv2(value)), 2).flatten(1);
    return linear2(torch::relu(linear1(value)));
  }
};

void plain_loop(benchmark::State& state, const char* device_name) {
  const torch::Device device(device_name);
  prepare_engine(device_name, 1);
  torch::Tensor bytes = torch::from_blob(const_cast<std::uint8_t*>(images().bytes.data()),
                                         {kRows, 1, 28, 28}, torch::kUInt8)
                            .to(device);
  const torch::Tensor inputs =
      bytes.to(torch::kFloat32).div_(255).sub_(images().mean[0]).div_(images().deviation[0]);
  const torch::Tensor labels = torch::tensor(images().labels, torch::kInt64).to(device);
  PlainNet network;
  network.to(device);
  torch::optim::SGD optimizer(network.parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
  const auto epoch = [&] {
    const torch::Tensor order = torch::randperm(kRows, torch::kInt64).to(device);
    for (std::int64_t first = 0; first < kRows; first += kBatch) {
      const torch::Tensor rows = order.narrow(0, first, kBatch);
      optimizer.zero_grad();
      torch::nn::functional::cross_entropy(network.forward(inputs.index_select(0, rows)),
                                           labels.index_select(0, rows))
          .backward();
      optimizer.step();
    }
    if (device.is_cuda()) torch::cuda::synchronize();
  };
  epoch();
  for (auto _ : state) epoch();
  state.counters["images/s"] = benchmark::Counter(static_cast<double>(state.iterations() * kRows),
                                                  benchmark::Counter::kIsRate);
}

/// One setting of the lab's loop.
struct Setting {
  const char* device;
  const char* model = "small_cnn";
  const char* precision = "float32";
  std::int64_t batch = kBatch;
  double epochs = 1;  ///< in one call: recording a step pays after some
  bool channels_last = false;
};

models::NetworkPointer network_for(const Setting& setting, std::int64_t copies) {
  Json model = {{"name", setting.model}};
  if (setting.model == std::string("resnet18")) model["resize"] = 32;
  Options options(model, "bench");
  models::NetworkPointer network = models::make(options, {images().shape, 10}, copies);
  for (std::int64_t copy = 0; copy < copies; ++copy) {
    models::initialise(*network, copy, static_cast<std::uint64_t>(copy));
  }
  network->to(torch::Device(setting.device));
  return network;
}

/// The same network as the lab's in a loop as a tutorial would write it; in the setting's precision
/// as far as a switch gives it (TF32).
void plain_network_loop(benchmark::State& state, Setting setting) {
  const torch::Device device(setting.device);
  prepare_engine(setting.device, 1, setting.precision);
  const Samples samples(images(), device);
  const models::NetworkPointer network = network_for(setting, 1);
  torch::optim::SGD optimizer(network->parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
  const Objective objective = cross_entropy();
  const auto epoch = [&] {
    const torch::Tensor order = torch::randperm(kRows, torch::kInt64).to(device).unsqueeze(0);
    for (std::int64_t first = 0; first < kRows; first += setting.batch) {
      optimizer.zero_grad();
      objective(*network, samples.batch(order.narrow(1, first, setting.batch)), {})
          .each.sum()
          .backward();
      optimizer.step();
    }
    if (device.is_cuda()) torch::cuda::synchronize();
  };
  epoch();
  for (auto _ : state) epoch();
  state.counters["images/s"] = benchmark::Counter(static_cast<double>(state.iterations() * kRows),
                                                  benchmark::Counter::kIsRate);
}

void lab_loop(benchmark::State& state, Setting setting) {
  const std::int64_t copies = state.range(0);
  prepare_engine(setting.device, 1, setting.precision);
  const torch::Device device(setting.device);
  const Samples samples(images(), device);
  const models::NetworkPointer network = network_for(setting, copies);
  if (setting.channels_last) {
    models::keep_channels_last(*network);
  }
  std::vector<std::uint64_t> seeds(static_cast<std::size_t>(copies));
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{0});
  const std::vector<Rows> rows(static_cast<std::size_t>(copies), all_rows());
  Phase phase;
  phase.batch = setting.batch;
  phase.epochs = setting.epochs;
  phase.optimizer.momentum = 0.9;
  Watch watch;
  run_phase(*network, samples, rows, seeds, phase, watch);  // cuDNN tries its algorithms once
  for (auto _ : state) {
    run_phase(*network, samples, rows, seeds, phase, watch);
    if (device.is_cuda()) torch::cuda::synchronize();
  }
  state.counters["images/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * kRows * copies) * setting.epochs,
                         benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(plain_loop, cpu, "cpu")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(lab_loop, cpu, Setting{"cpu"})
    ->Arg(1)
    ->Arg(4)
    ->Arg(16)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// CUDA cases exist only where there is a device.
const bool kWithCuda = [] {
  if (!torch::cuda::is_available()) return false;
  const auto add = [](const std::string& name, auto function, auto argument) {
    return benchmark::RegisterBenchmark(name.c_str(), function, argument)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  add("plain_loop/cuda", plain_loop, "cuda");
  for (const char* precision : {"float32", "tf32", "bf16"}) {
    const bool fast = precision != std::string("float32");
    Setting setting{"cuda", "small_cnn", precision, kBatch, fast ? 80.0 : 20.0, fast};
    add(fmt::format("lab_loop/cuda/small_cnn/{}", precision), lab_loop, setting)->Arg(1);
    setting.epochs = 20;
    for (const bool channels_last : {false, true}) {
      setting.channels_last = channels_last;
      add(fmt::format("lab_loop/cuda/small_cnn/{}/{}", precision,
                      channels_last ? "channels_last" : "channels_first"),
          lab_loop, setting)
          ->Arg(64);
    }
    setting.model = "resnet18";
    setting.channels_last = fast;
    if (setting.precision != std::string("bf16")) {
      add(fmt::format("plain_loop/cuda/resnet18/{}", precision), plain_network_loop, setting);
    }
    setting.epochs = fast ? 80 : 10;
    add(fmt::format("lab_loop/cuda/resnet18/{}", precision), lab_loop, setting)->Arg(1);
    setting.batch = 512;
    if (fast) {
      add(fmt::format("lab_loop/cuda/resnet18/{}/batch512", precision), lab_loop, setting)->Arg(1);
    }
  }
  return true;
}();

}  // namespace
}  // namespace vestige::train
