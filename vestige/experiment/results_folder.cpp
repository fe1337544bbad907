// bench.key: the identity of the experiment whose results lie beside it.
#include "vestige/experiment/results_folder.h"

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/nesting.h"
#include "vestige/report/json/earlier_names.h"

namespace vestige::experiment {
namespace {

namespace fs = std::filesystem;

/// "seed is 2 there and 1 here", of the first place in which two identities differ; empty if none.
/// The order of keys does not count.
std::string first_difference(const Json& there, const Json& here) {
  const Json changes = Json::diff(there, here);
  if (changes.empty()) return {};
  const Json::json_pointer place(changes.front().at("path").get<std::string>());
  const auto shown = [&place](const Json& json) {
    constexpr std::size_t kLongest = 60;
    std::string text = json.contains(place) ? json.at(place).dump() : "not set";
    if (text.size() > kLongest) text = text.substr(0, kLongest) + " ...";
    return text;
  };
  std::string name = place.to_string().substr(1);
  for (char& letter : name) letter = letter == '/' ? '.' : letter;
  return fmt::format("{} is {} there and {} here", name, shown(there), shown(here));
}

}  // namespace

Json bench_identity(const ExperimentPlan& plan, const std::string& device) {
  Json identity = {{"recipe", plan.name}, {"size", plan.size}, {"device", device}};
  identity["seeds"] = Json::array();
  for (const VariantPlan& variant : plan.variants) identity["seeds"].push_back(variant.split_seed);
  identity["variants"] = Json::object();
  for (const VariantPlan& variant : plan.variants) {
    Json own = variant.recipe.table;
    if (own.contains("pool")) own["pool"].erase("folder");
    own["tuned"] = variant.tune;
    own["hardest"] = variant.hardest;
    for (const AuditPlan& audit : variant.audits) {
      own["audits"][audit.name] = {{"metrics", audit.metrics},
                                   {"options", audit.options},
                                   {"models", audit.models},
                                   {"attack_seeds", audit.attack_seeds}};
    }
    identity["variants"][variant.folder()] = std::move(own);
  }
  identity["tune"] = plan.tune;
  identity["checks"] = plan.checks;
  return identity;
}

void ResultsFolder::claim(bool force) const {
  const fs::path key = folder_ / "bench.key";
  require(!fs::exists(folder_) || fs::is_empty(folder_) || fs::exists(key),
          "{} is not the folder of an experiment and is left alone: give another --out",
          folder_.string());
  if (!force && fs::exists(key) && fs::exists(folder_ / "results.json")) {
    Json there = parse_json(read_file(key));
    report::use_present_names(there);
    require(there.is_object(),
            "{} holds results of which nothing says what they are of: give another --out, or "
            "--force to replace them",
            folder_.string());
    const std::string difference = first_difference(there, identity_);
    require(difference.empty(),
            "{} holds the results of another experiment ({}): give another --out, or --force to "
            "replace them",
            folder_.string(), difference);
  }
  make_folder(folder_);
  write_file(key, identity_.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace vestige::experiment
