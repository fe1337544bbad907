// A recurrent language model (Hochreiter and Schmidhuber 1997) with tied embeddings: a shadow of
// another kind than the models it is compared with.
#include <torch/version.h>

#include <cmath>

#include "vestige/base/error.h"
#include "vestige/language/network.h"

namespace vestige::language {
namespace {

#if TORCH_VERSION_MAJOR >= 2
struct NoWarnings : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};
#endif

class Lstm : public Network {
 public:
  Lstm(std::int64_t width, std::int64_t layers, std::int64_t window, std::int64_t vocabulary,
       const Engine& engine)
      : width_(width), layers_(layers), window_(window) {
    const double deviation = 1 / std::sqrt(3.0 * static_cast<double>(width));
    std::vector<Weight> weights = {{"embedding", {vocabulary, width}, 0.05}};
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      const std::string name = block_name(layer);
      weights.push_back({name + "input.weight", {4 * width, width}, deviation});
      weights.push_back({name + "state.weight", {4 * width, width}, deviation});
      weights.push_back({name + "input.bias", {4 * width}});
      weights.push_back({name + "state.bias", {4 * width}});
    }
    weights.push_back({"norm.weight", {width}, 0, 1});
    weights.push_back({"norm.bias", {width}});
    make(weights, engine.device, false);
  }

  std::int64_t blocks() const override { return layers_; }
  std::int64_t context() const override { return 0; }
  std::int64_t window() const override { return window_; }

  torch::Tensor states(const torch::Tensor& tokens, std::int64_t blocks) const override {
    const std::int64_t last = blocks < 0 ? layers_ : blocks;
    torch::Tensor x = embedded(tokens);
    if (last == 0) return x;
    std::vector<torch::Tensor> weights;
    for (std::int64_t layer = 0; layer < last; ++layer) {
      const std::string name = block_name(layer);
      for (const char* part : {"input.weight", "state.weight", "input.bias", "state.bias"}) {
        weights.push_back(weight(name + part));
      }
    }
    const torch::Tensor zero = torch::zeros({last, tokens.size(0), width_}, x.options());
#if TORCH_VERSION_MAJOR >= 2
    // cuDNN would like the weights in a piece of memory of their own, and says so at every call.
    NoWarnings quiet;
    const c10::WarningUtils::WarningHandlerGuard guard(&quiet);
#endif
    // cuDNN keeps what a backward pass needs only in training; without dropout nothing else
    // differs.
    const bool training = torch::GradMode::is_enabled();
    x = std::get<0>(torch::lstm(x, {zero, zero}, weights, true, last, 0.0, training, false, true));
    return blocks < 0 ? norm(x, "norm") : x;
  }

 private:
  std::int64_t width_, layers_, window_;
};

}  // namespace

NetworkPointer lstm(Options& options, std::int64_t vocabulary, const Engine& engine) {
  const std::int64_t width = options.integer("width", 128);
  const std::int64_t layers = options.integer("layers", 1);
  const std::int64_t window = options.integer("window", 64);
  if (width < 1) options.wrong("width", "it must be at least 1");
  if (layers < 1) options.wrong("layers", "it must be at least 1");
  if (window < 1) options.wrong("window", "it must be at least 1");
  return std::make_unique<Lstm>(width, layers, window, vocabulary, engine);
}

}  // namespace vestige::language
