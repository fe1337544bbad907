// Reading evidence.toml with toml++.
#include "vestige/evidence/settings.h"

#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/nesting.h"
#include "vestige/evidence/formats/utf8.h"

namespace vestige::evidence {
namespace {

constexpr std::array<std::string_view, 13> kKeys{
    "kind",       "classes",       "pairing", "removed_fraction", "seconds",
    "membership", "token_moments", "notes",   "exchangeable",     "losses",
    "vocabulary", "scores",        "choices"};
constexpr std::array<std::string_view, 3> kDirections{"higher", "lower", "match"};
constexpr std::array<std::string_view, 3> kGoals{"chance", "retrained", "higher"};
constexpr std::array<std::string_view, 3> kKinds{"logits", "probabilities", "log_probabilities"};

// Levenshtein's edit distance.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  word = word.substr(0, 64);
  return *std::min_element(known.begin(), known.end(),
                           [word](std::string_view left, std::string_view right) {
                             return distance(word, left) < distance(word, right);
                           });
}

class SettingsReader {
 public:
  explicit SettingsReader(std::string_view source) : source_(source) {}

  Settings read(const toml::table& table) const {
    Settings settings;
    for (const auto& [key, node] : table) {
      if (key == "kind") {
        settings.kind = kind(node);
      } else if (key == "classes") {
        settings.classes = whole("classes", node);
      } else if (key == "vocabulary") {
        settings.vocabulary = whole("vocabulary", node);
      } else if (key == "losses") {
        settings.sequence_losses = sequence_losses(node);
      } else if (key == "token_moments") {
        settings.token_moments = token_moments(node);
      } else if (key == "exchangeable") {
        if (!node.is_boolean()) wrong_type("exchangeable", node, "true or false");
        settings.exchangeable = node.as_boolean()->get();
      } else if (key == "scores") {
        for (const auto& [name, value] : section(key.str(), node)) {
          settings.score_directions.emplace(name.str(),
                                            one_of(label(key, name), value, kDirections));
        }
      } else if (key == "choices") {
        for (const auto& [name, value] : section(key.str(), node)) {
          settings.choice_goals.emplace(name.str(), one_of(label(key, name), value, kGoals));
        }
      } else if (key == "notes") {
        settings.notes = text(key.str(), node);
      } else if (key == "pairing") {
        for (const auto& [name, value] : section(key.str(), node)) {
          settings.pairing.emplace(name.str(), text(label(key, name), value));
        }
      } else if (key == "removed_fraction" || key == "seconds" || key == "membership") {
        auto& values = key == "seconds"      ? settings.seconds
                       : key == "membership" ? settings.membership
                                             : settings.removed_fraction;
        const double most = key == "seconds" ? HUGE_VAL : 1.0;
        for (const auto& [name, value] : section(key.str(), node)) {
          values.emplace(name.str(), number(label(key, name), value, most));
        }
      } else {
        fail("{} line {}: the key '{}' is not known: did you mean '{}'?", source_, line(node),
             printable(key.str()), nearest(key.str(), kKeys));
      }
    }
    return settings;
  }

 private:
  static std::size_t line(const toml::node& node) { return node.source().begin.line; }

  static std::string label(const toml::key& key, const toml::key& name) {
    return fmt::format("{}.\"{}\"", key.str(), printable(name.str()));
  }

  [[noreturn]] void wrong_type(std::string_view what, const toml::node& node,
                               std::string_view wanted) const {
    fail("{} line {}: {} must be {}", source_, line(node), what, wanted);
  }

  std::string text(std::string_view what, const toml::node& node) const {
    if (!node.is_string()) wrong_type(what, node, "a text in quotes");
    return node.as_string()->get();
  }

  std::string kind(const toml::node& node) const {
    std::string value = text("kind", node);
    require(std::find(kKinds.begin(), kKinds.end(), value) != kKinds.end(),
            "{} line {}: kind is '{}', it must be logits, probabilities or log_probabilities: did "
            "you mean '{}'?",
            source_, line(node), printable(value), nearest(value, kKinds));
    return value;
  }

  std::string one_of(const std::string& what, const toml::node& node,
                     std::span<const std::string_view> known) const {
    std::string value = text(what, node);
    require(std::find(known.begin(), known.end(), value) != known.end(),
            "{} line {}: {} is '{}', it must be {}: did you mean '{}'?", source_, line(node), what,
            printable(value), fmt::join(known, " or "), nearest(value, known));
    return value;
  }

  std::string token_moments(const toml::node& node) const {
    std::string value = text("token_moments", node);
    require(value == "weighted" || value == "uniform",
            "{} line {}: token_moments is '{}', it must be weighted (by the probabilities) or "
            "uniform (over the vocabulary)",
            source_, line(node), printable(value));
    return value;
  }

  bool sequence_losses(const toml::node& node) const {
    const std::string value = text("losses", node);
    require(value == "sequence" || value == "row",
            "{} line {}: losses is '{}', it must be sequence (mean negative log-likelihoods of a "
            "language model's sequences, natural log) or row (any other loss)",
            source_, line(node), printable(value));
    return value == "sequence";
  }

  std::size_t whole(std::string_view what, const toml::node& node) const {
    if (!node.is_integer()) wrong_type(what, node, "a whole number");
    const std::int64_t value = node.as_integer()->get();
    require(value >= 1, "{} line {}: {} is {}, it must be at least 1", source_, line(node), what,
            value);
    return static_cast<std::size_t>(value);
  }

  const toml::table& section(std::string_view what, const toml::node& node) const {
    if (!node.is_table()) wrong_type(what, node, fmt::format("a section [{}]", what));
    return *node.as_table();
  }

  double number(const std::string& what, const toml::node& node, double most) const {
    if (!node.is_number()) wrong_type(what, node, "a number");
    const double value = *node.value<double>();
    require(std::isfinite(value) && value >= 0 && value <= most,
            "{} line {}: {} is {}, it must be {}", source_, line(node), what, value,
            most > 1 ? "a number of seconds, 0 or more" : "between 0 and 1");
    return value;
  }

  std::string_view source_;
};

}  // namespace

Settings parse_settings(std::string_view text, std::string_view source_name) {
  require(!toml_too_deep(text),
          "{}: a key has {} parts or more: write it as docs/reference/evidence.md says",
          source_name, kMostKeyParts);
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail("{} line {}: {}", source_name, error.source().begin.line, printable(error.description()));
  }
  return SettingsReader(source_name).read(table);
}

}  // namespace vestige::evidence
