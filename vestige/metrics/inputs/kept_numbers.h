// Numbers per row that several families ask for, worked out once while an audit runs: outputs are
// read from disk and turned into a few numbers per row, which are kept, and not read again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/evidence/array.h"

namespace vestige::metrics {

using Numbers = std::shared_ptr<const std::vector<double>>;

/// While one lives, kept_numbers() keeps. Where several overlap (audits side by side) they share
/// what the first keeps.
class KeptNumbers {
 public:
  KeptNumbers();
  ~KeptNumbers();
  KeptNumbers(const KeptNumbers&) = delete;
  KeptNumbers& operator=(const KeptNumbers&) = delete;

 private:
  bool first_;
};

/// What `make` returns: taken from what is kept if outputs, labels and `what` are the same. `make`
/// may have parallel loops of its own; whoever else asks for the same waits for it.
Numbers kept_numbers(const evidence::Array& outputs, std::span<const std::int64_t> labels,
                     std::string_view what, const std::function<std::vector<double>()>& make);

}  // namespace vestige::metrics
