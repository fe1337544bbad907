// The parts of the module vestige._core; each adds its functions and classes.
#pragma once

#include <pybind11/pybind11.h>

#include <shared_mutex>

namespace vestige::python {

/// Evidence from arrays or files, inspections and audits.
void add_audit(pybind11::module_& module);
/// Audits that were written or sent earlier.
void add_reopened(pybind11::module_& module);
/// Scores of rows as columns.
void add_samples(pybind11::module_& module);
/// Python functions as metrics.
void add_user_metrics(pybind11::module_& module);
/// Shared while an audit reads the registry of metrics, exclusive while it changes.
std::shared_mutex& registry_lock();
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
