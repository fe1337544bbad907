// A network of k copies of one architecture in one graph (k = 1: an ordinary model): every
// parameter and buffer has a leading dimension k, so that pools of small models fill a machine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "vestige/base/options.h"
#include "vestige/models/torch.h"

namespace vestige::models {

/// Which inner values a forward pass should keep, and those values. Shapes: [k, batch, ...].
struct Taps {
  std::set<std::string> wanted;
  std::map<std::string, torch::Tensor> values;
};

/// What an architecture is built for.
struct Shape {
  std::vector<std::int64_t> input;  ///< {channels, height, width} or {columns}
  std::int64_t classes = 0;
};

/// The base of all architectures.
class Network : public torch::nn::Module {
 public:
  explicit Network(std::int64_t copies) : copies_(copies) {}
  std::int64_t copies() const { return copies_; }

  /// inputs [k, batch, input...] -> logits [k, batch, classes].
  virtual torch::Tensor forward(const torch::Tensor& inputs, Taps* taps = nullptr) = 0;

  /// In the order of the data flow; classifiers always have "penultimate" and "logits".
  virtual std::vector<std::string> tap_names() const = 0;

  /// A file of weights that `initialise` lays over the drawn ones, and the architecture's name,
  /// which says how the file calls its tensors (pretrained.h); empty: none.
  struct Weights {
    std::string architecture;
    std::string file;
  };
  const Weights& weights() const { return weights_; }
  void begin_with(Weights weights) { weights_ = std::move(weights); }

 private:
  std::int64_t copies_;
  Weights weights_;
};

using NetworkPointer = std::shared_ptr<Network>;

/// An uninitialised network of `copies` copies of the architecture that `[model]` names;
/// unknown names and keys are InputErrors with the nearest known one. Keys: `name` (default
/// small_cnn), `weights` (a .safetensors file to begin with) and those of the architecture
/// (docs/lab/models.md).
NetworkPointer make(Options& options, const Shape& shape, std::int64_t copies = 1);

/// Draws the weights of copy `copy` from the stream (seed, "init/" + parameter name): the same for
/// any number of copies, on any device, with any LibTorch. PyTorch's default distributions
/// (uniform within 1/sqrt(fan in) for linear and convolution; ones and zeros for norms) unless the
/// architecture says otherwise. Where the network begins with a file's weights, those of the file
/// come on top.
void initialise(Network& network, std::int64_t copy, std::uint64_t seed);

/// Lays the channels of every convolution's weights together: with TF32 and bfloat16 CUDA's
/// convolutions are faster so. cuDNN takes the form from the weights, and what follows keeps it;
/// values stay the same.
void keep_channels_last(Network& network);

/// Parameters of one copy; buffers (running statistics) not counted.
std::int64_t parameter_count(const Network& network);

/// Names of all classifiers with one line each.
struct ArchitectureInfo {
  std::string name;
  std::string summary;
};
const std::vector<ArchitectureInfo>& architectures();

/// The same of networks that take noise away (denoiser.h).
const std::vector<ArchitectureInfo>& denoisers();

/// Names among `wanted` that the network does not have are InputErrors with the nearest known one.
void check_taps(const Network& network, const std::set<std::string>& wanted);

// What architectures are written with.

/// Keeps `value` [k, batch, ...] if it is wanted, and returns it. The network goes on with what is
/// returned, so that a kept value is on the path to the logits and has a gradient (Grad-CAM).
torch::Tensor tap(Taps* taps, const std::string& name, const torch::Tensor& value);

/// The same for channels [batch, k * C, H, W], kept as [k, batch, C, H, W].
torch::Tensor tap_channels(Taps* taps, const std::string& name, const torch::Tensor& channels,
                           std::int64_t copies);

struct ImageShape {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// `[model] resize`, 0 if it is not given.
std::int64_t read_resize(Options& options, std::int64_t fallback = 0);

/// The shape of images that are brought to `side` x `side` pixels; 0: as they are.
Shape resized(const Shape& shape, std::int64_t side);

/// The input as an image; an InputError if it is a table row or smaller than `least` pixels.
ImageShape image_shape(const Shape& shape, const std::string& architecture, std::int64_t least);

}  // namespace vestige::models
