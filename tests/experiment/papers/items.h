// tests/reference/papers.toml beside what the recipes and presets have: one item per line of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vestige/base/json.h"

namespace vestige::papers {

/// [value, "source"], or [value, "source", "why ours differs"].
struct Entry {
  Json value;
  std::string source;
  std::string differs;  ///< empty: ours must be the same
};
Entry read_entry(const Json& typed, const std::string& what);

/// What a line of papers.toml says, and what is here.
struct Item {
  std::string section;  ///< "The recipe's paper size"
  std::string key;
  Entry paper;
  Json ours;          ///< null: not there
  std::string needs;  ///< data that nobody here has; empty: none

  bool as_typed() const;  ///< the same where it must be, another where the line says why
};

/// The papers of papers.toml in its order.
const Json& all_papers();

/// Numbers to 1e-12, lists item by item.
bool same(const Json& left, const Json& right);

/// [PAPER.recipe].
std::vector<Item> recipe_items(const std::string& paper);
/// [PAPER.effective]: sizes that the paper size has when it is planned on stand-ins.
std::vector<Item> effective_items(const std::string& paper);
/// [PAPER.train.*] and [PAPER.methods.*].
std::vector<Item> preset_items(const std::string& paper);

/// docs/validation/papers/PAPER.md.
std::string page(const std::string& paper);

}  // namespace vestige::papers
