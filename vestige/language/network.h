// Language models: numbers of tokens in, scores of the next token out. All weights lie one after
// the other in one tensor, and so do their gradients: an optimiser's step is a handful of
// operations.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/options.h"
#include "vestige/models/torch.h"

namespace vestige::language {

/// One weight as a network declares it.
struct Weight {
  std::string name;
  std::vector<std::int64_t> sizes;
  double deviation = 0;  ///< of the normal distribution it begins with; 0: it is `constant`
  double constant = 0;
};

class Network {
 public:
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// States [batch, tokens, width] of tokens [batch, tokens] after `blocks` blocks; all of them,
  /// with the last norm, if it is negative.
  virtual torch::Tensor states(const torch::Tensor& tokens, std::int64_t blocks = -1) const = 0;
  virtual std::int64_t blocks() const = 0;
  /// Most tokens of a sequence; 0: any.
  virtual std::int64_t context() const = 0;
  /// Tokens of a window of running text that it is pretrained on.
  virtual std::int64_t window() const = 0;
  /// Weights that block `block` (from 0) holds begin with this.
  static std::string block_name(std::int64_t block) {
    return "block" + std::to_string(block) + ".";
  }

  /// Scores [batch, tokens, vocabulary], float32. The embedding is also the output (tied).
  torch::Tensor logits(const torch::Tensor& tokens) const;

  /// Draws every weight from Stream(seed, "language/weights/NAME").
  void initialise(std::uint64_t seed);
  std::string save() const;
  /// InputError names `source` and the tensor that does not fit.
  void load(std::string_view bytes, std::string_view source);
  void copy_from(const Network& other);

  /// All weights and all gradients, [parameters]; the first `decayed()` are those of matrices.
  torch::Tensor& values() { return values_; }
  const torch::Tensor& values() const { return values_; }
  torch::Tensor& gradients() { return gradients_; }
  std::int64_t decayed() const { return decayed_; }
  /// 1 where a weight's name begins with one of these, else 0, [parameters].
  torch::Tensor mask(const std::vector<std::string>& beginnings) const;
  /// Names and shapes.
  const std::map<std::string, torch::Tensor>& weights() const { return weights_; }

 protected:
  Network() = default;
  /// To be called once by the constructor: makes all weights. Matrices are those with two
  /// dimensions.
  void make(const std::vector<Weight>& weights, torch::Device device, bool bfloat16);
  const torch::Tensor& weight(const std::string& name) const { return weights_.at(name); }
  /// x W^T + b; in bfloat16 if the engine says so.
  torch::Tensor linear(const torch::Tensor& x, const std::string& name) const;
  torch::Tensor norm(const torch::Tensor& x, const std::string& name) const;
  torch::Tensor embedded(const torch::Tensor& tokens) const;
  bool bfloat16() const { return bfloat16_; }

 private:
  struct Place {
    Weight weight;
    std::int64_t first = 0, size = 0;
  };
  std::vector<Place> places_;
  std::map<std::string, torch::Tensor> weights_;
  torch::Tensor values_, gradients_;
  std::int64_t decayed_ = 0;
  bool bfloat16_ = false;
};

using NetworkPointer = std::unique_ptr<Network>;

/// Where and how a network computes.
struct Engine {
  torch::Device device = torch::kCPU;
  bool bfloat16 = false;
};

/// The network that [model] names, its weights not set. InputError for unknown names and options.
NetworkPointer make_network(const Json& model, std::int64_t vocabulary, const Engine& engine);

/// A pre-norm transformer with learnt positions: width, layers, heads, context.
NetworkPointer gpt(Options& options, std::int64_t vocabulary, const Engine& engine);
/// A recurrent network: width, layers, window; it sees any number of tokens.
NetworkPointer lstm(Options& options, std::int64_t vocabulary, const Engine& engine);

}  // namespace vestige::language
