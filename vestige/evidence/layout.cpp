// Paths of the evidence folder (the layout is described in docs/reference/evidence.md).
#include "vestige/evidence/layout.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "vestige/evidence/probed.h"

namespace vestige::evidence {
namespace {

constexpr std::array<std::string_view, 10> kRoles = {
    "original", "retrained", "unlearned",  "partial",      "checkpoint",
    "shadow",   "random",    "membership", "verification", "probed"};

std::vector<std::string> split_path(std::string_view key) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t slash = key.find('/', start);
    parts.emplace_back(key.substr(start, slash - start));
    if (slash == std::string_view::npos) return parts;
    start = slash + 1;
  }
}

/// A path that is not read, and what is read in its place.
Place unknown(std::vector<std::string> paths) {
  Place place;
  place.why = result::reason(result::Code::path_not_read, std::move(paths));
  return place;
}

bool is_folder_of_model(const std::string& part) {
  return part == "activations" || part == "saliency" || part == "tokens" || part == "members" ||
         part == "batches" || part == "grad_cam" || part == "losses" || part == "generated" ||
         part == "scores" || part == "choices";
}

// What follows the model's name: forget | activations/LAYER/forget | saliency/forget |
// tokens/forget | losses/forget | generated/forget.rouge_l | members/forget | batches/forget |
// grad_cam/forget | scores/NAME/forget | choices/NAME
Place inside_model(Place place, const std::vector<std::string>& rest) {
  if (rest.size() == 1) {
    place.part = Part::outputs;
    place.split = rest[0];
  } else if (rest[0] == "activations" && rest.size() == 3) {
    place.part = Part::activations;
    place.layer = rest[1];
    place.split = rest[2];
  } else if (rest[0] == "scores" && rest.size() == 3) {
    place.part = Part::scores;
    place.layer = rest[1];
    place.split = rest[2];
  } else if (rest[0] == "saliency" && rest.size() == 2) {
    place.part = Part::saliency;
    place.split = rest[1];
  } else if (rest.size() == 2 && rest[0] != "activations" && rest[0] != "scores" &&
             is_folder_of_model(rest[0])) {
    place.part = rest[0] == "tokens"      ? Part::tokens
                 : rest[0] == "losses"    ? Part::losses
                 : rest[0] == "generated" ? Part::generated
                 : rest[0] == "choices"   ? Part::choices
                 : rest[0] == "members"   ? Part::members
                 : rest[0] == "batches"   ? Part::batches
                                          : Part::grad_cam;
    place.split = rest[1];
  } else {
    return unknown({"MODEL/SPLIT.npy", "MODEL/activations/LAYER/SPLIT.npy",
                    "MODEL/saliency/SPLIT.npy", "MODEL/tokens/SPLIT.npy", "MODEL/losses/SPLIT.npy",
                    "MODEL/generated/SPLIT.txt", "MODEL/members/SPLIT.npy",
                    "MODEL/batches/SPLIT.npy", "MODEL/grad_cam/SPLIT.npy",
                    "MODEL/scores/NAME/SPLIT.npy", "MODEL/choices/NAME.npy"});
  }
  return place;
}

// What follows "probed": PROBE/ROLE or PROBE/unlearned/METHOD becomes the method, so that the rest
// is that of any model.
Place probed_model(std::vector<std::string> parts, std::size_t& next) {
  const std::vector<std::string> paths = {"probed/TEST/original/NAME/SPLIT.npy",
                                          "probed/TEST/retrained/NAME/SPLIT.npy",
                                          "probed/TEST/unlearned/METHOD/NAME/SPLIT.npy"};
  if (parts.size() < 4) return unknown(paths);
  const std::string& role = parts[2];
  const bool unlearned = role == "unlearned";
  if (!unlearned && role != "original" && role != "retrained") return unknown(paths);
  if (parts.size() < (unlearned ? 5U : 4U)) return unknown(paths);
  Place place;
  place.role = kProbed;
  place.method = probed_method({parts[1], role, unlearned ? parts[3] : std::string()});
  next = unlearned ? 4 : 3;
  return place;
}

}  // namespace

bool has_methods(std::string_view role) {
  return role == "unlearned" || role == "partial" || role == "checkpoint" || role == kProbed;
}

int role_order(std::string_view role) {
  return static_cast<int>(std::find(kRoles.begin(), kRoles.end(), role) - kRoles.begin());
}

Place place_of(std::string_view key) {
  std::vector<std::string> parts = split_path(key);
  Place place;
  if (parts[0] == "labels" || parts[0] == "ids" || parts[0] == "subjects" ||
      parts[0] == "subclasses" || parts[0] == "pictures" || parts[0] == "digests") {
    if (parts.size() != 2) return unknown({parts[0] + "/SPLIT.npy"});
    place.part = parts[0] == "labels"       ? Part::labels
                 : parts[0] == "ids"        ? Part::ids
                 : parts[0] == "digests"    ? Part::digests
                 : parts[0] == "subjects"   ? Part::subjects
                 : parts[0] == "subclasses" ? Part::subclasses
                                            : Part::pictures;
    place.split = parts[1];
    return place;
  }
  if (role_order(parts[0]) == static_cast<int>(kRoles.size())) {
    std::vector<std::string> folders = {"labels/",   "ids/",     "subjects/", "subclasses/",
                                        "pictures/", "digests/", "text/"};
    for (const std::string_view role : kRoles) folders.push_back(std::string(role) + "/");
    return unknown(std::move(folders));
  }
  place.role = parts[0];
  std::size_t next = 1;
  if (place.role == kProbed) {
    place = probed_model(parts, next);
    if (place.role.empty()) return place;
  } else if (has_methods(place.role)) {
    if (parts.size() < 3) {
      return unknown({place.role + "/METHOD/NAME/SPLIT.npy"});
    }
    place.method = parts[next++];
  }
  const std::size_t left = parts.size() - next;
  if (left == 0) return unknown({place.role + "/NAME/SPLIT.npy"});
  if (left == 1 || is_folder_of_model(parts[next])) {
    place.name = "0";
  } else {
    place.name = parts[next++];
  }
  return inside_model(std::move(place),
                      {parts.begin() + static_cast<std::ptrdiff_t>(next), parts.end()});
}

std::string model_id(const Place& place) {
  if (place.role.empty()) return {};
  return place.role + "/" + (place.method.empty() ? "" : place.method + "/") + place.name;
}

bool natural_less(std::string_view left, std::string_view right) {
  const auto digit = [](char character) { return character >= '0' && character <= '9'; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() && j < right.size()) {
    if (digit(left[i]) && digit(right[j])) {
      std::size_t i_end = i;
      std::size_t j_end = j;
      while (i_end < left.size() && digit(left[i_end])) ++i_end;
      while (j_end < right.size() && digit(right[j_end])) ++j_end;
      while (i + 1 < i_end && left[i] == '0') ++i;
      while (j + 1 < j_end && right[j] == '0') ++j;
      if (i_end - i != j_end - j) return i_end - i < j_end - j;
      const int order = left.substr(i, i_end - i).compare(right.substr(j, j_end - j));
      if (order != 0) return order < 0;
      i = i_end;
      j = j_end;
    } else {
      if (left[i] != right[j]) return left[i] < right[j];
      ++i;
      ++j;
    }
  }
  if (left.size() - i != right.size() - j) return left.size() - i < right.size() - j;
  return left < right;
}

}  // namespace vestige::evidence
