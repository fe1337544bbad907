// Linear layers with relu or tanh between them.
#include "vestige/models/mlp.h"

#include "vestige/models/layers.h"

namespace vestige::models {
namespace {

class Mlp : public Network {
 public:
  Mlp(std::int64_t copies, std::int64_t columns, const std::vector<std::int64_t>& widths,
      std::int64_t classes, bool tanh)
      : Network(copies), tanh_(tanh) {
    for (const std::int64_t width : widths) {
      const std::string name = "hidden" + std::to_string(hidden_.size() + 1);
      hidden_.push_back(register_module(name, std::make_shared<Linear>(copies, columns, width)));
      columns = width;
    }
    output_ = register_module("output", std::make_shared<Linear>(copies, columns, classes));
  }

  torch::Tensor forward(const torch::Tensor& inputs, Taps* taps) override {
    torch::Tensor value = inputs.dim() > 3 ? inputs.flatten(2) : inputs;
    for (std::size_t place = 0; place < hidden_.size(); ++place) {
      value = hidden_[place]->forward(value);
      value = tanh_ ? torch::tanh(value) : torch::relu(value);
      value = tap(taps, "hidden" + std::to_string(place + 1), value);
    }
    value = tap(taps, "penultimate", value);
    return tap(taps, "logits", output_->forward(value));
  }

  std::vector<std::string> tap_names() const override {
    std::vector<std::string> names;
    for (std::size_t place = 0; place < hidden_.size(); ++place) {
      names.push_back("hidden" + std::to_string(place + 1));
    }
    names.insert(names.end(), {"penultimate", "logits"});
    return names;
  }

 private:
  bool tanh_;
  std::vector<std::shared_ptr<Linear>> hidden_;
  std::shared_ptr<Linear> output_;
};

}  // namespace

NetworkPointer mlp(Options& options, const Shape& shape, std::int64_t copies) {
  const std::vector<std::int64_t> widths = options.integers("widths", {1024, 512, 256, 128});
  for (const std::int64_t width : widths) {
    if (width < 1) options.wrong("widths", "every width must be at least 1");
  }
  const bool tanh = options.choice("activation", "relu", {"relu", "tanh"}) == "tanh";
  std::int64_t columns = 1;
  for (const std::int64_t size : shape.input) columns *= size;
  return std::make_shared<Mlp>(copies, columns, widths, shape.classes, tanh);
}

}  // namespace vestige::models
