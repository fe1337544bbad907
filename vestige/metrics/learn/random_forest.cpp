// Trees grown on rows that were sorted once by every feature.
#include "vestige/metrics/learn/random_forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

/// Rows of a node, each as often as it was drawn.
struct DrawnRows {
  double rows = 0;
  double members = 0;  ///< of class 1

  void add(double drawn, int label) {
    rows += drawn;
    members += drawn * label;
  }
  /// Gini impurity times the number of rows: 2 p (1 - p) n.
  double impurity() const { return rows > 0 ? 2 * members * (rows - members) / rows : 0; }
};

struct Cut {
  std::size_t feature = 0;
  double threshold = 0;
  double impurity = 0;  ///< of both sides together
  bool found = false;
};

struct ForestNode {
  std::size_t feature = 0;
  double threshold = 0;  ///< rows at most as large go left
  int left = -1;         ///< -1: a leaf
  int right = -1;
  double share = 0;  ///< of class 1
};

/// Training rows with, for every feature, their order by its values.
class SortedRows {
 public:
  SortedRows(MatrixView rows, std::span<const int> labels) : rows_(rows), labels_(labels) {
    order_.resize(rows.cols);
    parallel_for(order_.size(), [&](std::size_t feature) {
      std::vector<std::uint32_t>& order = order_[feature];
      order.resize(rows.rows);
      std::iota(order.begin(), order.end(), 0U);
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return rows(a, feature) < rows(b, feature);
      });
    });
  }

  MatrixView rows() const { return rows_; }
  std::span<const int> labels() const { return labels_; }
  std::span<const std::uint32_t> order(std::size_t feature) const { return order_[feature]; }

 private:
  MatrixView rows_;
  std::span<const int> labels_;
  std::vector<std::vector<std::uint32_t>> order_;
};

class Tree {
 public:
  Tree(const SortedRows& sorted, const ForestOptions& options, std::size_t number)
      : sorted_(sorted),
        options_(options),
        stream_(options.seed, "random_forest", number),
        drawn_(sorted.rows().rows, options.bootstrap ? 0 : 1),
        node_of_(sorted.rows().rows, 0) {
    if (options.bootstrap) {
      for (std::size_t i = 0; i < drawn_.size(); ++i) drawn_[stream_.below(drawn_.size())] += 1;
    }
    DrawnRows all;
    for (std::size_t row = 0; row < drawn_.size(); ++row) {
      all.add(drawn_[row], sorted.labels()[row]);
    }
    grow(all, 0);
  }

  double probability(std::span<const double> row) const {
    const ForestNode* node = &nodes_.front();
    while (node->left >= 0) {
      node = &nodes_[static_cast<std::size_t>(row[node->feature] <= node->threshold ? node->left
                                                                                    : node->right)];
    }
    return node->share;
  }

 private:
  /// Adds a node with everything below it; its rows are those that node_of_ gives its number.
  int grow(const DrawnRows& counts, std::size_t depth) {
    const int number = static_cast<int>(nodes_.size());
    nodes_.push_back({.share = counts.members / counts.rows});
    if (depth == options_.depth || counts.impurity() == 0) return number;
    const Cut split = best_split(counts, number);
    if (!split.found) return number;
    const MatrixView rows = sorted_.rows();
    std::vector<std::size_t> others;
    DrawnRows left, right;
    for (std::size_t row = 0; row < node_of_.size(); ++row) {
      if (node_of_[row] != number) continue;
      const bool first = rows(row, split.feature) <= split.threshold;
      (first ? left : right).add(drawn_[row], sorted_.labels()[row]);
      if (!first) others.push_back(row);
      node_of_[row] = first ? static_cast<int>(nodes_.size()) : kWaiting;
    }
    // The rows of the right side get their number when all of the left side has one.
    const int left_number = grow(left, depth + 1);
    for (const std::size_t row : others) node_of_[row] = static_cast<int>(nodes_.size());
    const int right_number = grow(right, depth + 1);
    ForestNode& node = nodes_[static_cast<std::size_t>(number)];
    node = {split.feature, split.threshold, left_number, right_number, node.share};
    return number;
  }

  /// Features in random order until enough of them had a split.
  Cut best_split(const DrawnRows& counts, int number) {
    const std::size_t count = sorted_.rows().cols;
    const std::size_t wanted =
        options_.features > 0
            ? options_.features
            : std::max<std::size_t>(
                  1, static_cast<std::size_t>(std::sqrt(static_cast<double>(count))));
    Cut best;
    std::size_t tried = 0;
    for (const std::size_t feature : stream_.permutation(count)) {
      const Cut split = split_by(feature, counts, number);
      if (!split.found) continue;
      if (!best.found || split.impurity < best.impurity) best = split;
      if (++tried == wanted) break;
    }
    return best;
  }

  Cut split_by(std::size_t feature, const DrawnRows& counts, int number) const {
    const MatrixView rows = sorted_.rows();
    const auto fewest = static_cast<double>(std::max<std::size_t>(1, options_.fewest));
    Cut best{.feature = feature};
    DrawnRows left;
    double last = 0;
    for (const std::uint32_t row : sorted_.order(feature)) {
      if (node_of_[row] != number || drawn_[row] == 0) continue;
      const double value = rows(row, feature);
      if (left.rows >= fewest && counts.rows - left.rows >= fewest && value > last) {
        const DrawnRows right{counts.rows - left.rows, counts.members - left.members};
        const double impurity = left.impurity() + right.impurity();
        if (!best.found || impurity < best.impurity) {
          best = {feature, std::midpoint(last, value), impurity, true};
        }
      }
      left.add(drawn_[row], sorted_.labels()[row]);
      last = value;
    }
    return best;
  }

  static constexpr int kWaiting = -1;

  const SortedRows& sorted_;
  const ForestOptions& options_;
  Stream stream_;
  std::vector<double> drawn_;  ///< how often each row was drawn
  std::vector<int> node_of_;
  std::vector<ForestNode> nodes_;
};

}  // namespace

std::vector<double> random_forest(MatrixView train, std::span<const int> labels, MatrixView test,
                                  const ForestOptions& options) {
  require(train.rows == labels.size() && train.rows > 0,
          "a random forest got {} rows and {} labels: give one label per row, and at least one row",
          train.rows, labels.size());
  require(train.cols == test.cols,
          "a random forest got {} training and {} test features: give the same", train.cols,
          test.cols);
  require(options.trees > 0, "a random forest of {} trees: give at least 1", options.trees);
  for (const int label : labels) {
    require(label == 0 || label == 1, "label {} must be 0 or 1", label);
  }
  const SortedRows sorted(train, labels);
  std::vector<std::vector<double>> of_tree(options.trees);
  parallel_for(of_tree.size(), [&](std::size_t number) {
    const Tree tree(sorted, options, number);
    for (std::size_t row = 0; row < test.rows; ++row) {
      of_tree[number].push_back(tree.probability(test.row(row)));
    }
  });
  std::vector<double> result(test.rows, 0);
  for (const std::vector<double>& shares : of_tree) {
    for (std::size_t row = 0; row < result.size(); ++row) result[row] += shares[row];
  }
  for (double& value : result) value /= static_cast<double>(options.trees);
  return result;
}

}  // namespace vestige::metrics
