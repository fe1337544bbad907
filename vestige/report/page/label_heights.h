// At what height names of points stand so that they do not cover each other.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace vestige::report {

/// A point in pixels, y upwards; its name of 11-pixel letters stands to its right.
struct Labelled {
  double x = 0, y = 0;
  std::string text;
};

/// One height per point, in pixels: from the top down, each name stands as low as it must.
std::vector<double> label_heights(std::span<const Labelled> points);

}  // namespace vestige::report
