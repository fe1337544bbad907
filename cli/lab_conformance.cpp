// vestige-lab conformance DIR: the cases of unlearning methods; vestige conformance asks for them.
#include <fmt/format.h>

#include <memory>

#include "cli/conformance_cases.h"
#include "cli/verbs.h"
#include "vestige/unlearn/reference.h"

namespace vestige::cli {
namespace {

unlearn::ReferenceInput input_of(const audit::ConformanceCase& test_case) {
  unlearn::ReferenceInput input;
  for (const auto& [name, array] : test_case.inputs) {
    unlearn::ReferenceArray plain{array.doubles(), {}};
    for (const std::size_t size : array.shape()) {
      plain.shape.push_back(static_cast<std::int64_t>(size));
    }
    input.arrays[name] = std::move(plain);
  }
  for (const auto& [name, value] : test_case.params.items()) {
    if (value.is_number()) input.parameters[name] = value.get<double>();
  }
  return input;
}

/// Runners are plain functions, so the wrapped one is a template argument.
template <unlearn::ReferenceOutput (*compute)(const unlearn::ReferenceInput&)>
audit::ConformanceValues run_reference(const audit::ConformanceCase& test_case) {
  return compute(input_of(test_case));
}

std::vector<audit::ConformanceRunner> lab_runners() {
  return {{"ssd_dampen", run_reference<unlearn::reference_ssd_dampen>, {}},
          {"sfron_mask", run_reference<unlearn::reference_sfron_mask>, {}},
          {"sfron_adaptive_loss", run_reference<unlearn::reference_sfron_adaptive_loss>, {}},
          {"salun_mask", run_reference<unlearn::reference_salun_mask>, {}},
          {"scrub_kd", run_reference<unlearn::reference_scrub_kd>, {}}};
}

}  // namespace

void add_lab_conformance(CLI::App& app, Invocation&) {
  CLI::App* verb = app.add_subcommand(
      "conformance",
      "Run the reference cases of unlearning methods (the others: vestige conformance)");
  auto folder = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(true);
  verb->add_option("DIR", *folder, "Folder with case.json files, at any depth")->required();
  verb->add_flag("--json", *json, "JSON is all it prints (default: the same)");
  verb->callback(
      [folder] { fmt::print("{}\n", cases_json(run_cases(*folder, lab_runners())).dump(1)); });
}

}  // namespace vestige::cli
