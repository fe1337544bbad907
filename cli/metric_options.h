// Options of single metrics as a table: --epsilon-mode on the command line is "epsilon.mode" to the
// metric.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

#include "vestige/base/json.h"

namespace vestige::cli {

/// What the user gave, by key; defaults included, options without default left out.
class MetricOptions {
 public:
  /// Adds every option of the table to a verb.
  explicit MetricOptions(CLI::App& verb);
  Json json() const;

 private:
  std::shared_ptr<std::map<std::string, std::string>> values_;
};

}  // namespace vestige::cli
