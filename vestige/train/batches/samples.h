// A data set as tensors on a device, and batches of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vestige/base/seed.h"
#include "vestige/data/dataset.h"
#include "vestige/models/torch.h"

namespace vestige::train {

using Rows = std::vector<std::int64_t>;

/// One batch for k copies: inputs [k, b, ...] normalised, labels [k, b], rows [k, b].
struct Batch {
  torch::Tensor inputs;
  torch::Tensor labels;
  torch::Tensor rows;
};

/// The whole set on one device; bytes stay bytes until a batch is drawn.
class Samples {
 public:
  Samples(const data::Dataset& dataset, torch::Device device);

  /// rows: int64 [k, b] on the device.
  Batch batch(const torch::Tensor& rows) const;
  /// One copy: rows [b] become [1, b].
  Batch batch(std::span<const std::int64_t> rows) const;

  /// Row numbers as a tensor on the device.
  torch::Tensor index(std::span<const std::int64_t> rows) const;
  const torch::Tensor& labels() const { return labels_; }
  torch::Device device() const { return labels_.device(); }
  std::int64_t classes() const { return classes_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }

  /// Rows per class among `rows`, float [classes], on the device.
  torch::Tensor class_counts(std::span<const std::int64_t> rows) const;

 private:
  torch::Tensor inputs_;           ///< [n, ...], uint8 or float
  torch::Tensor labels_;           ///< [n], int64
  torch::Tensor factor_, offset_;  ///< normalised = inputs * factor + offset, per channel
  std::vector<std::int64_t> shape_;
  std::int64_t classes_;
  std::int64_t held_rows_;  ///< of Dataset
};

/// Endless batches of one set of rows for one copy: shuffled anew each round.
class Cycle {
 public:
  Cycle(const Samples& samples, Rows rows, std::int64_t batch, std::uint64_t seed,
        std::string purpose);
  Batch next();
  std::int64_t steps_per_round() const;

 private:
  const Samples& samples_;
  Rows rows_;
  std::int64_t batch_;
  std::uint64_t seed_;
  std::string purpose_;
  std::uint64_t round_ = 0;
  std::size_t position_ = 0;
  Rows order_;
};

/// `rows` in the order of round `round`: the same for a model whoever its companions are.
Rows shuffled(std::span<const std::int64_t> rows, std::uint64_t seed, std::string_view purpose,
              std::uint64_t round);

/// Standard normal numbers of the given sizes from `stream`, on `device`.
torch::Tensor normal_tensor(at::IntArrayRef sizes, Stream& stream, torch::Device device);

/// "cpu" or "cuda"; InputError where there is no such device.
torch::Device device_named(const std::string& name);

}  // namespace vestige::train
