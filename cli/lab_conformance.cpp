// Hands conformance cases to the lab as plain arrays.
#include "cli/lab_conformance.h"

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
audit::ConformanceValues run(const audit::ConformanceCase& test_case) {
  return compute(input_of(test_case));
}

}  // namespace

std::vector<audit::ConformanceRunner> lab_runners() {
  return {{"ssd_dampen", run<unlearn::reference_ssd_dampen>, {}},
          {"sfron_mask", run<unlearn::reference_sfron_mask>, {}},
          {"sfron_adaptive_loss", run<unlearn::reference_sfron_adaptive_loss>, {}},
          {"salun_mask", run<unlearn::reference_salun_mask>, {}},
          {"scrub_kd", run<unlearn::reference_scrub_kd>, {}}};
}

}  // namespace vestige::cli
