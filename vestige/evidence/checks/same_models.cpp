// Comparing models value for value.
#include "vestige/evidence/checks/same_models.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <span>
#include <string_view>

#include "vestige/evidence/checks/checks.h"
#include "vestige/evidence/probed.h"

namespace vestige::evidence {
namespace {

constexpr std::size_t kSamples = 16;
constexpr std::size_t kItemsPerBlock = std::size_t{1} << 14;
// Files with fewer different values (zeros and ones not counted) may be the same by chance: answers
// without probabilities, or probabilities of a model that is sure of everything.
constexpr std::size_t kFewestDifferent = 16;

/// One array of a model, with values spread over it.
struct Piece {
  std::string below;  ///< the model's folder: "forget", "tokens/forget"
  const Array* array = nullptr;
  std::array<double, kSamples> sample{};
};

struct Sampled {
  const Model* model = nullptr;
  std::vector<Piece> pieces;  ///< in the order of `below`
  bool twin = false;          ///< of a model before it in its group
};

/// Half of a step of the type, as a share of the value.
double rounding(DType type) {
  switch (type) {
    case DType::float16:
      return 0x1p-11;
    case DType::bfloat16:
      return 0x1p-8;
    case DType::float32:
      return 0x1p-24;
    default:
      return 0;
  }
}

bool agree(double left, double right, double step) {
  if (left == right || (std::isnan(left) && std::isnan(right))) return true;
  const double size = std::max(std::abs(left), std::abs(right));
  // Halves below 2^-14 lie 2^-24 apart.
  const double smallest = step == 0x1p-11 ? 0x1p-25 : 0;
  return step > 0 && std::abs(left - right) <= std::max(step * size, smallest);
}

double step_between(const Array& left, const Array& right) {
  return left.dtype() == right.dtype() ? 0
                                       : std::max(rounding(left.dtype()), rounding(right.dtype()));
}

void add_pieces(const std::map<std::string, Array>& arrays, const std::string& folder,
                std::vector<Piece>& pieces) {
  for (const auto& [split, array] : arrays) {
    // Where sequences begin is the same for all; ranks are small whole numbers.
    if (split.ends_with(".offsets") || split.ends_with(".groups") || split.ends_with(".rank")) {
      continue;
    }
    if (array.size() == 0 || array.dtype() == DType::text) continue;
    Piece piece{folder + split, &array, {}};
    for (std::size_t i = 0; i < kSamples; ++i) {
      array.read(i * array.size() / kSamples, std::span(piece.sample).subspan(i, 1));
    }
    pieces.push_back(std::move(piece));
  }
}

bool same_values(const Piece& left, const Piece& right) {
  if (left.array->shape() != right.array->shape()) return false;
  const double step = step_between(*left.array, *right.array);
  for (std::size_t i = 0; i < kSamples; ++i) {
    if (!agree(left.sample[i], right.sample[i], step)) return false;
  }
  std::vector<double> ours, theirs;
  const std::size_t width = left.array->item_size(), size = left.array->size();
  for (std::size_t first = 0; first < size; first += kItemsPerBlock) {
    const std::size_t items = std::min(kItemsPerBlock, size - first);
    if (left.array->dtype() == right.array->dtype() &&
        std::memcmp(left.array->bytes().data() + first * width,
                    right.array->bytes().data() + first * width, items * width) == 0) {
      continue;
    }
    ours.resize(items);
    theirs.resize(items);
    left.array->read(first, ours);
    right.array->read(first, theirs);
    for (std::size_t i = 0; i < items; ++i) {
      if (!agree(ours[i], theirs[i], step)) return false;
    }
  }
  return true;
}

/// Which sameness of two models, the first before the second in the evidence, says that something
/// is wrong.
enum class Interest { none, whole, any };

Interest interest(const Model& first, const Model& second) {
  // Halves of pairs that UnLeak learns from may be alike.
  const auto half = [](const Model& model) {
    return model.role == "shadow" && model.name.find('.') != std::string::npos;
  };
  if (first.role == kProbed || second.role == kProbed || half(first) || half(second)) {
    return Interest::none;
  }
  const std::string& role = second.role;
  if (first.role == role && first.method == second.method) {
    return role == "original" || role == "retrained" ? Interest::any : Interest::whole;
  }
  if (first.role == "original") {
    return role == "retrained"   ? Interest::any
           : role == "unlearned" ? Interest::whole
                                 : Interest::none;
  }
  if (first.role == "retrained") {
    if (role == "unlearned") return Interest::any;
    const bool own = second.method.starts_with("retrained");
    return role == "checkpoint" && !own ? Interest::whole : Interest::none;
  }
  const bool of_a_kind = first.role == role && (role == "unlearned" || role == "partial");
  return of_a_kind ? Interest::whole : Interest::none;
}

SameModels compare(const Sampled& first, const Sampled& second, Interest wanted) {
  SameModels same{first.model, second.model, {}, true};
  bool something = false;
  auto left = first.pieces.begin();
  for (const Piece& right : second.pieces) {
    while (left != first.pieces.end() && left->below < right.below) ++left;
    if (left == first.pieces.end()) break;
    if (left->below != right.below) continue;
    if (!same_values(*left, right)) {
      if (wanted == Interest::whole) return {};
      same.whole = false;
      continue;
    }
    const bool chance = !says_something(*right.array);
    something = something || !chance;
    if (!chance) same.splits.push_back(right.below);
  }
  return something ? same : SameModels{};
}

/// What it means that the two are the same, and what to do.
Reason meaning_of(const SameModels& same) {
  const std::string &first = same.first->role, &second = same.second->role;
  const bool no_verdict = first == "retrained" && second == "unlearned";
  if (!same.whole) {
    return reason(Code::files_mixed_up, same.first->id(), same.second->id(), no_verdict);
  }
  if (same.twins()) return reason(Code::model_twice, same.first->id(), same.second->id());
  if (no_verdict) return reason(Code::unlearned_is_retrained, same.first->id());
  if (first == "original") {
    return second == "retrained" ? Code::retrained_is_original : Code::unlearned_is_original;
  }
  if (second == "checkpoint") return Code::checkpoint_is_retrained;
  return reason(Code::one_model_two_names, same.first->id(), same.second->id());
}

}  // namespace

bool says_something(const Array& array) {
  if (array.rank() >= 2 && all_rows_equal(array)) return false;
  std::set<double> different;
  std::vector<double> block;
  for (std::size_t first = 0; first < array.size(); first += kItemsPerBlock) {
    block.resize(std::min(kItemsPerBlock, array.size() - first));
    array.read(first, block);
    for (const double value : block) {
      if (value != 0 && value != 1 && different.insert(value).second &&
          different.size() >= kFewestDifferent) {
        return true;
      }
    }
  }
  return false;
}

bool SameModels::twins() const {
  return first->role == second->role && first->method == second->method;
}

std::vector<SameModels> same_models(const Evidence& evidence) {
  std::vector<Sampled> models;
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      Sampled sampled{&model, {}, false};
      add_pieces(model.choices, "choices/", sampled.pieces);
      add_pieces(model.losses, "losses/", sampled.pieces);
      add_pieces(model.outputs, "", sampled.pieces);
      add_pieces(model.tokens, "tokens/", sampled.pieces);
      std::sort(sampled.pieces.begin(), sampled.pieces.end(),
                [](const Piece& left, const Piece& right) { return left.below < right.below; });
      models.push_back(std::move(sampled));
    }
  }
  std::vector<SameModels> found;
  for (std::size_t second = 0; second < models.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      // What is the same as a twin is the same as what that is a twin of.
      if (models[first].twin || models[second].twin) continue;
      const Interest wanted = interest(*models[first].model, *models[second].model);
      if (wanted == Interest::none) continue;
      SameModels same = compare(models[first], models[second], wanted);
      if (same.first == nullptr) continue;
      models[second].twin = same.whole && same.twins();
      found.push_back(std::move(same));
    }
  }
  return found;
}

Finding finding_of(const Evidence& evidence, const SameModels& same,
                   std::vector<std::string> likewise) {
  const std::string& split = same.splits.front();
  const std::vector<std::string> others(same.splits.begin() + 1, same.splits.end());
  return {Severity::warning, file_of(evidence, *same.second, split),
          reason(Code::same_values, file_of(evidence, *same.first, split), others, meaning_of(same),
                 std::move(likewise)),
          "W-SAME", same.second->id()};
}

Findings check_same(const Evidence& evidence, const std::vector<SameModels>& same) {
  // Many models of a group in the same case are one finding.
  struct Case {
    const SameModels* first;
    std::vector<std::string> others;
  };
  std::vector<Case> cases;
  for (const SameModels& pair : same) {
    const auto known = std::find_if(cases.begin(), cases.end(), [&pair](const Case& one) {
      const SameModels& other = *one.first;
      return other.first->role == pair.first->role && other.first->method == pair.first->method &&
             other.second->role == pair.second->role &&
             other.second->method == pair.second->method && other.whole == pair.whole;
    });
    if (known == cases.end()) {
      cases.push_back({&pair, {}});
    } else {
      known->others.push_back(pair.second->id());
    }
  }
  Findings findings;
  for (const auto& [pair, others] : cases) {
    findings.push_back(finding_of(evidence, *pair, others));
  }
  return findings;
}

void leave_out_twins(Evidence& evidence, const std::vector<SameModels>& same) {
  std::map<std::string, std::string> stays;  // by id of the model that goes
  for (const SameModels& pair : same) {
    if (pair.whole && pair.twins()) stays.emplace(pair.second->id(), pair.first->id());
  }
  if (stays.empty()) return;
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      if (model.role != "unlearned") continue;
      const auto declared = evidence.pairing.find(model.id());
      const auto kept = stays.find(declared != evidence.pairing.end() ? declared->second
                                                                      : "original/" + model.name);
      if (kept != stays.end()) evidence.pairing[model.id()] = kept->second;
    }
  }
  for (Group& group : evidence.groups) {
    for (std::size_t index = group.models.size(); index-- > 0;) {
      const std::string id = group.models[index].id();
      const ProbedGroup probed = probed_group(group.role == kProbed ? group.method : "");
      const std::string before = probed.role + (probed.method.empty() ? "" : "/" + probed.method) +
                                 "/" + group.models[index].name;
      if (!stays.contains(id) && !stays.contains(before)) continue;
      for (const std::string& key : {group.id(), group.method}) {
        const auto values = evidence.accuracy.find(key);
        if (key.empty() || values == evidence.accuracy.end()) continue;
        for (auto& [split, of_models] : values->second) {
          if (of_models.size() != group.models.size()) continue;
          of_models.erase(of_models.begin() + static_cast<std::ptrdiff_t>(index));
        }
      }
      evidence.pairing.erase(id);
      group.models.erase(group.models.begin() + static_cast<std::ptrdiff_t>(index));
    }
  }
}

}  // namespace vestige::evidence
