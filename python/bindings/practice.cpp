// Gate, comparison, dossier and ledger for Python: the same calls as the command line's verbs.
#include <pybind11/stl.h>

#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "python/bindings/arrays.h"
#include "python/bindings/module.h"
#include "vestige/base/context.h"
#include "vestige/base/file.h"
#include "vestige/base/sha256.h"
#include "vestige/practice/compare.h"
#include "vestige/practice/dossier.h"
#include "vestige/practice/gate.h"
#include "vestige/practice/ledger.h"
#include "vestige/practice/verify.h"
#include "vestige/report/json/read_results.h"

namespace vestige::python {

void add_practice(py::module_& module) {
  module.def(
      "compare",
      [](const std::string& before, const std::string& after, const std::string& before_name,
         const std::string& after_name) {
        return unlocked([&] {
          const practice::Comparison comparison = practice::compare(
              report::read_results(before), report::read_results(after), before_name, after_name);
          return std::tuple(practice::comparison_json(comparison).dump(),
                            practice::comparison_text(comparison), comparison.quiet());
        });
      },
      py::arg("before"), py::arg("after"), py::arg("before_name"), py::arg("after_name"),
      "What `vestige compare` says of two results.json, as JSON and as text, and whether nothing "
      "changed.");
  module.def(
      "gate",
      [](const std::string& results_file, const std::string& policy,
         const std::vector<std::string>& words) {
        return unlocked([&] {
          const practice::Policy rules = !policy.empty()  ? practice::read_policy(policy)
                                         : !words.empty() ? practice::policy_of_words(words)
                                                          : practice::default_policy();
          const report::Results results = report::read_results(results_file);
          const practice::Gate gate = practice::gate(results, rules);
          return std::tuple(practice::gate_json(gate).dump(), practice::gate_text(gate),
                            practice::gate_junit(gate, results),
                            practice::gate_markdown(gate, results));
        });
      },
      py::arg("results"), py::arg("policy"), py::arg("words"),
      "What `vestige gate` says, as JSON, text, JUnit XML and Markdown; without a policy file the "
      "words are those of --fail-on; without words the default policy applies.");
  module.def(
      "write_dossier",
      [](const std::string& out, const std::string& results, const std::string& evidence,
         const std::string& policy, const std::string& key, const std::string& signer,
         bool with_evidence, bool force) {
        return unlocked([&] {
          return practice::write_dossier(
                     out, {results, evidence, policy, key, signer, with_evidence, force})
              .files;
        });
      },
      py::arg("out"), py::kw_only(), py::arg("results"), py::arg("evidence"), py::arg("policy"),
      py::arg("key"), py::arg("signer"), py::arg("with_evidence"), py::arg("force"),
      "Writes a folder or a zip; the names of its files.");
  module.def(
      "verify",
      [](const std::string& dossier, const std::string& key, const std::string& evidence,
         const std::string& ledger, const std::vector<std::string>& allow_unchecked, int threads) {
        return unlocked([&] {
          const practice::Verification found = practice::verify(
              dossier, {key, evidence, Context({.threads = threads}), ledger, allow_unchecked});
          return std::pair(practice::verification_json(found).dump(-1, ' ', false,
                                                                   Json::error_handler_t::replace),
                           practice::verification_text(found));
        });
      },
      py::arg("dossier"), py::kw_only(), py::arg("key"), py::arg("evidence"), py::arg("ledger"),
      py::arg("allow_unchecked"), py::arg("threads"),
      "What `vestige verify` says, as JSON and as text.");
  module.def(
      "append_to_ledger",
      [](const std::string& ledger, const std::string& results_file) {
        return unlocked([&] {
          const std::string text = read_file(results_file);
          return practice::append_to_ledger(ledger, report::read_results(results_file),
                                            sha256(std::as_bytes(std::span(text))))
              .entry;
        });
      },
      py::arg("ledger"), py::arg("results"), "The place of the new line, from 1.");
  module.def(
      "read_ledger",
      [](const std::string& ledger) {
        return unlocked([&] {
          const practice::Ledger found = practice::read_ledger(ledger);
          return std::tuple(Json{{"head", found.head}, {"entries", found.entries}}.dump(),
                            practice::ledger_text(found, ledger),
                            practice::ledger_page(found, ledger));
        });
      },
      py::arg("ledger"), "Checks every line; JSON, text and page, as `vestige ledger` has them.");
}

}  // namespace vestige::python
