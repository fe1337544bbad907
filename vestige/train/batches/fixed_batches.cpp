// The order of the first epoch, cut into batches.
#include "vestige/train/batches/fixed_batches.h"

#include "vestige/train/loop.h"

namespace vestige::train {

std::map<std::int64_t, std::int64_t> fixed_batch_of(const std::vector<std::int64_t>& rows,
                                                    std::uint64_t seed, std::int64_t batch) {
  const Rows order = shuffled(rows, seed, Phase{}.purpose, 0);
  std::map<std::int64_t, std::int64_t> result;
  for (std::size_t place = 0; place < order.size(); ++place) {
    result[order[place]] = static_cast<std::int64_t>(place) / batch;
  }
  return result;
}

}  // namespace vestige::train
