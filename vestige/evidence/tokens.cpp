// Reading and checking tokens/*.npy.
#include "vestige/evidence/tokens.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/evidence/checks.h"

namespace vestige::evidence {
namespace {

// log_softmax in float32 ends a few units above 0 in the last place at worst.
constexpr double kRounding = 1e-6;

/// The arrays of one model and split.
class SplitReader {
 public:
  SplitReader(const Evidence& evidence, const Model& model, std::string_view split)
      : evidence_(evidence), model_(model), split_(split) {}

  TokenSplit read() const {
    TokenSplit result;
    result.log_probabilities = values("");
    result.offsets = offsets(".offsets", result.log_probabilities.size());
    check_log_probabilities(result.log_probabilities, result.offsets, file(""));
    result.mean = per_token(".mean", result);
    result.deviation = per_token(".std", result);
    result.entropy = per_token(".entropy", result);
    check_not_negative(result.deviation, result.offsets, ".std", "a standard deviation");
    check_not_negative(result.entropy, result.offsets, ".entropy", "an entropy");
    if (has(".lower")) read_lower(result);
    return result;
  }

 private:
  bool has(std::string_view suffix) const { return model_.tokens.count(key(suffix)) > 0; }
  std::string key(std::string_view suffix) const { return split_ + std::string(suffix); }
  std::string file(std::string_view suffix) const {
    return file_of(evidence_, model_.folder + "/tokens/" + key(suffix));
  }

  std::vector<double> values(std::string_view suffix) const {
    const Array& array = model_.tokens.at(key(suffix));
    require(array.rank() == 1 && is_floating(array.dtype()),
            "{}: has shape {} and type {}: give one floating number per token, all sequences one "
            "after the other, [tokens]",
            file(suffix), shape_text(array.shape()), name(array.dtype()));
    return array.doubles();
  }

  std::vector<std::size_t> offsets(std::string_view suffix, std::size_t tokens) const {
    require(has(suffix),
            "{}: there is no {}{}.npy beside it: add where each sequence begins, and the number of "
            "tokens at the end",
            file(suffix == ".offsets" ? "" : ".lower"), split_, suffix);
    const Array& array = model_.tokens.at(key(suffix));
    require(array.rank() == 1 && is_integer(array.dtype()),
            "{}: has shape {} and type {}: offsets are whole numbers, [sequences + 1]",
            file(suffix), shape_text(array.shape()), name(array.dtype()));
    return checked_offsets(array.integers(), tokens, file(suffix));
  }

  std::vector<double> per_token(std::string_view suffix, const TokenSplit& split) const {
    if (!has(suffix)) return {};
    std::vector<double> result = values(suffix);
    require(result.size() == split.log_probabilities.size(),
            "{}: has {} values, {} has {} tokens: give one value per token", file(suffix),
            result.size(), file(""), split.log_probabilities.size());
    for (std::size_t row = 0; row + 1 < split.offsets.size(); ++row) {
      for (std::size_t token = split.offsets[row]; token < split.offsets[row + 1]; ++token) {
        if (std::isfinite(result[token])) continue;
        fail("{}: has {} in sequence {}, token {}: export finite numbers", file(suffix),
             result[token], row, token - split.offsets[row]);
      }
    }
    return result;
  }

  void check_not_negative(const std::vector<double>& numbers,
                          const std::vector<std::size_t>& starts, std::string_view suffix,
                          std::string_view what) const {
    const auto bad = std::find_if(numbers.begin(), numbers.end(),
                                  [](double value) { return value < -kRounding; });
    if (bad == numbers.end()) return;
    const auto token = static_cast<std::size_t>(bad - numbers.begin());
    const auto row = std::upper_bound(starts.begin(), starts.end(), token) - starts.begin() - 1;
    fail("{}: has {} in sequence {}: {} is not negative, check the export", file(suffix), *bad, row,
         what);
  }

  void read_lower(TokenSplit& result) const {
    result.lower = values(".lower");
    if (has(".lower.offsets")) {
      result.lower_offsets = offsets(".lower.offsets", result.lower.size());
      require(result.lower_offsets.size() == result.offsets.size(),
              "{}: has {} sequences, {} has {}: give the same sequences in the same order",
              file(".lower.offsets"), result.lower_offsets.size() - 1, file(".offsets"),
              result.offsets.size() - 1);
    } else {
      require(result.lower.size() == result.log_probabilities.size(),
              "{}: has {} tokens, {} has {}: lower-cased text has tokens of its own, add "
              "{}.lower.offsets.npy beside it",
              file(".lower"), result.lower.size(), file(""), result.log_probabilities.size(),
              split_);
      result.lower_offsets = result.offsets;
    }
    check_log_probabilities(result.lower, result.lower_offsets, file(".lower"));
  }

  const Evidence& evidence_;
  const Model& model_;
  std::string split_;
};

constexpr std::string_view kSuffixes[] = {".lower.offsets", ".offsets", ".mean",
                                          ".std",           ".entropy", ".lower"};

std::string split_of(std::string_view key) {
  for (const std::string_view suffix : kSuffixes) {
    if (key.ends_with(suffix)) return std::string(key.substr(0, key.size() - suffix.size()));
  }
  return std::string(key);
}

/// Something about the tokens of a known split that nothing here reads: "forget.rank".
bool is_unread(const Model& model, const std::string& key) {
  const std::string split = key.substr(0, key.find('.'));
  return split_of(key) == key && split != key && model.tokens.count(split) > 0;
}

/// Splits of a model; those without log-probabilities have files that nothing can use.
std::set<std::string> splits_of(const Model& model) {
  std::set<std::string> splits;
  for (const auto& [key, array] : model.tokens) {
    if (!is_unread(model, key)) splits.insert(split_of(key));
  }
  return splits;
}

/// One warning for each kind of array that nothing reads.
void add_unread(const Evidence& evidence, Findings& findings) {
  std::map<std::string, std::pair<const Model*, std::size_t>> unread;
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      for (const auto& [key, array] : model.tokens) {
        if (!is_unread(model, key)) continue;
        auto& [first, count] = unread[key];
        if (count++ == 0) first = &model;
      }
    }
  }
  for (const auto& [key, place] : unread) {
    findings.push_back(
        {Severity::warning, file_of(evidence, place.first->folder + "/tokens/" + key),
         fmt::format("is not read: no metric of this version takes tokens/{} (so in {} models); "
                     "the others are read, leave it or remove it",
                     key, place.second),
         "W-NOT-READ"});
  }
}

struct SplitOutcome {
  const Model* model = nullptr;
  std::string split;
  std::size_t sequences = 0;
  std::string error;
};

SplitOutcome try_split(const Evidence& evidence, const Model& model, const std::string& split) {
  SplitOutcome outcome{&model, split, 0, {}};
  if (!has_tokens(model, split)) {
    outcome.error = fmt::format(
        "{}/tokens/{}: there are numbers about tokens, but no {}.npy: add the token "
        "log-probabilities",
        model.folder, split, split);
    return outcome;
  }
  try {
    outcome.sequences = read_tokens(evidence, model, split).sequences().size();
  } catch (const InputError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

}  // namespace

std::vector<std::size_t> checked_offsets(std::span<const std::int64_t> offsets, std::size_t tokens,
                                         std::string_view file) {
  require(offsets.size() >= 2,
          "{}: has {} entries: offsets are one entry per sequence and the number of tokens at the "
          "end, for example [0, 120, 250]",
          file, offsets.size());
  require(offsets[0] == 0, "{}: starts with {}: the first sequence begins at token 0", file,
          offsets[0]);
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    require(offsets[row + 1] >= offsets[row],
            "{}: goes from {} down to {} after row {}: offsets must ascend", file, offsets[row],
            offsets[row + 1], row);
    require(offsets[row + 1] > offsets[row],
            "{}: sequence {} is empty, it begins and ends at token {}: leave empty sequences out "
            "of every array of the split",
            file, row, offsets[row]);
  }
  require(offsets.back() == static_cast<std::int64_t>(tokens),
          "{}: ends with {}, but there are {} tokens: the last entry (row {}) is the number of "
          "tokens",
          file, offsets.back(), tokens, offsets.size() - 1);
  return {offsets.begin(), offsets.end()};
}

void check_log_probabilities(std::span<double> values, std::span<const std::size_t> offsets,
                             std::string_view file) {
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    for (std::size_t token = offsets[row]; token < offsets[row + 1]; ++token) {
      double& value = values[token];
      require(std::isfinite(value),
              "{}: has {} in sequence {}, token {}: find out why the model says so (overflow in "
              "float16? a masked token?) and export finite numbers",
              file, value, row, token - offsets[row]);
      require(value <= kRounding,
              "{}: has {} in sequence {}, token {}: log-probabilities are at most 0; export "
              "log_softmax, not logits, losses or probabilities",
              file, value, row, token - offsets[row]);
      value = std::min(value, 0.0);
    }
  }
}

bool has_tokens(const Model& model, std::string_view split) {
  return model.tokens.count(std::string(split)) > 0;
}

TokenSplit read_tokens(const Evidence& evidence, const Model& model, std::string_view split) {
  require(has_tokens(model, split), "{}: there is no tokens/{}.npy: add it", model.folder, split);
  return SplitReader(evidence, model, split).read();
}

Findings check_tokens(const Evidence& evidence) {
  std::vector<std::pair<const Model*, std::string>> places;
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      // The models of a stacked pool share their tokens.
      if (model.stacked > 0) continue;
      for (const std::string& split : splits_of(model)) places.emplace_back(&model, split);
    }
  }
  std::vector<SplitOutcome> outcomes(places.size());
  parallel_for(places.size(), [&](std::size_t index) {
    outcomes[index] = try_split(evidence, *places[index].first, places[index].second);
  });
  Findings findings;
  std::map<std::string, const SplitOutcome*> first;
  const auto folder = [](const SplitOutcome& outcome) {
    return fmt::format("{}/tokens/{}", outcome.model->folder, outcome.split);
  };
  for (const SplitOutcome& outcome : outcomes) {
    if (!outcome.error.empty()) {
      findings.push_back({Severity::error, "", outcome.error, "E-TOKENS", outcome.model->id()});
      continue;
    }
    const auto [known, is_new] = first.try_emplace(outcome.split, &outcome);
    // Shadows list their own training sequences.
    if (is_new || known->second->sequences == outcome.sequences) continue;
    if (outcome.split == "shadow_train") continue;
    findings.push_back({Severity::error, file_of(evidence, folder(outcome)),
                        fmt::format("has {} sequences, {} has {}: every model must list the same "
                                    "sequences of split {} in the same order",
                                    outcome.sequences, file_of(evidence, folder(*known->second)),
                                    known->second->sequences, outcome.split),
                        "E-TOKENS", outcome.model->id()});
  }
  for (const auto& [split, lines] : evidence.text) {
    const auto known = first.find(split);
    if (known == first.end() || known->second->sequences == lines.size()) continue;
    findings.push_back(
        {Severity::error, "text/" + split + ".txt",
         fmt::format("has {} lines, {} has {} sequences: give one sequence per line, with line "
                     "breaks inside a sequence turned into spaces",
                     lines.size(), file_of(evidence, folder(*known->second)),
                     known->second->sequences),
         "E-TOKENS"});
  }
  add_unread(evidence, findings);
  return findings;
}

}  // namespace vestige::evidence
