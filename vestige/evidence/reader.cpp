// The reader: files to places; models are built by model_builder.h.
#include "vestige/evidence/reader.h"

#include <map>
#include <set>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/evidence/checks/checks.h"
#include "vestige/evidence/checks/same_models.h"
#include "vestige/evidence/checks/split_checks.h"
#include "vestige/evidence/choice.h"
#include "vestige/evidence/formats/utf8.h"
#include "vestige/evidence/layout.h"
#include "vestige/evidence/model_builder.h"
#include "vestige/evidence/settings.h"
#include "vestige/evidence/side_files.h"
#include "vestige/evidence/source.h"
#include "vestige/words/words.h"

namespace vestige::evidence {
namespace {

class Reader {
 public:
  Reader(Source source, const ReadOptions& options)
      : options_(options), source_(std::move(source)), choice_(source_, options) {
    reading_.evidence.path = source_.path();
  }

  Reading run() {
    note_prefix();
    read_settings();
    read_arrays(options_.with_hashes);
    read_side_files(source_, reading_.evidence, reading_.findings);
    choice_.forget_others(reading_.evidence);
    models_.finish();
    read_generated(source_, reading_.evidence, reading_.findings);
    if (options_.keep_going) leave_out_broken(reading_);
    settle_kind();
    check_labels_exist();
    check_accuracy(reading_.evidence, reading_.findings);
    add(check(reading_.evidence));
    add(check_splits(reading_.evidence, reading_.findings));
    if (reading_.evidence.groups.empty()) name_evidence_below();
    if (options_.keep_going) leave_out_broken(reading_);
    const std::vector<SameModels> same = same_models(reading_.evidence);
    // Copies up to rounding are both: one finding says it.
    std::erase_if(reading_.findings, [&same](const Finding& finding) {
      return (finding.reason.code == Code::nearly_same_values ||
              finding.reason.code == Code::method_model_again) &&
             std::any_of(same.begin(), same.end(), [&finding](const SameModels& pair) {
               return pair.second->id() == finding.model;
             });
    });
    add(check_same(reading_.evidence, same));
    leave_out_twins(reading_.evidence, same);
    return std::move(reading_);
  }

 private:
  void add(const Findings& more) {
    reading_.findings.insert(reading_.findings.end(), more.begin(), more.end());
  }

  void add_error(const char* code, const std::string& file, Reason why, std::string model = {}) {
    reading_.findings.push_back({Severity::error, file, std::move(why), code, std::move(model)});
  }

  void note_prefix() {
    if (source_.prefix().empty()) return;
    reading_.findings.push_back(
        {Severity::note, "",
         reason(Code::prefix_ignored, source_.path().string(), printable(source_.prefix())),
         "N-PREFIX", ""});
  }

  /// Somebody gave the folder above: says which of its folders hold models.
  void name_evidence_below() {
    std::set<std::string> folders;
    for (const std::string& key : source_.keys()) {
      const std::size_t slash = key.find('/');
      if (slash == std::string::npos || place_of(key).part != Part::unknown) continue;
      if (place_of(key.substr(slash + 1)).part == Part::outputs)
        folders.insert(key.substr(0, slash));
    }
    if (folders.empty()) return;
    for (Finding& finding : reading_.findings) {
      if (finding.code != "E-EMPTY") continue;
      finding.reason = reason(Code::no_model_outputs, source_.path().string(),
                              std::vector<std::string>(folders.begin(), folders.end()));
    }
  }

  void read_settings() {
    if (!source_.has_file("evidence.toml")) return;
    try {
      settings_ = parse_settings(source_.read("evidence.toml"), "evidence.toml");
    } catch (const InputError& error) {
      add_error("E-SETTINGS", "", reason(Code::message, error.what()));
    }
    Evidence& evidence = reading_.evidence;
    evidence.pairing = settings_.pairing;
    evidence.removed_fraction = settings_.removed_fraction;
    evidence.seconds = settings_.seconds;
    evidence.membership = settings_.membership;
    evidence.token_moments = settings_.token_moments.value_or("");
    evidence.sequence_losses = settings_.sequence_losses;
    evidence.score_directions = settings_.score_directions;
    evidence.choice_goals = settings_.choice_goals;
    evidence.vocabulary = settings_.vocabulary.value_or(0);
    evidence.exchangeable = settings_.exchangeable;
    evidence.notes = settings_.notes;
  }

  void read_arrays(bool with_hashes) {
    std::vector<Input> inputs;
    std::vector<std::string> keys;  // of inputs; a file beside the arrays has none
    for (const std::string& key : source_.keys()) {
      const std::string file = source_.file_of(key);
      Entry entry{place_of(key), file, {}};
      if (entry.place.part == Part::unknown) {
        reading_.findings.push_back({Severity::warning, file, entry.place.why, "W-NOT-READ"});
        continue;
      }
      if (!choice_.has(entry.place)) continue;
      try {
        entry.array = source_.load(key);
      } catch (const InputError& error) {
        const bool names = entry.place.part == Part::labels && file.ends_with(".csv");
        const Reason message = reason(Code::message, error.what());
        add_error("E-FILE", "", names ? reason(Code::labels_not_numbers, message) : message,
                  model_id(entry.place));
        continue;
      }
      inputs.push_back({file, "", entry.array.shape()});
      keys.push_back(key);
      place(std::move(entry));
    }
    for (const std::string& file : source_.files()) {
      if (!is_side_file(file)) continue;
      inputs.push_back({file, "", {}});
      keys.emplace_back();
    }
    if (with_hashes) {
      parallel_for(inputs.size(), [&](std::size_t index) {
        inputs[index].sha256 = keys[index].empty() ? source_.sha256_file(inputs[index].path)
                                                   : source_.sha256(keys[index]);
      });
    }
    reading_.evidence.inputs = std::move(inputs);
  }

  void place(Entry entry) {
    const Place& where = entry.place;
    if (where.part == Part::labels) return place_labels(entry);
    if (where.part == Part::digests) return place_digests(entry);
    if (where.part == Part::ids || where.part == Part::subjects || where.part == Part::subclasses) {
      return place_names(entry);
    }
    if (entry.array.size() == 0) {
      return add_error("E-SHAPE", entry.file,
                       reason(Code::no_values, shape_text(entry.array.shape())), model_id(where));
    }
    if (where.part == Part::pictures) return place_pictures(entry);
    models_.add(std::move(entry));
  }

  void place_pictures(const Entry& entry) {
    const auto& shape = entry.array.shape();
    const bool grey = shape.size() == 3;
    const bool colour = shape.size() == 4 && (shape[3] == 1 || shape[3] == 3);
    if (entry.array.dtype() != DType::uint8 || !(grey || colour)) {
      return add_error(
          "E-SHAPE", entry.file,
          wrong_array(entry.array, {"[examples, height, width]", "[examples, height, width, 3]"},
                      {"uint8"}));
    }
    if (models_.rows_fit(entry, entry.place.split, shape[0])) {
      reading_.evidence.pictures[entry.place.split] = entry.array;
    }
  }

  void place_labels(const Entry& entry) {
    const bool column = entry.array.rank() == 2 && entry.array.shape()[1] == 1;
    if (entry.array.rank() != 1 && !column) {
      return add_error(
          "E-LABELS", entry.file,
          wrong_array(entry.array, {"[examples]"}, kIntegers, Code::one_hot_to_numbers));
    }
    if (entry.array.rows() == 0) {
      return add_error("E-LABELS", entry.file,
                       reason(Code::no_values, shape_text(entry.array.shape())));
    }
    try {
      reading_.evidence.labels[entry.place.split] = entry.array.integers();
    } catch (const InputError& error) {
      add_error("E-LABELS", entry.file,
                reason(Code::labels_not_numbers, reason(Code::message, error.what())));
    }
  }

  void place_digests(const Entry& entry) {
    if (entry.array.rank() != 1 || entry.array.dtype() != DType::int64) {
      return add_error("E-SHAPE", entry.file, wrong_array(entry.array, {"[examples]"}, {"int64"}));
    }
    reading_.evidence.digests[entry.place.split] = entry.array.integers();
  }

  void place_names(const Entry& entry) {
    if (entry.array.rank() != 1) {
      return add_error("E-SHAPE", entry.file,
                       wrong_array(entry.array, {"[examples]"}, {"text", "integer"}));
    }
    Evidence& evidence = reading_.evidence;
    auto& target = entry.place.part == Part::ids        ? evidence.ids
                   : entry.place.part == Part::subjects ? evidence.subjects
                                                        : evidence.subclasses;
    target[entry.place.split] = entry.array.strings();
  }

  void settle_kind() {
    Evidence& evidence = reading_.evidence;
    if (settings_.kind) {
      evidence.kind_declared = true;
      evidence.kind = kind_named(*settings_.kind);
      if (evidence.kind == OutputKind::logits) refuse_probabilities();
      return;
    }
    std::map<OutputKind, std::string> seen;
    for (const Group& group : evidence.groups) {
      for (const Model& model : group.models) {
        for (const auto& [split, outputs] : model.outputs) {
          const OutputKind kind = detect_kind(outputs);
          // A diverged model says NaN everywhere, which is no kind; the checks report it.
          if (seen.count(kind) > 0 || find_non_finite(outputs).items == outputs.size()) continue;
          seen.emplace(kind, file_of(evidence, model.folder + "/" + split));
        }
      }
    }
    if (seen.empty()) return;
    const auto probabilities = seen.find(OutputKind::probabilities);
    if (probabilities != seen.end() && seen.size() > 1) {
      const auto& other =
          seen.begin()->first == OutputKind::probabilities ? *seen.rbegin() : *seen.begin();
      add_error("E-KIND", "",
                reason(Code::kinds_differ, probabilities->second, name(OutputKind::probabilities),
                       other.second, name(other.first)));
      return;
    }
    // Log-probabilities are valid logits, so a mixture of the two is read as logits.
    evidence.kind = seen.size() > 1 ? OutputKind::logits : seen.begin()->first;
  }

  /// Rows in [0, 1] that sum to 1 are no logits, whatever evidence.toml says.
  void refuse_probabilities() {
    const Evidence& evidence = reading_.evidence;
    for (const Group& group : evidence.groups) {
      for (const Model& model : group.models) {
        for (const auto& [split, outputs] : model.outputs) {
          if (outputs.cols() < 2 || all_rows_equal(outputs)) continue;
          if (detect_kind(outputs) != OutputKind::probabilities) continue;
          add_error("E-KIND", file_of(evidence, model.folder + "/" + split),
                    Code::declared_logits_are_probabilities);
          return;
        }
      }
    }
  }

  void check_labels_exist() {
    std::set<std::string> reported;
    for (const Group& group : reading_.evidence.groups) {
      for (const Model& model : group.models) {
        for (const auto& [split, outputs] : model.outputs) {
          // Shadow-calibrated rows are the calibration rows, so they share its labels.
          if (split == "calibration_shadow" || split == "calibration_semi_shadow") continue;
          if (reading_.evidence.find_labels(model, split) != nullptr) continue;
          if (!reported.insert(split).second) continue;
          add_error("E-LABELS", file_of(reading_.evidence, model.folder + "/" + split),
                    reason(Code::labels_missing, split, outputs.rows()));
        }
      }
    }
  }

  const ReadOptions& options_;
  Source source_;
  MethodChoice choice_;
  Settings settings_;
  Reading reading_;
  ModelBuilder models_{settings_, reading_};
};

/// Throws the first error.
Reading without_errors(Reading reading) {
  const std::size_t errors = count(reading.findings, Severity::error);
  for (const Finding& finding : reading.findings) {
    if (finding.severity != Severity::error) continue;
    fail("{}{}", words::text(about(finding)),
         errors == 1 ? std::string()
                     : fmt::format(" ({} more: vestige inspect {} lists all)", errors - 1,
                                   reading.evidence.path.string()));
  }
  return reading;
}

}  // namespace

Reading read(Source source, const ReadOptions& options, const Context& context) {
  Reader reader(std::move(source), options);
  return context.run([&] { return reader.run(); });
}

Reading read(const std::filesystem::path& path, const ReadOptions& options,
             const Context& context) {
  return read(open_source(path), options, context);
}

Reading read(const std::filesystem::path& path, bool with_hashes, const Context& context) {
  return read(path, ReadOptions{.with_hashes = with_hashes}, context);
}

Reading load(Source source, const ReadOptions& options, const Context& context) {
  return without_errors(read(std::move(source), options, context));
}

Reading load(const std::filesystem::path& path, const ReadOptions& options,
             const Context& context) {
  return load(open_source(path), options, context);
}

Reading load(const std::filesystem::path& path, bool with_hashes, const Context& context) {
  return load(path, ReadOptions{.with_hashes = with_hashes}, context);
}

}  // namespace vestige::evidence
