// Random labels from a named stream.
#include "vestige/unlearn/parts/relabel.h"

#include "vestige/base/error.h"

namespace vestige::unlearn {

torch::Tensor random_labels(const train::Samples& samples, const train::Rows& rows, LabelDraw draw,
                            Stream& stream) {
  const std::int64_t classes = samples.classes();
  require(draw == LabelDraw::any || classes > 1,
          "there is no wrong label in a data set of one class: choose another method");
  const torch::Tensor labels = samples.labels().cpu().clone();
  auto values = labels.accessor<std::int64_t, 1>();
  for (const std::int64_t row : rows) {
    if (draw == LabelDraw::any) {
      values[row] = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(classes)));
    } else {
      const auto step =
          1 + static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(classes - 1)));
      values[row] = (values[row] + step) % classes;
    }
  }
  return labels.to(samples.device());
}

train::Objective cross_entropy_with(const torch::Tensor& labels) {
  return [labels, inner = train::cross_entropy()](
             models::Network& network, const train::Batch& batch, const train::Step& step) {
    train::Batch changed = batch;
    changed.labels = labels.index_select(0, batch.rows.reshape({-1})).view(batch.rows.sizes());
    return inner(network, changed, step);
  };
}

}  // namespace vestige::unlearn
