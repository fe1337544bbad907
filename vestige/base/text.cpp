// Edit distance.
#include "vestige/base/text.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace vestige {

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> previous(right.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::vector<std::size_t> current(right.size() + 1);
    current[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t change = previous[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, change});
    }
    previous = current;
  }
  return previous[right.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  const auto best =
      std::min_element(candidates.begin(), candidates.end(),
                       [word](const std::string& left, const std::string& right) {
                         return edit_distance(word, left) < edit_distance(word, right);
                       });
  return best == candidates.end() ? std::string() : *best;
}

}  // namespace vestige
