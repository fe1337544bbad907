// Copies tensors by name.
#include "vestige/models/clone.h"

#include <cassert>

#include "vestige/base/error.h"

namespace vestige::models {
namespace {

using Named = torch::OrderedDict<std::string, torch::Tensor>;

void check_same(const Named& from, const Named& to) {
  bool same = from.size() == to.size();
  for (const auto& entry : to) {
    const torch::Tensor* other = from.find(entry.key());
    same = same && other != nullptr && other->sizes().slice(1) == entry.value().sizes().slice(1);
  }
  require(same,
          "weights cannot be copied between networks of different architectures: build both from "
          "the same [model] settings and the same data");
}

void copy_all(const Named& from, std::int64_t from_copy, const Named& to, std::int64_t to_copy) {
  for (const auto& entry : to) {
    entry.value().select(0, to_copy).copy_(from[entry.key()].select(0, from_copy));
  }
}

}  // namespace

void copy_weights(const Network& from, std::int64_t from_copy, Network& to, std::int64_t to_copy) {
  assert(from_copy >= 0 && from_copy < from.copies() && to_copy >= 0 && to_copy < to.copies());
  const torch::NoGradGuard no_gradient;
  check_same(from.named_parameters(), to.named_parameters());
  check_same(from.named_buffers(), to.named_buffers());
  copy_all(from.named_parameters(), from_copy, to.named_parameters(), to_copy);
  copy_all(from.named_buffers(), from_copy, to.named_buffers(), to_copy);
}

}  // namespace vestige::models
