// Options of RMIA's taylor form.
#include "vestige/metrics/inputs/rmia_settings.h"

#include <string>

namespace vestige::metrics {

const OptionTable<RmiaSettings>& attack_options() {
  using Settings = RmiaSettings;
  static const OptionTable<Settings> table =
      OptionTable<Settings>("attacks")
          .number(
              "rmia_temperature", "T of RMIA's taylor form: logits are divided by it",
              [](Settings & s) -> auto& { return s.temperature; }, above(0))
          .number(
              "rmia_a", "a of RMIA's offline reference in the taylor form",
              [](Settings & s) -> auto& { return s.a; }, between(0, 1));
  return table;
}

RmiaSettings rmia_settings(const Request& request) {
  return attack_options().read(request.options);
}

void name_rmia(Row& row, const RmiaSettings& settings) {
  const RmiaSettings usual;
  if (settings.temperature != usual.temperature) row.settings["temperature"] = settings.temperature;
  if (settings.a != usual.a && row.metric.find("rmia.offline") != std::string::npos) {
    row.settings["a"] = settings.a;
  }
}

}  // namespace vestige::metrics
