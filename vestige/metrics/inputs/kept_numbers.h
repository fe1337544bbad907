// Numbers per row that several families ask for, worked out once for a context with a cache, such
// as that of an audit: outputs are read from disk and turned into a few numbers per row, which are
// kept, and not read again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/evidence/formats/array.h"

namespace vestige::metrics {

using Numbers = std::shared_ptr<const std::vector<double>>;

/// What `make` returns: taken from the context's cache if outputs, labels and `what` are the same;
/// made anew in a context without one. `make` may have parallel loops of its own; whoever else asks
/// for the same waits for it.
Numbers kept_numbers(const Context& context, const evidence::Array& outputs,
                     std::span<const std::int64_t> labels, std::string_view what,
                     const std::function<std::vector<double>()>& make);

}  // namespace vestige::metrics
