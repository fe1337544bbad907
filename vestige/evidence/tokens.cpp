// Reading and checking tokens/*.npy.
#include "vestige/evidence/tokens.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/evidence/checks/checks.h"

namespace vestige::evidence {
namespace {

// log_softmax in float32 ends a few units above 0 in the last place at worst.
constexpr double kRounding = 1e-6;

/// The arrays of one model and split.
class SplitReader {
 public:
  SplitReader(const Evidence& evidence, const Model& model, std::string_view split)
      : evidence_(evidence), model_(model), split_(split) {}

  TokenSplit read_own() const {
    TokenSplit result;
    result.log_probabilities = values("");
    result.offsets = offsets(".offsets", result.log_probabilities.size());
    check_log_probabilities(result.log_probabilities, result.offsets, file(""));
    return result;
  }

  TokenSplit read() const {
    TokenSplit result = read_own();
    result.mean = per_token(".mean", result);
    result.deviation = per_token(".std", result);
    result.entropy = per_token(".entropy", result);
    check_not_negative(result.deviation, result.offsets, ".std", "a standard deviation");
    check_not_negative(result.entropy, result.offsets, ".entropy", "an entropy");
    if (has(".lower")) read_lower(result);
    if (has(".rank")) result.rank = rank(result);
    if (has(".gradnorm")) result.gradient_norm = gradient_norm(result);
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

  /// How many entries of the vocabulary were more probable than the true token.
  std::vector<std::int64_t> rank(const TokenSplit& split) const {
    const Array& array = model_.tokens.at(key(".rank"));
    require(array.rank() == 1 && is_integer(array.dtype()),
            "{}: has shape {} and type {}: give one whole number per token, 0 where the true token "
            "was the most probable",
            file(".rank"), shape_text(array.shape()), name(array.dtype()));
    require(array.size() == split.log_probabilities.size(),
            "{}: has {} values, {} has {} tokens: give one value per token", file(".rank"),
            array.size(), file(""), split.log_probabilities.size());
    std::vector<std::int64_t> ranks = array.integers();
    for (std::size_t token = 0; token < ranks.size(); ++token) {
      const std::int64_t value = ranks[token];
      const bool too_large =
          evidence_.vocabulary != 0 && value >= static_cast<std::int64_t>(evidence_.vocabulary);
      if (value >= 0 && !too_large) continue;
      const auto row = std::upper_bound(split.offsets.begin(), split.offsets.end(), token) -
                       split.offsets.begin() - 1;
      require(value >= 0, "{}: has {} in sequence {}: ranks begin with 0, the most probable token",
              file(".rank"), value, row);
      fail("{}: has {} in sequence {}, but the vocabulary has {} tokens: ranks go from 0 to {}",
           file(".rank"), value, row, evidence_.vocabulary, evidence_.vocabulary - 1);
    }
    return ranks;
  }

  std::vector<double> gradient_norm(const TokenSplit& split) const {
    std::vector<double> norms = values(".gradnorm");
    require(norms.size() + 1 == split.offsets.size(),
            "{}: has {} values for {} sequences: give one norm per sequence", file(".gradnorm"),
            norms.size(), split.offsets.size() - 1);
    for (std::size_t row = 0; row < norms.size(); ++row) {
      if (std::isfinite(norms[row]) && norms[row] >= 0) continue;
      fail("{}: has {} for sequence {}: a norm is finite and not negative, check the export",
           file(".gradnorm"), norms[row], row);
    }
    return norms;
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
              "{}: has {} in sequence {}, token {}: find out why the model gives this value "
              "(overflow in "
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

TokenSplit read_log_probabilities(const Evidence& evidence, const Model& model,
                                  std::string_view split) {
  require(has_tokens(model, split), "{}: there is no tokens/{}.npy: add it", model.folder, split);
  return SplitReader(evidence, model, split).read_own();
}

}  // namespace vestige::evidence
