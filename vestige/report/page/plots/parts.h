// What the plots share: numbers, names, and access to series.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vestige/report/page/plots/plots.h"

namespace vestige::report {

/// NaN and infinities are null, which Vega leaves out; others keep six significant digits.
Json plot_number(double value);

/// Gives every row the place of its `name` in `order` as `at`, by which the templates sort. A list
/// of names as sort would become an expression, which not every name survives.
void place_by(Json& rows, const char* name, const std::vector<std::string>& order);

/// "[a-z0-9._-]" of a text: for file names.
std::string file_name(std::string_view text);

using SeriesList = std::vector<const metrics::Series*>;

/// The values of a column; empty where it is absent.
const std::vector<double>& column(const metrics::Series& series, std::string_view name);

/// Adds one row per point: `labels`, and the point's value in each of these columns under its name.
/// As many points as the first two columns have; null where another is shorter. Where `curves` are
/// so many that they make too many points, only thinned() ones.
void add_points(const metrics::Series& series, const Json& labels,
                std::initializer_list<const char*> columns, std::size_t curves, Json& rows);

/// Series of a kind. Histograms of one chosen example each are of kind "examples".
SeriesList series_of(const Results& results, std::string_view kind);

/// Series by what they are called beside others of their metric: metric, and those of `parts` that
/// their params have, "metric (exact)"; in the order of the first of each.
std::vector<std::pair<std::string, SeriesList>> grouped(const SeriesList& series,
                                                        const std::vector<const char*>& parts);

/// Which points of a curve are drawn where `curves` share a plot: all, or evenly spaced ones with
/// both ends. The audit has thinned its curves already; this bounds what others wrote.
std::vector<std::size_t> thinned(std::size_t points, std::size_t curves);

/// The short name of a series' model: "finetune", "original".
std::string method_of(const metrics::Series& series);

/// Methods of the series: retrained models first, then methods, originals and other controls.
std::vector<std::string> methods_of(const SeriesList& series);

/// Blocks that `shown` holds for by family, in the order of the first of each; `most` of a family.
using FamilyBlocks = std::vector<std::pair<std::string, std::vector<Block>>>;
FamilyBlocks by_family(const std::vector<Block>& blocks, std::size_t most,
                       bool (*shown)(const Block& block));

/// "a, b and c"; after `most` names how many more there are.
std::string listed(const std::vector<std::string>& names, std::size_t most = 8);

/// Whether partly retrained models are shown by this metric: it tells original from retrained, or
/// it is its family's main number and no utility, as scores are that are 0 and 100 there by
/// definition.
bool follows_removal(const std::string& metric);

}  // namespace vestige::report
