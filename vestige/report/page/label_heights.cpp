// Few points, so that every pair is looked at.
#include "vestige/report/page/label_heights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vestige::report {

std::vector<double> label_heights(std::span<const Labelled> points) {
  constexpr double kLineHeight = 13, kLetterWidth = 6.5;  // pixels
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&points](std::size_t a, std::size_t b) { return points[a].y > points[b].y; });
  struct Placed {
    double start, end, y;
  };
  std::vector<Placed> placed;
  std::vector<double> heights(points.size());
  for (const std::size_t i : order) {
    const double start = points[i].x;
    const double end = start + kLetterWidth * static_cast<double>(points[i].text.size());
    double y = points[i].y;
    // Names that were placed before lie higher or as high, so that one pass from the top suffices.
    std::sort(placed.begin(), placed.end(),
              [](const Placed& a, const Placed& b) { return a.y > b.y; });
    for (const Placed& other : placed) {
      const bool beside = other.end + kLetterWidth < start || end + kLetterWidth < other.start;
      if (!beside && std::abs(other.y - y) < kLineHeight) y = other.y - kLineHeight;
    }
    placed.push_back({start, end, y});
    heights[i] = y;
  }
  return heights;
}

}  // namespace vestige::report
