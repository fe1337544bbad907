// Batches: gather rows, scale to [0, 1], normalise per channel.
#include "vestige/train/batches/samples.h"

#include <algorithm>

#include "vestige/base/error.h"
#include "vestige/pool/device_trouble.h"

namespace vestige::train {

Samples::Samples(const data::Dataset& dataset, torch::Device device)
    : shape_(dataset.shape),
      classes_(dataset.classes),
      held_rows_(static_cast<std::int64_t>(dataset.held_rows)) {
  std::vector<std::int64_t> sizes{static_cast<std::int64_t>(dataset.input_rows())};
  sizes.insert(sizes.end(), shape_.begin(), shape_.end());
  const bool bytes = !dataset.bytes.empty();
  // from_blob wants a mutable pointer; clone() copies at once, so that nothing is written to.
  void* data = bytes ? static_cast<void*>(const_cast<std::uint8_t*>(dataset.bytes.data()))
                     : static_cast<void*>(const_cast<float*>(dataset.values.data()));
  inputs_ =
      torch::from_blob(data, sizes, bytes ? torch::kUInt8 : torch::kFloat32).clone().to(device);
  labels_ = torch::tensor(dataset.labels, torch::kInt64).to(device);
  std::vector<float> factor, offset;
  for (std::size_t channel = 0; channel < dataset.mean.size(); ++channel) {
    factor.push_back((bytes ? 1.0F / 255.0F : 1.0F) / dataset.deviation[channel]);
    offset.push_back(-dataset.mean[channel] / dataset.deviation[channel]);
  }
  std::vector<std::int64_t> per_channel(shape_.size(), 1);
  per_channel[0] = static_cast<std::int64_t>(factor.size());
  factor_ = torch::tensor(factor).view(per_channel).to(device);
  offset_ = torch::tensor(offset).view(per_channel).to(device);
}

Batch Samples::batch(const torch::Tensor& rows) const {
  const torch::Tensor flat = rows.reshape({-1});
  std::vector<std::int64_t> sizes{rows.size(0), rows.size(1)};
  sizes.insert(sizes.end(), shape_.begin(), shape_.end());
  const torch::Tensor held = held_rows_ > 0 ? flat.remainder(held_rows_) : flat;
  torch::Tensor inputs = inputs_.index_select(0, held).to(torch::kFloat32);
  inputs = inputs.mul_(factor_).add_(offset_).view(sizes);
  return {inputs, labels_.index_select(0, flat).view({rows.size(0), rows.size(1)}), rows};
}

Batch Samples::batch(std::span<const std::int64_t> rows) const {
  return batch(index(rows).unsqueeze(0));
}

torch::Tensor Samples::index(std::span<const std::int64_t> rows) const {
  torch::Tensor result = torch::empty({static_cast<std::int64_t>(rows.size())}, torch::kInt64);
  std::copy(rows.begin(), rows.end(), result.data_ptr<std::int64_t>());
  return result.to(device());
}

torch::Tensor Samples::class_counts(std::span<const std::int64_t> rows) const {
  return torch::bincount(labels_.index_select(0, index(rows)), {}, classes_).to(torch::kFloat32);
}

Cycle::Cycle(const Samples& samples, Rows rows, std::int64_t batch, std::uint64_t seed,
             std::string purpose)
    : samples_(samples),
      rows_(std::move(rows)),
      batch_(batch),
      seed_(seed),
      purpose_(std::move(purpose)) {
  require(!rows_.empty(), "there are no rows to draw batches of {} from: check the split",
          purpose_);
}

Batch Cycle::next() {
  if (position_ >= order_.size()) {
    order_ = shuffled(rows_, seed_, purpose_, round_++);
    position_ = 0;
  }
  const std::size_t count = std::min(static_cast<std::size_t>(batch_), order_.size() - position_);
  const Batch result = samples_.batch(std::span(order_).subspan(position_, count));
  position_ += count;
  return result;
}

std::int64_t Cycle::steps_per_round() const {
  return (static_cast<std::int64_t>(rows_.size()) + batch_ - 1) / batch_;
}

Rows shuffled(std::span<const std::int64_t> rows, std::uint64_t seed, std::string_view purpose,
              std::uint64_t round) {
  Rows order(rows.begin(), rows.end());
  Stream stream(seed, purpose, round);
  stream.shuffle(std::span(order));
  return order;
}

torch::Tensor normal_tensor(at::IntArrayRef sizes, Stream& stream, torch::Device device) {
  torch::Tensor result = torch::empty(sizes, torch::kFloat32);
  float* values = result.data_ptr<float>();
  for (std::int64_t index = 0; index < result.numel(); ++index) {
    values[index] = static_cast<float>(stream.normal());
  }
  return result.to(device);
}

namespace {

/// Why LibTorch shows no device, where it says more than that: a driver that is too old.
std::string no_device_text() {
  try {
    (void)torch::empty({1}, torch::Device("cuda"));
  } catch (const std::exception& error) {
    if (const auto trouble = pool::device_trouble(error.what())) return *trouble;
  }
  return "there is no CUDA device (or LibTorch was built without CUDA): use --device cpu";
}

}  // namespace

torch::Device device_named(const std::string& name) {
  require(name == "cpu" || name == "cuda", "the device '{}' is not known: use cpu or cuda", name);
  if (name != "cpu" && !torch::cuda::is_available()) throw InputError(no_device_text());
  return torch::Device(name);
}

}  // namespace vestige::train
