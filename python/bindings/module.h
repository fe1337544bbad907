// The parts of the module vestige._core; each adds its functions and classes.
#pragma once

#include <pybind11/pybind11.h>

namespace vestige::python {

/// Evidence from arrays or files, inspections and audits.
void add_audit(pybind11::module_& module);
/// What acts on results: gate, comparison, dossier, ledger.
void add_practice(pybind11::module_& module);

// Of vestige.metrics, by what they share.
void add_statistics(pybind11::module_& metrics);
void add_epsilon(pybind11::module_& metrics);
void add_scores(pybind11::module_& metrics);
void add_conformal(pybind11::module_& metrics);
void add_kernels(pybind11::module_& metrics);
void add_attacks(pybind11::module_& metrics);
void add_language(pybind11::module_& metrics);
void add_peers(pybind11::module_& metrics);
void add_activations(pybind11::module_& metrics);

}  // namespace vestige::python
