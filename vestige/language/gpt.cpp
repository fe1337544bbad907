// A decoder-only transformer: norms before attention and before the inner layer, learnt positions,
// tied embeddings (Radford et al. 2019, without dropout).
#include <torch/version.h>

#include <cmath>

#include "vestige/base/error.h"
#include "vestige/language/network.h"

namespace vestige::language {
namespace {

struct GptOptions {
  std::int64_t width = 128, layers = 4, heads = 4, context = 64;
};

class Gpt : public Network {
 public:
  Gpt(const GptOptions& options, std::int64_t vocabulary, const Engine& engine)
      : options_(options) {
    const std::int64_t width = options.width;
    constexpr double kDeviation = 0.02;
    // What is added to the residual stream is smaller the more blocks add to it.
    const double added = kDeviation / std::sqrt(2.0 * static_cast<double>(options.layers));
    std::vector<Weight> weights = {{"embedding", {vocabulary, width}, kDeviation},
                                   {"positions", {options.context, width}, kDeviation}};
    const auto add_linear = [&](const std::string& name, std::int64_t in, std::int64_t out,
                                double deviation) {
      weights.push_back({name + ".weight", {out, in}, deviation});
      weights.push_back({name + ".bias", {out}});
    };
    const auto add_norm = [&](const std::string& name) {
      weights.push_back({name + ".weight", {width}, 0, 1});
      weights.push_back({name + ".bias", {width}});
    };
    for (std::int64_t block = 0; block < options.layers; ++block) {
      const std::string name = block_name(block);
      add_norm(name + "norm1");
      add_linear(name + "qkv", width, 3 * width, kDeviation);
      add_linear(name + "project", width, width, added);
      add_norm(name + "norm2");
      add_linear(name + "expand", width, 4 * width, kDeviation);
      add_linear(name + "contract", 4 * width, width, added);
    }
    add_norm("norm");
    make(weights, engine.device, engine.bfloat16);
    // 1 above the diagonal: a token sees itself and what came before.
    future_ = torch::ones({options.context, options.context},
                          torch::TensorOptions().dtype(torch::kBool).device(engine.device))
                  .triu(1);
  }

  std::int64_t blocks() const override { return options_.layers; }
  std::int64_t context() const override { return options_.context; }
  std::int64_t window() const override { return options_.context; }

  torch::Tensor states(const torch::Tensor& tokens, std::int64_t blocks) const override {
    const std::int64_t length = tokens.size(1);
    torch::Tensor x = embedded(tokens) + weight("positions").narrow(0, 0, length);
    const torch::Tensor future = future_.narrow(0, 0, length).narrow(1, 0, length);
    const std::int64_t last = blocks < 0 ? options_.layers : blocks;
    for (std::int64_t block = 0; block < last; ++block) {
      const std::string name = block_name(block);
      x = x + attention(norm(x, name + "norm1"), name, future);
      x = x +
          linear(torch::gelu(linear(norm(x, name + "norm2"), name + "expand")), name + "contract");
    }
    return blocks < 0 ? norm(x, "norm") : x;
  }

 private:
  torch::Tensor attention(const torch::Tensor& x, const std::string& name,
                          const torch::Tensor& future) const {
    const std::int64_t size = options_.width / options_.heads;
    // [batch, tokens, 3, heads, size] -> [3, batch, heads, tokens, size]
    const torch::Tensor all = linear(x, name + "qkv")
                                  .view({x.size(0), x.size(1), 3, options_.heads, size})
                                  .permute({2, 0, 3, 1, 4});
    return linear(mixed(all, future).transpose(1, 2).flatten(2), name + "project");
  }

  /// What each token takes from those that it sees: [3, batch, heads, tokens, size] ->
  /// [batch, heads, tokens, size].
  static torch::Tensor mixed(const torch::Tensor& all, const torch::Tensor& future) {
#if TORCH_VERSION_MAJOR >= 2
    // One kernel, which keeps no scores; in float32 there is none that gives the CPU's numbers.
    if (all.is_cuda() && all.scalar_type() == torch::kBFloat16) {
      return at::scaled_dot_product_attention(all[0], all[1], all[2], {}, 0, true);
    }
#endif
    const double scale = 1 / std::sqrt(static_cast<double>(all.size(-1)));
    const torch::Tensor scores =
        torch::matmul(all[0] * scale, all[1].transpose(2, 3)).to(torch::kFloat32);
    const torch::Tensor shares =
        torch::softmax(scores.masked_fill(future, -INFINITY), -1).to(all.scalar_type());
    return torch::matmul(shares, all[2]);
  }

  GptOptions options_;
  torch::Tensor future_;
};

}  // namespace

NetworkPointer gpt(Options& options, std::int64_t vocabulary, const Engine& engine) {
  GptOptions chosen;
  const auto positive = [&](const char* key, std::int64_t fallback) {
    const std::int64_t value = options.integer(key, fallback);
    if (value < 1) options.wrong(key, "it must be at least 1");
    return value;
  };
  chosen.width = positive("width", chosen.width);
  chosen.layers = positive("layers", chosen.layers);
  chosen.heads = positive("heads", chosen.heads);
  chosen.context = positive("context", chosen.context);
  if (chosen.width % chosen.heads != 0) {
    options.wrong("heads", fmt::format("{} heads do not divide width {}: choose a divisor",
                                       chosen.heads, chosen.width));
  }
  return std::make_unique<Gpt>(chosen, vocabulary, engine);
}

}  // namespace vestige::language
