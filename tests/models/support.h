// What the tests of networks share: small inputs and networks by name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "vestige/base/seed.h"
#include "vestige/models/network.h"

namespace vestige::models::testing {

inline const Shape kTinyImages{.input = {3, 32, 32}, .classes = 10};

/// The architecture `name` with `settings` besides, weights drawn from `seeds`, one per copy.
inline NetworkPointer network(const std::string& name, const std::vector<std::uint64_t>& seeds,
                              const Shape& shape = kTinyImages, Json settings = Json::object()) {
  settings["name"] = name;
  Options options(std::move(settings), "test.toml: [model]");
  NetworkPointer result = make(options, shape, static_cast<std::int64_t>(seeds.size()));
  for (std::size_t copy = 0; copy < seeds.size(); ++copy) {
    initialise(*result, static_cast<std::int64_t>(copy), seeds[copy]);
  }
  return result;
}

/// [k, batch, input...], uniform in [-1, 1).
inline torch::Tensor inputs(std::int64_t copies, std::int64_t batch,
                            const Shape& shape = kTinyImages) {
  std::vector<std::int64_t> sizes{copies, batch};
  sizes.insert(sizes.end(), shape.input.begin(), shape.input.end());
  torch::Tensor values = torch::empty(sizes, torch::kFloat32);
  Stream stream(7, "test inputs");
  for (std::int64_t place = 0; place < values.numel(); ++place) {
    values.data_ptr<float>()[place] = static_cast<float>(2 * stream.uniform() - 1);
  }
  return values;
}

/// Labels 0, 1, 2, ... modulo the classes.
inline torch::Tensor labels(std::int64_t batch, std::int64_t classes = 10) {
  return torch::arange(batch, torch::kInt64).remainder(classes);
}

/// The mean cross-entropy of every copy, [k].
inline torch::Tensor losses(const torch::Tensor& logits) {
  std::vector<torch::Tensor> all;
  for (std::int64_t copy = 0; copy < logits.size(0); ++copy) {
    all.push_back(torch::cross_entropy_loss(logits[copy], labels(logits.size(1), logits.size(2))));
  }
  return torch::stack(all);
}

inline double largest_difference(const torch::Tensor& left, const torch::Tensor& right) {
  return (left - right).abs().max().item<double>();
}

}  // namespace vestige::models::testing
