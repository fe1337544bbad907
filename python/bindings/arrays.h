// numpy arrays as spans and matrices and back; no copy where the type and the order fit.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/matrix.h"

namespace vestige::python {

namespace py = pybind11;

/// Contiguous doubles; other number types and orders are copied.
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Whatever numpy takes for an array; its type is looked at by Integers.
struct AnyArray {
  py::array values;
};

/// One dimension; `name` is what the error calls it.
inline std::span<const double> vector_of(const Doubles& array, const char* name) {
  require(array.ndim() == 1, "{} has {} dimensions: give one value per row, [n]", name,
          array.ndim());
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// Refuses values outside [0, 1]; NaN too, unless it stands for something undefined.
inline void require_shares(std::span<const double> values, const char* name, bool undefined_too) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool right =
        (values[i] >= 0 && values[i] <= 1) || (undefined_too && std::isnan(values[i]));
    require(right, "{}[{}] is {}: give values from 0 to 1", name, i, values[i]);
  }
}

/// One probability or share per row.
inline std::span<const double> shares_of(const Doubles& array, const char* name,
                                         bool undefined_too = false) {
  const auto values = vector_of(array, name);
  require_shares(values, name, undefined_too);
  return values;
}

/// Two dimensions.
inline MatrixView matrix_of(const Doubles& array, const char* name) {
  require(array.ndim() == 2, "{} has {} dimensions: give a matrix of two", name, array.ndim());
  return {array.data(), static_cast<std::size_t>(array.shape(0)),
          static_cast<std::size_t>(array.shape(1))};
}

/// Probabilities of classes: every row sums to 1, up to rounding of float16.
inline MatrixView distributions_of(const Doubles& array, const char* name) {
  const MatrixView values = matrix_of(array, name);
  for (std::size_t row = 0; row < values.rows; ++row) {
    double sum = 0;
    bool shares = true;
    for (const double value : values.row(row)) {
      shares = shares && value >= 0 && value <= 1 + 1e-6;
      sum += value;
    }
    require(
        shares && std::abs(sum - 1) < 5e-3,
        "{} are no probabilities: row {} sums to {:.4g}{}; logits become probabilities by softmax",
        name, row, sum, shares ? "" : " and has values outside 0 to 1");
  }
  return values;
}

/// Whole numbers of one dimension, as T; floating values are refused rather than cut.
template <typename T>
class Integers {
 public:
  Integers(const AnyArray& given, const char* name) {
    const py::array& array = given.values;
    const char kind = array.dtype().kind();
    require(kind == 'i' || kind == 'u' || kind == 'b',
            "{} has type {}: give whole numbers, for example by .astype(int)", name,
            py::str(array.dtype()).cast<std::string>());
    require(array.ndim() == 1, "{} has {} dimensions: give one number per row, [n]", name,
            array.ndim());
    values_ = Array(array);
  }
  std::span<const T> span() const {
    return {values_.data(), static_cast<std::size_t>(values_.size())};
  }

 private:
  using Array = py::array_t<T, py::array::c_style | py::array::forcecast>;
  Array values_;
};

/// What two arrays must share.
inline void require_same(std::size_t left, const char* left_name, std::size_t right,
                         const char* right_name) {
  require(left == right, "{} has {} rows and {} has {}: both must have the same", left_name, left,
          right_name, right);
}

/// The values move into numpy without a copy.
template <typename T>
py::array_t<T> numpy_of(std::vector<T> values) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  std::vector<T>* raw = kept.release();
  const py::capsule owner(raw, [](void* pointer) { delete static_cast<std::vector<T>*>(pointer); });
  return py::array_t<T>(static_cast<py::ssize_t>(raw->size()), raw->data(), owner);
}

inline py::array_t<double> numpy_of(Matrix matrix) {
  const auto rows = static_cast<py::ssize_t>(matrix.rows());
  const auto cols = static_cast<py::ssize_t>(matrix.cols());
  auto kept = std::make_unique<Matrix>(std::move(matrix));
  Matrix* raw = kept.release();
  const py::capsule owner(raw, [](void* pointer) { delete static_cast<Matrix*>(pointer); });
  return py::array_t<double>({rows, cols}, raw->values().data(), owner);
}

/// Runs `body` without the interpreter's lock.
template <typename Body>
auto unlocked(Body&& body) {
  const py::gil_scoped_release release;
  return body();
}

}  // namespace vestige::python

/// Lists and tensors become arrays, as they do for arguments of doubles.
template <>
struct pybind11::detail::type_caster<vestige::python::AnyArray> {
  PYBIND11_TYPE_CASTER(vestige::python::AnyArray, const_name("numpy.ndarray[numpy.int64]"));

  bool load(handle source, bool convert) {
    if (!convert && !isinstance<array>(source)) return false;
    value.values = array::ensure(source);
    return static_cast<bool>(value.values);
  }
};
