// numpy arrays as spans and matrices and back; no copy where the type and the order fit.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

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

/// Two dimensions.
inline MatrixView matrix_of(const Doubles& array, const char* name) {
  require(array.ndim() == 2, "{} has {} dimensions: give a matrix of two", name, array.ndim());
  return {array.data(), static_cast<std::size_t>(array.shape(0)),
          static_cast<std::size_t>(array.shape(1))};
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
