// Audits of earlier runs and of other processes: results.json read back, with all views of it.
#include "python/bindings/arrays.h"
#include "python/bindings/audit_views.h"
#include "python/bindings/module.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"
#include "vestige/base/nesting.h"
#include "vestige/report/json/read_results.h"

namespace vestige::python {
namespace {

/// Texts as they were written; everything else is made from the results anew.
struct Reopened {
  std::string text;      ///< results.json
  std::string samples;   ///< samples.csv
  std::string requests;  ///< requests.csv, or empty
  std::string table;     ///< what audit.text() was, or empty
  std::string models;    ///< values of single models, or empty
  report::Results results;
};

Reopened reopened(const std::string& text, const std::string& samples, const std::string& requests,
                  const std::string& table, const std::string& models, const std::string& where) {
  const Json json = parse_json(text);
  require(!json.is_discarded(), "{} is no JSON: give a folder that an audit wrote", where);
  return {text, samples, requests, table, models, report::results_of(json, where)};
}

void save(const Reopened& from, const std::string& folder, bool force) {
  FileSet files(folder, force, FileSet::Others::refused);
  files.add("results.json", from.text);
  files.add("samples.csv", from.samples);
  if (!from.requests.empty()) files.add("requests.csv", from.requests);
  files.add("report.html", report::html(from.results));
  for (const report::SpecFile& file : report::spec_files(from.results)) {
    files.add("plots/" + file.name, file.text);
  }
  files.commit();
}

}  // namespace

void add_reopened(py::module_& module) {
  py::class_<Reopened> type(module, "Reopened", "An audit that was written or sent earlier.");
  type.def(py::init([](const std::string& text, const std::string& samples,
                       const std::string& requests, const std::string& table,
                       const std::string& models, const std::string& where) {
             return unlocked(
                 [&] { return reopened(text, samples, requests, table, models, where); });
           }),
           py::arg("text"), py::arg("samples"), py::arg("requests"), py::arg("table"),
           py::arg("models"), py::arg("where"))
      .def("models_text", [](const Reopened& from) { return from.models; })
      .def("results_text", [](const Reopened& from) { return from.text; })
      .def("samples_text", [](const Reopened& from) { return from.samples; })
      .def("requests_text", [](const Reopened& from) { return from.requests; })
      .def("text",
           [](const Reopened& from) {
             return from.table.empty() ? report::results_table(from.results, true) : from.table;
           })
      .def(
          "save",
          [](const Reopened& from, const std::string& folder, bool force) {
            unlocked([&] { save(from, folder, force); });
          },
          py::arg("folder"), py::arg("force"));
  add_views(type);
}

}  // namespace vestige::python
