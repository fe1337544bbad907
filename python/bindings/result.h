// Result structs as Python classes that behave like data classes: read-only fields and a repr.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "python/bindings/arrays.h"

namespace vestige::python {

template <typename T>
struct IsNumbers : std::false_type {};
template <typename T>
struct IsNumbers<std::vector<T>> : std::bool_constant<std::is_arithmetic_v<T>> {};

/// Declares the class of a struct; numbers stay numbers, vectors of numbers become numpy arrays.
template <typename T>
class Result {
 public:
  Result(py::module_& module, const char* name, const char* text) : class_(module, name, text) {
    class_.attr("_fields") = py::tuple();
    class_.def("__repr__", [](const py::object& self) {
      std::string shown = self.attr("__class__").attr("__name__").cast<std::string>() + "(";
      const char* separator = "";
      for (const py::handle field : self.attr("_fields")) {
        shown += separator + field.cast<std::string>() + "=" +
                 py::repr(self.attr(py::cast<py::object>(field))).template cast<std::string>();
        separator = ", ";
      }
      return shown + ")";
    });
    class_.def(
        "_asdict",
        [](const py::object& self) {
          py::dict values;
          for (const py::handle field : self.attr("_fields")) {
            values[field] = self.attr(py::cast<py::object>(field));
          }
          return values;
        },
        "Field names and values, as of a named tuple.");
    if constexpr (std::is_default_constructible_v<T>) {
      // Worker processes return results: they travel as the values of their fields.
      class_.def(py::pickle(
          [](const py::object& self) {
            py::list values;
            for (const py::handle field : self.attr("_fields")) {
              values.append(self.attr(py::cast<py::object>(field)));
            }
            return py::tuple(values);
          },
          [](const py::tuple& values) {
            T made{};
            for (std::size_t i = 0; i < setters().size(); ++i) setters()[i](made, values[i]);
            return made;
          }));
    }
  }

  template <typename Field>
  Result& field(const char* name, Field T::*member, const char* text) {
    if constexpr (IsNumbers<Field>::value) {
      class_.def_property_readonly(
          name, [member](const T& self) { return numpy_of(self.*member); }, text);
    } else {
      class_.def_readonly(name, member, text);
    }
    setters().push_back([member](T& self, const py::handle& value) {
      self.*member = value.cast<std::remove_cv_t<Field>>();
    });
    const py::object before = class_.attr("_fields");
    class_.attr("_fields") = before + py::object(py::make_tuple(name));
    return *this;
  }

  py::class_<T>& type() { return class_; }

 private:
  /// Of the fields in their order. Never destroyed, as the class is not.
  static std::vector<std::function<void(T&, const py::handle&)>>& setters() {
    static auto* all = new std::vector<std::function<void(T&, const py::handle&)>>;
    return *all;
  }

  py::class_<T> class_;
};

}  // namespace vestige::python
