// The checks behind `vestige inspect` and every audit.
#include "vestige/evidence/checks/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "vestige/base/parallel.h"
#include "vestige/evidence/checks/choice_checks.h"
#include "vestige/evidence/checks/obstacles.h"
#include "vestige/evidence/checks/row_order.h"
#include "vestige/evidence/layout.h"
#include "vestige/evidence/losses.h"
#include "vestige/evidence/probed.h"
#include "vestige/evidence/tokens.h"

namespace vestige::evidence {
namespace {

// A float is NaN or infinite exactly when all its exponent bits are set.
template <typename Bits>
std::size_t count_non_finite(const std::byte* bytes, std::size_t items, Bits exponent,
                             Bits minus_infinity, bool allow_minus_infinity) {
  std::size_t found = 0;
  for (std::size_t index = 0; index < items; ++index) {
    Bits bits;
    std::memcpy(&bits, bytes + index * sizeof(Bits), sizeof(Bits));
    const bool bad = (bits & exponent) == exponent;
    const bool allowed = allow_minus_infinity && bits == minus_infinity;
    found += static_cast<std::size_t>(bad && !allowed);
  }
  return found;
}

std::size_t count_in(const Array& array, std::size_t first, std::size_t items, bool allow) {
  const std::byte* bytes = array.bytes().data() + first * array.item_size();
  switch (array.dtype()) {
    case DType::float16:
      return count_non_finite<std::uint16_t>(bytes, items, 0x7c00, 0xfc00, allow);
    case DType::bfloat16:
      return count_non_finite<std::uint16_t>(bytes, items, 0x7f80, 0xff80, allow);
    case DType::float32:
      return count_non_finite<std::uint32_t>(bytes, items, 0x7f800000U, 0xff800000U, allow);
    case DType::float64:
      return count_non_finite<std::uint64_t>(bytes, items, 0x7ff0000000000000ULL,
                                             0xfff0000000000000ULL, allow);
    default:
      return 0;
  }
}

constexpr std::size_t kItemsPerTask = std::size_t{1} << 18;

void check_finite(const Evidence& evidence, const Model& model, const std::string& below,
                  const Array& array, bool allow, Findings& findings) {
  const NonFinite found = find_non_finite(array, allow);
  if (found.items == 0) return;
  std::vector<std::string> rows;
  for (const std::size_t row : found.first_rows) rows.push_back(std::to_string(row));
  findings.push_back({Severity::error, file_of(evidence, model, below),
                      reason(Code::not_finite, found.items, rows), "E-VALUES", model.id()});
}

void check_model(const Evidence& evidence, const Model& model, Findings& findings) {
  const bool logs = evidence.kind == OutputKind::log_probabilities;
  for (const auto& [split, outputs] : model.outputs) {
    check_finite(evidence, model, split, outputs, logs, findings);
    if (all_rows_equal(outputs)) {
      findings.push_back({Severity::warning, file_of(evidence, model, split),
                          reason(Code::constant_outputs, outputs.rows()), "W-CONSTANT",
                          model.id()});
    }
  }
  for (const auto& [layer, splits] : model.activations) {
    for (const auto& [split, array] : splits) {
      check_finite(evidence, model, "activations/" + layer + "/" + split, array, false, findings);
    }
  }
  for (const auto& [split, array] : model.saliency) {
    check_finite(evidence, model, "saliency/" + split, array, false, findings);
  }
  for (const auto& [split, array] : model.grad_cam) {
    check_finite(evidence, model, "grad_cam/" + split, array, false, findings);
  }
  for (const auto& [name, splits] : model.scores) {
    for (const auto& [split, array] : splits) {
      check_finite(evidence, model, "scores/" + name + "/" + split, array, false, findings);
    }
  }
  if (model.role != "membership") return;
  for (const char* split : {"forget", "retain"}) {
    if (!model.has(split) || model.members.count(split) > 0) continue;
    findings.push_back(
        {Severity::warning, file_of(evidence, model, split),
         reason(Code::members_missing, fmt::format("{}/members/{}.npy", model.folder, split)),
         "W-MEMBERS", model.id()});
  }
}

void check_label_range(const Evidence& evidence, Findings& findings) {
  for (const auto& [split, labels] : evidence.labels) {
    const std::string file = file_of(evidence, "labels/" + split);
    const auto classes = static_cast<std::int64_t>(evidence.classes);
    // Labels of multiple-choice questions number options (choice_checks.h).
    if (classes == 0 || split.starts_with("choices.")) continue;
    const auto bad = std::find_if(labels.begin(), labels.end(), [classes](std::int64_t label) {
      return label < 0 || label >= classes;
    });
    if (bad != labels.end()) {
      findings.push_back(
          {Severity::error, file,
           reason(Code::label_out_of_range, *bad, bad - labels.begin(), classes, classes - 1),
           "E-LABELS"});
      continue;
    }
    const bool one_class =
        std::all_of(labels.begin(), labels.end(),
                    [first = labels.data()](const auto& label) { return label == *first; });
    const auto* retain = evidence.find_labels("retain");
    const bool kept =
        retain != nullptr && std::find(retain->begin(), retain->end(), labels[0]) != retain->end();
    if (!one_class || labels.size() < 2) continue;
    const bool forget = split == "forget";
    const Code what = !forget             ? Code::one_class
                      : kept              ? Code::forget_part_of_class
                      : retain != nullptr ? Code::forget_whole_class
                                          : Code::forget_one_class;
    findings.push_back({forget ? Severity::note : Severity::warning, file, reason(what, labels[0]),
                        forget ? "N-CLASS" : "W-ONE-CLASS"});
  }
}

void check_names(const std::map<std::string, std::vector<std::string>>& names,
                 const std::string& folder, const Evidence& evidence, Findings& findings) {
  for (const auto& [split, values] : names) {
    const auto* labels = evidence.find_labels(split);
    if (labels != nullptr && labels->size() != values.size()) {
      findings.push_back(
          {Severity::error, file_of(evidence, folder + "/" + split),
           reason(Code::rows_differ, values.size(), "labels/" + split, labels->size()), "E-ROWS"});
    }
  }
}

void check_ids(const Evidence& evidence, Findings& findings) {
  struct Seen {
    std::string split;
    std::size_t row;
  };
  struct Shared {
    std::string id;
    std::size_t first;  ///< row that had the id before
    std::size_t row;
    std::size_t rows = 0;  ///< such rows
  };
  std::unordered_map<std::string, Seen> seen;
  for (const char* split : {"forget", "retain", "test"}) {
    const auto found = evidence.ids.find(split);
    if (found == evidence.ids.end()) continue;
    std::map<std::string, Shared> shared;  // by the split that had the id before
    for (std::size_t row = 0; row < found->second.size(); ++row) {
      const auto [place, is_new] = seen.try_emplace(found->second[row], Seen{split, row});
      if (is_new) continue;
      const Seen& other = place->second;
      ++shared.try_emplace(other.split, Shared{found->second[row], other.row, row})
            .first->second.rows;
    }
    for (const auto& [other, ids] : shared) {
      findings.push_back(
          {Severity::error, file_of(evidence, fmt::format("ids/{}", split)),
           other == split
               ? reason(Code::id_repeated, ids.id, ids.first, ids.row, ids.rows)
               : reason(Code::id_in_two_splits, ids.id, ids.row, other, ids.first, ids.rows),
           "E-IDS"});
    }
  }
}

bool has_model(const Evidence& evidence, const std::string& role, const std::string& id) {
  for (const Group& group : evidence.groups) {
    if (group.role != role) continue;
    for (const Model& model : group.models) {
      if (model.id() == id) return true;
    }
  }
  return false;
}

/// Every score has a direction, every direction a score.
void check_score_settings(const Evidence& evidence, Findings& findings) {
  std::map<std::string, std::string> scores;  // name -> its first file
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      for (const auto& [name, splits] : model.scores) {
        scores.try_emplace(
            name, file_of(evidence, model, "scores/" + name + "/" + splits.begin()->first));
      }
    }
  }
  for (const auto& [name, file] : scores) {
    if (evidence.score_directions.count(name) > 0) continue;
    findings.push_back(
        {Severity::error, file, reason(Code::score_direction_missing, name), "E-SETTINGS"});
  }
  for (const auto& [name, direction] : evidence.score_directions) {
    if (scores.count(name) > 0) continue;
    findings.push_back(
        {Severity::warning, "evidence.toml",
         reason(Code::setting_not_used, fmt::format("scores.\"{}\"", name), "scores/" + name),
         "W-NOT-USED"});
  }
}

// A misspelt name in evidence.toml would otherwise be passed over in silence.
void check_settings(const Evidence& evidence, Findings& findings) {
  const auto not_used = [&findings](const char* section, const std::string& method,
                                    const char* role) {
    findings.push_back({Severity::warning, "evidence.toml",
                        reason(Code::setting_not_used, fmt::format("{}.\"{}\"", section, method),
                               fmt::format("{}/{}", role, method)),
                        "W-NOT-USED"});
  };
  for (const auto& [unlearned, original] : evidence.pairing) {
    const bool known = has_model(evidence, "unlearned", unlearned);
    if (known && has_model(evidence, "original", original)) continue;
    findings.push_back(
        {Severity::error, "evidence.toml",
         reason(Code::pairing_unknown, unlearned, original, known ? original : unlearned),
         "E-SETTINGS"});
  }
  const auto is_method = [&evidence](const std::string& role, const std::string& method) {
    return evidence.find(role, method) != nullptr;
  };
  for (const auto& [method, fraction] : evidence.removed_fraction) {
    if (!is_method("partial", method)) not_used("removed_fraction", method, "partial");
  }
  for (const auto& [method, share] : evidence.membership) {
    if (!is_method("checkpoint", method)) not_used("membership", method, "checkpoint");
  }
  check_score_settings(evidence, findings);
  for (const auto& [method, time] : evidence.seconds) {
    const bool known = method == "retrain" || role_order(method) < role_order("") ||
                       is_method("unlearned", method);
    if (!known) not_used("seconds", method, "unlearned");
  }
}

}  // namespace

std::string file_of(const Evidence& evidence, const std::string& key) {
  for (const Input& input : evidence.inputs) {
    for (const char* ending : {"", ".npy", ".csv"}) {
      if (input.path == key + ending) return input.path;
    }
  }
  return key;
}

std::string file_of(const Evidence& evidence, const Model& model, const std::string& below) {
  std::string file = file_of(evidence, model.folder + "/" + below);
  if (model.stacked >= 0) file += fmt::format(" (model {})", model.stacked);
  return file;
}

NonFinite find_non_finite(const Array& array, bool allow_minus_infinity) {
  NonFinite result;
  if (!is_floating(array.dtype())) return result;
  const std::size_t tasks = (array.size() + kItemsPerTask - 1) / kItemsPerTask;
  std::vector<std::size_t> counts(tasks);
  parallel_for(tasks, [&](std::size_t task) {
    const std::size_t first = task * kItemsPerTask;
    counts[task] =
        count_in(array, first, std::min(kItemsPerTask, array.size() - first), allow_minus_infinity);
  });
  for (std::size_t task = 0; task < tasks; ++task) {
    result.items += counts[task];
    if (counts[task] == 0) continue;
    const std::size_t first = task * kItemsPerTask;
    const std::size_t last = std::min(first + kItemsPerTask, array.size());
    for (std::size_t item = first; item < last && result.first_rows.size() < 3; ++item) {
      if (count_in(array, item, 1, allow_minus_infinity) == 0) continue;
      const std::size_t row = item / array.cols();
      if (result.first_rows.empty() || result.first_rows.back() != row) {
        result.first_rows.push_back(row);
      }
    }
  }
  return result;
}

bool all_rows_equal(const Array& array) {
  if (array.rows() < 2) return false;
  const std::size_t width = array.cols() * array.item_size();
  for (std::size_t row = 1; row < array.rows(); ++row) {
    if (std::memcmp(array.bytes().data(), array.bytes().data() + row * width, width) != 0) {
      return false;
    }
  }
  return true;
}

Findings check(const Evidence& evidence) {
  Findings findings;
  if (evidence.groups.empty()) {
    findings.push_back(
        {Severity::error, "",
         reason(Code::no_model_outputs, evidence.path.string(), std::vector<std::string>{}),
         "E-EMPTY"});
  }
  check_label_range(evidence, findings);
  check_names(evidence.ids, "ids", evidence, findings);
  check_names(evidence.subjects, "subjects", evidence, findings);
  check_names(evidence.subclasses, "subclasses", evidence, findings);
  check_ids(evidence, findings);
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) check_model(evidence, model, findings);
  }
  for (const Findings& more :
       {check_tokens(evidence), check_losses(evidence), check_row_order(evidence),
        check_probed(evidence), check_choices(evidence), check_samples(evidence)}) {
    findings.insert(findings.end(), more.begin(), more.end());
  }
  check_settings(evidence, findings);
  // What has errors is not compared.
  if (count(findings, Severity::error) == 0) {
    const Findings more = obstacles(evidence, findings);
    findings.insert(findings.end(), more.begin(), more.end());
  }
  return findings;
}

}  // namespace vestige::evidence
