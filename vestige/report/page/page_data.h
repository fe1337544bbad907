// What the page is built from: the results without what it does not show, packed small.
#pragma once

#include "vestige/report/results.h"

namespace vestige::report {

/// Most rows that the page carries; of more, those of the main settings come first, and the page
/// says how many are in results.json alone.
inline constexpr std::size_t kMostPageRows = 20000;

/// Packs a list of flat objects as columns: {"n": 2, "columns": {"method": {"names": ["a"], "at":
/// [0, 0]}, "value": [1, 2], "kind": {"all": "x"}}}. Text is a dictionary, a column with one value
/// is that value.
Json packed(const Json& objects);

/// Keys as in results.json, except: `rows` (packed) for results, `definitions` and `families` of
/// the metrics, `headline` and `main` (rows' block numbers), `plots` with packed data; no series.
Json page_data(const Results& results);

}  // namespace vestige::report
