// Row-major matrices of doubles: the only two-dimensional type that metrics take.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

namespace vestige {

/// A borrowed row-major matrix, rows x cols.
struct MatrixView {
  const double* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;

  std::span<const double> row(std::size_t index) const {
    assert(index < rows);
    return {data + index * cols, cols};
  }
  double operator()(std::size_t row, std::size_t col) const { return data[row * cols + col]; }
  std::span<const double> values() const { return {data, rows * cols}; }
};

/// An owned row-major matrix, zero-filled.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), values_(rows * cols) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::span<double> row(std::size_t index) { return {values_.data() + index * cols_, cols_}; }
  std::span<const double> row(std::size_t index) const {
    return {values_.data() + index * cols_, cols_};
  }
  double& operator()(std::size_t row, std::size_t col) { return values_[row * cols_ + col]; }
  double operator()(std::size_t row, std::size_t col) const { return values_[row * cols_ + col]; }
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }
  MatrixView view() const { return {values_.data(), rows_, cols_}; }
  operator MatrixView() const { return view(); }

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<double> values_;
};

}  // namespace vestige
