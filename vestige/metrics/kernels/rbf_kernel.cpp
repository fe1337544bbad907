// Kernels from tiles of dot products: d^2 = |a|^2 + |b|^2 - 2 a.b.
#include "vestige/metrics/kernels/rbf_kernel.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/kernels/gumbel_kernel.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kRbfPanel = PackedRows::kPanel;
constexpr std::size_t kTilePanels = 16;
constexpr std::size_t kTile = kTilePanels * kRbfPanel;

/// Tile (left, right) of the upper triangle of tiles, by its number along the rows.
struct TilePlace {
  std::size_t left = 0;
  std::size_t right = 0;
};

TilePlace tile_place(std::size_t index, std::size_t tiles) {
  TilePlace place;
  for (std::size_t length = tiles; index >= length; index -= length--) ++place.left;
  place.right = place.left + index;
  return place;
}

/// Calls use(place, a.b) for every tile of pairs of rows on or above the diagonal, from several
/// threads; a.b is kTile x kTile, row-major, and may be overwritten.
void for_products(const PackedRows& packed,
                  const std::function<void(TilePlace, std::span<double>)>& use) {
  const std::size_t tiles = (packed.panels() + kTilePanels - 1) / kTilePanels;
  parallel_for(tiles * (tiles + 1) / 2, [&](std::size_t index) {
    const TilePlace place = tile_place(index, tiles);
    const auto room = std::make_unique_for_overwrite<double[]>(kTile * kTile);
    const std::span<double> tile(room.get(), kTile * kTile);
    const auto end = [&](std::size_t at) {
      return std::min((at + 1) * kTilePanels, packed.panels());
    };
    dot_tile(packed, place.left * kTilePanels, end(place.left), packed, place.right * kTilePanels,
             end(place.right), tile.data(), kTile);
    use(place, tile);
  });
}

/// The same with d^2 in place of a.b.
void for_tiles(const PackedRows& packed,
               const std::function<void(TilePlace, std::span<double>)>& use) {
  const auto norms = packed.squared_norms();
  for_products(packed, [&](TilePlace place, std::span<double> tile) {
    const std::size_t rows = std::min(kTile, packed.rows() - place.left * kTile);
    const std::size_t cols = std::min(kTile, packed.rows() - place.right * kTile);
    for (std::size_t i = 0; i < rows; ++i) {
      const double norm = norms[place.left * kTile + i];
      double* line = tile.data() + i * kTile;
      for (std::size_t j = 0; j < cols; ++j) {
        line[j] = std::max(0.0, norm + norms[place.right * kTile + j] - 2 * line[j]);
      }
    }
    use(place, tile);
  });
}

/// A tile of kernel values: rows from `top` on against rows from `side` on, `at(i, j)` of them.
struct KernelTile {
  std::size_t top = 0;
  std::size_t side = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::span<const double> values;  ///< a row every kTile

  double at(std::size_t i, std::size_t j) const { return values[i * kTile + j]; }
};

/// Calls use(tile) for every tile on or above the diagonal, from several threads.
void for_kernel_tiles(const PackedRows& packed, KernelShape shape, double sigma,
                      const std::function<void(const KernelTile&)>& use) {
  const auto tile_at = [&](TilePlace place, std::span<const double> values) {
    KernelTile tile{place.left * kTile, place.right * kTile, 0, 0, values};
    tile.height = std::min(kTile, packed.rows() - tile.top);
    tile.width = std::min(kTile, packed.rows() - tile.side);
    return tile;
  };
  if (shape == KernelShape::linear) {
    for_products(packed, [&](TilePlace place, std::span<double> products) {
      use(tile_at(place, products));
    });
    return;
  }
  const double factor = shape == KernelShape::rbf ? -0.5 / (sigma * sigma) : -1 / sigma;
  for_tiles(packed, [&](TilePlace place, std::span<double> squares) {
    const KernelTile tile = tile_at(place, squares);
    for (std::size_t i = 0; i < tile.height; ++i) {
      double* line = squares.data() + i * kTile;
      if (shape == KernelShape::laplace) {
        for (std::size_t j = 0; j < tile.width; ++j) line[j] = std::sqrt(line[j]);
      }
      for (std::size_t j = 0; j < tile.width; ++j) line[j] *= factor;
      exponentials({line, tile.width}, {line, tile.width});
    }
    use(tile);
  });
}

void check_sigma(double sigma) {
  require(sigma > 0 && std::isfinite(sigma), "sigma is {}: give a finite number above 0", sigma);
}

}  // namespace

void kernel_into(MatrixView values, KernelShape shape, double sigma,
                 std::span<const std::uint32_t> rows, std::span<double> out) {
  if (shape != KernelShape::linear) check_sigma(sigma);
  const PackedRows packed(values, rows, column_means(values, rows));
  const std::size_t n = packed.rows();
  assert(out.size() == n * n);
  for_kernel_tiles(packed, shape, sigma, [&](const KernelTile& tile) {
    for (std::size_t i = 0; i < tile.height; ++i) {
      std::copy_n(tile.values.data() + i * kTile, tile.width,
                  out.data() + (tile.top + i) * n + tile.side);
    }
    if (tile.top == tile.side) return;
    for (std::size_t j = 0; j < tile.width; ++j) {
      double* mirrored = out.data() + (tile.side + j) * n + tile.top;
      for (std::size_t i = 0; i < tile.height; ++i) mirrored[i] = tile.at(i, j);
    }
  });
}

void kernel_lower_into(MatrixView values, KernelShape shape, double sigma,
                       std::span<const std::uint32_t> rows, std::span<double> out) {
  if (shape != KernelShape::linear) check_sigma(sigma);
  const PackedRows packed(values, rows, column_means(values, rows));
  assert(out.size() == packed.rows() * (packed.rows() + 1) / 2);
  // A tile on or above the diagonal is written as its mirror image.
  for_kernel_tiles(packed, shape, sigma, [&](const KernelTile& tile) {
    for (std::size_t j = 0; j < tile.width; ++j) {
      const std::size_t row = tile.side + j;
      double* mirrored = out.data() + row * (row + 1) / 2 + tile.top;
      const std::size_t last = std::min(tile.height, row + 1 - tile.top);
      for (std::size_t i = 0; i < last; ++i) mirrored[i] = tile.at(i, j);
    }
  });
}

void rbf_kernel_into(MatrixView values, double sigma, std::span<const std::uint32_t> rows,
                     std::span<double> out) {
  kernel_into(values, KernelShape::rbf, sigma, rows, out);
}

Matrix rbf_kernel(MatrixView values, double sigma, std::span<const std::uint32_t> rows) {
  const std::size_t n = rows.empty() ? values.rows : rows.size();
  Matrix kernel(n, n);
  rbf_kernel_into(values, sigma, rows, kernel.values());
  return kernel;
}

void rbf_rows(const PackedRows& a, std::size_t first, std::size_t last, const PackedRows& b,
              std::size_t others, double sigma, std::span<double> out) {
  check_sigma(sigma);
  assert(others <= b.rows() && out.size() >= (last - first) * others);
  const double factor = -0.5 / (sigma * sigma);
  const std::size_t a_first = first / kRbfPanel;
  const std::size_t a_last = (last + kRbfPanel - 1) / kRbfPanel;
  const std::size_t b_last = (others + kRbfPanel - 1) / kRbfPanel;
  const auto norms = b.squared_norms();
  const auto dots =
      std::make_unique_for_overwrite<double[]>((a_last - a_first) * kRbfPanel * kTile);
  for (std::size_t panel = 0; panel < b_last; panel += kTilePanels) {
    const std::size_t panel_end = std::min(panel + kTilePanels, b_last);
    dot_tile(a, a_first, a_last, b, panel, panel_end, dots.get(), kTile);
    const std::size_t start = panel * kRbfPanel;
    const std::size_t width = std::min(panel_end * kRbfPanel, others) - start;
    for (std::size_t i = first; i < last; ++i) {
      double* line = dots.get() + (i - a_first * kRbfPanel) * kTile;
      const double norm = a.squared_norms()[i];
      for (std::size_t j = 0; j < width; ++j) {
        line[j] = factor * std::max(0.0, norm + norms[start + j] - 2 * line[j]);
      }
      exponentials({line, width}, out.subspan((i - first) * others + start, width));
    }
  }
}

double median_distance(MatrixView values) {
  const std::size_t n = values.rows;
  if (n < 2) return kUndefined;
  const PackedRows packed(values, {}, column_means(values));
  std::vector<double> distances(n * (n - 1) / 2);
  for_tiles(packed, [&](TilePlace place, std::span<double> tile) {
    for (std::size_t i = place.left * kTile; i < std::min((place.left + 1) * kTile, n); ++i) {
      const std::size_t first = std::max(i + 1, place.right * kTile);
      for (std::size_t j = first; j < std::min((place.right + 1) * kTile, n); ++j) {
        distances[i * (2 * n - i - 1) / 2 + (j - i - 1)] =
            std::sqrt(tile[(i - place.left * kTile) * kTile + (j - place.right * kTile)]);
      }
    }
  });
  // As statistics.h's median, without a full sort: there are n^2 / 2 values.
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  if (distances.size() % 2 == 1) return *middle;
  return 0.5 * (*std::max_element(distances.begin(), middle) + *middle);
}

double sqrt_dim(std::size_t columns) { return std::sqrt(static_cast<double>(columns)); }

}  // namespace vestige::metrics
