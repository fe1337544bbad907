// What somebody meant who wrote the name of a metric that does not exist.
#pragma once

#include <string>
#include <string_view>

namespace vestige::metrics {

/// A family, an id or the beginning of ids that --metrics takes. Whole parts count more than
/// letters: "b.d" means "a.b.c.d", and "b" the ids that begin with "a.b". Otherwise the name with
/// the smallest edit distance.
std::string nearest_metric(std::string_view name);

}  // namespace vestige::metrics
