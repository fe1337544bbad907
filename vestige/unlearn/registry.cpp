// The explicit table of methods, and how entries of a recipe are read.
#include "vestige/unlearn/registry.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/text.h"
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/conformal_push.h"
#include "vestige/unlearn/table.h"
#include "vestige/unlearn/tuned.h"

namespace vestige::unlearn {
namespace {

constexpr std::string_view kRepairMark = "+repair:";
constexpr std::string_view kConformalMark = "+conformal";

template <typename T>
const T* find_named(const std::vector<T>& items, const std::string& name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const T& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

template <typename T>
std::string names_of(const std::vector<T>& items) {
  std::vector<std::string> names;
  for (const T& item : items) names.push_back(item.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> words(const Needs& needs) {
  std::vector<std::string> result;
  if (needs.validation) result.emplace_back("a validation part in the split");
  if (needs.class_forgetting) result.emplace_back("class forgetting");
  if (needs.training_log) result.emplace_back("a training log ([train] log_forget_updates)");
  if (needs.convolutions) result.emplace_back("convolutions");
  if (needs.denoiser) result.emplace_back("a denoiser (unet)");
  return result;
}

/// Ids that earlier versions had, with today's.
constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
    {"cpu_finetune", "conformal_finetune"},
    {"cpu_random_label", "conformal_random_label"},
    {"cpu_retrain", "conformal_retrain"},
};

const Method& plain_method(const std::string& id) {
  for (const auto& [before, now] : kRenamed) {
    require(id != before, "the method '{}' is now called '{}': write that", before, now);
  }
  std::vector<std::string> known;
  for (const Method& method : table()) {
    if (method.id == id) return method;
    known.push_back(method.id);
  }
  fail("the method '{}' is not known: did you mean '{}'? `vestige methods` lists all", id,
       nearest(id, known));
}

/// Preset values under the entry's own.
Json with_preset(const Method& method, Json options, const std::string& where) {
  if (!options.contains("preset")) return options;
  const std::string name = options.at("preset").is_string()
                               ? options.at("preset").get<std::string>()
                               : options.at("preset").dump();
  std::vector<std::string> known;
  for (const MethodPreset& preset : method.presets) {
    known.push_back(preset.name);
    if (preset.name != name) continue;
    Json merged = preset.values;
    options.erase("preset");
    for (const auto& [key, value] : options.items()) merged[key] = value;
    return merged;
  }
  require(!known.empty(), "{}: {} has no presets: remove 'preset'", where, method.id);
  fail("{}: {} has no preset '{}': did you mean '{}'? It has {}", where, method.id, name,
       nearest(name, known), fmt::join(known, ", "));
}

}  // namespace

const std::vector<Method>& table() {
  static const std::vector<Method> kTable = [] {
    std::vector<Method> methods = {
        retrain(),
        partial_retrain(),
        finetune(),
        gradient_ascent(),
        neggrad_plus(),
        random_label(),
        random_targets(),
        salun(),
        l1_sparse(),
        scrub(),
        ssd(),
        amnesiac(),
        amnesiac_log(),
        bad_teacher(),
        unroll(),
        sfron(),
        conformal_retrain(),
        conformal_finetune(),
        conformal_random_label(),
        cw(),
        fisher(),
        forsaken(),
        lcodec(),
        boundary_shrink(),
        boundary_expand(),
        fanchuan(),
        kookmin(),
        seif(),
        sebastian(),
        amnesiacs(),
        sun(),
        forget(),
        identity(),
        collapse(),
        external(),
    };
    for (const TunedPreset& tuned : tuned_presets()) {
      for (Method& method : methods) {
        if (method.id == tuned.method) method.presets.push_back(tuned.preset);
      }
    }
    return methods;
  }();
  return kTable;
}

Method find_method(const std::string& name) {
  if (name.ends_with(kConformalMark)) {
    const std::string host = name.substr(0, name.size() - kConformalMark.size());
    require(!host.starts_with("conformal_") && host != "cw" && host != "external",
            "'{}' cannot take the conformal term: name a method that trains, such as salun", host);
    return with_conformal_term(find_method(host));
  }
  const std::size_t mark = name.find(kRepairMark);
  if (mark == std::string::npos) return plain_method(name);
  const Host* host = find_named(hosts(), name.substr(0, mark));
  require(host != nullptr, "'{}' cannot take another repair: hosts are {}", name.substr(0, mark),
          names_of(hosts()));
  const NamedRepair* repair = find_named(repairs(), name.substr(mark + kRepairMark.size()));
  require(repair != nullptr, "'{}' is not a repair: repairs are {}",
          name.substr(mark + kRepairMark.size()), names_of(repairs()));
  Method method = plain_method(host->name);
  method.id = name;
  method.prepare = [host, repair](Options& options) {
    return host->prepare(options, repair->make);
  };
  return method;
}

std::vector<MethodInfo> methods() {
  std::vector<MethodInfo> result;
  for (const Method& method : table()) {
    Options options(Json::object(), method.id);
    (void)method.prepare(options);
    Json presets = Json::object();
    for (const MethodPreset& preset : method.presets) presets[preset.name] = preset.values;
    result.push_back({method.id, method.summary, method.source, words(method.needs), options.used(),
                      presets, find_named(hosts(), method.id) != nullptr,
                      find_named(repairs(), method.id) != nullptr});
  }
  return result;
}

MethodChoice read_choice(const Json& entry, const std::string& where) {
  Json table = entry.is_string() ? Json{{"name", entry}} : entry;
  require(table.is_object() && table.contains("name") && table.at("name").is_string(),
          "{}: a method is a name in quotes or a table with 'name'", where);
  MethodChoice choice;
  choice.name = table.at("name").get<std::string>();
  const Method method = find_method(choice.name);
  choice.label = choice.name;
  if (table.contains("label")) {
    require(table.at("label").is_string(), "{}: label must be text in quotes", where);
    choice.label = table.at("label").get<std::string>();
  }
  require(!choice.label.empty() && choice.label.find('/') == std::string::npos &&
              choice.label[0] != '.',
          "{}: the label '{}' must be a plain folder name", where, choice.label);
  table.erase("name");
  table.erase("label");
  Options options(with_preset(method, table, where), fmt::format("{}: {}", where, choice.name));
  (void)method.prepare(options);
  options.finish();
  choice.options = options.used();
  return choice;
}

}  // namespace vestige::unlearn
