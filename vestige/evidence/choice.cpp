// Leaving methods and models out.
#include "vestige/evidence/choice.h"

#include <algorithm>
#include <set>

#include "vestige/base/error.h"
#include "vestige/base/text.h"
#include "vestige/evidence/formats/utf8.h"
#include "vestige/evidence/layout.h"
#include "vestige/evidence/probed.h"

namespace vestige::evidence {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void require_known(const std::vector<std::string>& asked, const std::vector<std::string>& known,
                   const char* option, const std::string& path) {
  for (const std::string& name : asked) {
    require(!known.empty(), "{} {}: {} has no unlearned models at all", option, printable(name),
            path);
    require(contains(known, name), "{}: {} has no method \"{}\"; the nearest is \"{}\"", option,
            path, printable(name), nearest(name, known));
  }
}

/// "unlearned/finetune/0" and, of a stacked pool, "unlearned/finetune/pool/3".
bool is_part_of(const std::string& id, const std::string& model) {
  return id == model || id.starts_with(model + "/");
}

void remove_model(Evidence& evidence, const std::string& model) {
  for (Group& group : evidence.groups) {
    if (!model.starts_with(group.id() + "/")) continue;
    std::erase_if(group.models, [&](const Model& one) { return is_part_of(one.id(), model); });
    evidence.accuracy.erase(group.id());
    if (!group.method.empty()) evidence.accuracy.erase(group.method);
  }
  std::erase_if(evidence.groups, [](const Group& group) { return group.models.empty(); });
  std::erase_if(evidence.pairing, [&](const auto& pair) {
    return is_part_of(pair.first, model) || is_part_of(pair.second, model);
  });
}

}  // namespace

MethodChoice::MethodChoice(const Source& source, const ReadOptions& options) {
  if (options.methods.empty() && options.exclude.empty()) return;
  std::set<std::string> found;
  for (const std::string& key : source.keys()) {
    const Place place = place_of(key);
    if (place.role == "unlearned") found.insert(place.method);
  }
  const std::vector<std::string> known(found.begin(), found.end());
  require_known(options.methods, known, "--methods", source.path().string());
  require_known(options.exclude, known, "--exclude", source.path().string());
  for (const std::string& method : known) {
    const bool wanted = options.methods.empty() || contains(options.methods, method);
    if (!wanted || contains(options.exclude, method)) others_.push_back(method);
  }
  require(others_.size() < known.size(),
          "--methods and --exclude leave none of the methods of {}: exclude fewer",
          source.path().string());
}

bool MethodChoice::has(const std::string& method) const { return !contains(others_, method); }

bool MethodChoice::has(const Place& place) const {
  if (place.role == "unlearned") return has(place.method);
  if (place.role != kProbed) return true;
  const ProbedGroup probed = probed_group(place.method);
  return probed.role != "unlearned" || has(probed.method);
}

void MethodChoice::forget_others(Evidence& evidence) const {
  for (const std::string& method : others_) {
    evidence.accuracy.erase(method);
    evidence.accuracy.erase("unlearned/" + method);
    evidence.seconds.erase(method);
    std::erase_if(evidence.pairing, [&](const auto& pair) {
      return pair.first.starts_with("unlearned/" + method + "/");
    });
  }
}

void leave_out_broken(Reading& reading) {
  for (Finding& finding : reading.findings) {
    if (finding.severity != Severity::error || finding.model.empty()) continue;
    remove_model(reading.evidence, finding.model);
    finding.severity = Severity::warning;
    finding.code = "W-LEFT-OUT";
    finding.reason = reason(Code::left_out, finding.model, finding.reason);
  }
}

}  // namespace vestige::evidence
