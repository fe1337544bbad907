// The views of results that audits have, whether they were measured here or read back.
#pragma once

#include <map>
#include <string>

#include "python/bindings/arrays.h"
#include "vestige/report/page/first_screen.h"
#include "vestige/report/page/html.h"
#include "vestige/report/page/spec_files.h"
#include "vestige/report/terminal/brief.h"
#include "vestige/report/terminal/terminal.h"

namespace vestige::python {

/// `T` has a member `results`.
template <typename T>
void add_views(py::class_<T>& type) {
  const auto text = [](auto write) {
    return [write](const T& from) { return unlocked([&] { return write(from); }); };
  };
  type.def("page", text([](const T& from) { return report::html(from.results); }),
           "The text of report.html.")
      .def("first_screen", text([](const T& from) { return report::first_screen(from.results); }),
           "The page's first screen, without style.")
      .def("plots", text([](const T& from) {
             std::map<std::string, std::string> plots;
             for (const report::SpecFile& file : report::spec_files(from.results)) {
               plots.emplace(file.name, file.text);
             }
             return plots;
           }),
           "Vega-Lite specifications by file name.")
      .def(
          "brief",
          [](const T& from, std::size_t width) {
            return report::audit_brief(from.results, {width, false});
          },
          py::arg("width") = 100, "The answer as the command line prints it.")
      .def(
          "verdict_text",
          [](const T& from, const std::string& method) {
            for (const audit::Verdict& verdict : from.results.verdicts) {
              if (verdict.method == method) return report::verdict_text(verdict);
            }
            fail("there is no verdict on '{}'", method);
          },
          py::arg("method"), "One method's verdict with its tests, as `--verdict` prints it.");
}

}  // namespace vestige::python
