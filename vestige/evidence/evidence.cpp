// Looking things up in the evidence.
#include "vestige/evidence/evidence.h"

#include "vestige/evidence/layout.h"

namespace vestige::evidence {
namespace {

std::string join(const std::string& role, const std::string& method) {
  return method.empty() ? role : role + "/" + method;
}

}  // namespace

std::string Model::id() const { return join(role, method) + "/" + name; }

std::string Group::id() const { return join(role, method); }

const Group* Evidence::find(std::string_view role, std::string_view method) const {
  for (const Group& group : groups) {
    if (group.role == role && group.method == method) return &group;
  }
  return nullptr;
}

std::vector<const Group*> Evidence::unlearned() const {
  std::vector<const Group*> found;
  for (const Group& group : groups) {
    if (group.role == "unlearned") found.push_back(&group);
  }
  return found;
}

const Model* Evidence::original_of(const Model& model) const {
  const Group* originals = find("original");
  if (originals == nullptr) return nullptr;
  const auto declared = pairing.find(model.id());
  for (const Model& original : originals->models) {
    if (declared != pairing.end() ? original.id() == declared->second
                                  : original.name == model.name) {
      return &original;
    }
  }
  return nullptr;
}

const std::vector<std::int64_t>* Evidence::find_labels(std::string_view split) const {
  const auto found = labels.find(std::string(split));
  return found == labels.end() ? nullptr : &found->second;
}

const std::vector<std::int64_t>* Evidence::find_labels(const Model& model,
                                                       std::string_view split) const {
  const auto* own = find_labels(std::string(split) + "." + model.name);
  return own != nullptr ? own : find_labels(split);
}

const std::vector<double>* Evidence::find_accuracy(const Group& group,
                                                   std::string_view split) const {
  for (const std::string& key : {group.id(), group.method}) {
    const auto entry = accuracy.find(key);
    if (key.empty() || entry == accuracy.end()) continue;
    const auto values = entry->second.find(std::string(split));
    if (values != entry->second.end()) return &values->second;
  }
  return nullptr;
}

}  // namespace vestige::evidence
