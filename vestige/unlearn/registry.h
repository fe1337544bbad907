// All methods, and how a name on the command line or in a recipe becomes one. No LibTorch here.
#pragma once

#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/base/options.h"

namespace vestige::unlearn {

/// A method as `vestige methods` lists it.
struct MethodInfo {
  std::string id, summary, source;
  std::vector<std::string> needs;  ///< in words
  Json defaults;                   ///< every option with its default
  Json presets;                    ///< name -> values
  bool hosts_repair = false;       ///< may stand before "+repair:"
  bool gives_repair = false;       ///< may stand behind it
};
std::vector<MethodInfo> methods();

/// A method with its options settled: what a recipe's [[methods]] entry means.
struct MethodChoice {
  std::string label;  ///< folder name in the evidence; the method's name unless given
  std::string name;   ///< "finetune", "kookmin+repair:seif", "external"
  Json options;       ///< every option in force
};

/// Reads one entry: a text (a name) or a table with `name`, `label`, `preset` and options. Unknown
/// names and options are InputErrors with the nearest known one.
MethodChoice read_choice(const Json& entry, const std::string& where);

}  // namespace vestige::unlearn
