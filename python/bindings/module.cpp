// The compiled part of the Python package: names and numbers as in C++, nothing is computed here.
#include "python/bindings/module.h"

#include "vestige/base/error.h"
#include "vestige/version.h"

PYBIND11_MODULE(_core, module) {
  namespace py = pybind11;
  module.doc() = "The compiled part of vestige.";
  module.attr("__version__") = vestige::kVersion;
  // InputError is a std::invalid_argument, which pybind11 turns into ValueError.
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const vestige::Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  py::module_ metrics =
      module.def_submodule("metrics", "Metric functions: arrays in, results out.");
  // Signatures name types, so each part comes after those whose types it takes.
  vestige::python::add_statistics(metrics);
  vestige::python::add_epsilon(metrics);
  vestige::python::add_scores(metrics);
  vestige::python::add_conformal(metrics);
  vestige::python::add_kernels(metrics);
  vestige::python::add_attacks(metrics);
  vestige::python::add_language(metrics);
  vestige::python::add_peers(metrics);
  vestige::python::add_activations(metrics);
  vestige::python::add_audit(module);
  vestige::python::add_reopened(module);
  vestige::python::add_samples(module);
  vestige::python::add_user_metrics(module);
  vestige::python::add_practice(module);
}
