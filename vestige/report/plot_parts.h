// What the plots share: palette, scales, and encodings that do not rest on colour alone.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vestige/report/plots.h"

namespace vestige::report {

/// Lines beyond that many are drawn grey, one of them in colour.
inline constexpr std::size_t kMostColours = 8;

/// A specification with schema, description and palette; the caller adds data and marks.
Json new_spec(const std::string& title, const std::string& description);

/// NaN and infinities are null, which Vega leaves out; others keep six significant digits.
Json plot_number(double value);

/// A field with its type and title.
Json field(const char* name, const char* type, const char* title);

/// Gives every value the place of its `name` in `order` as `at`, and returns the sort by it. A list
/// of names as sort would become an expression, which not every name survives.
Json place_by(Json& values, const char* name, const std::vector<std::string>& order);

/// A transform that keeps the data that `predicate` holds for.
Json only(const Json& predicate);

/// Panels by the field `name`: `columns` beside each other, with their names at the left.
Json facet_by(const char* name);

/// A nominal field whose axis or legend has no title.
Json untitled(const char* name);

/// "[a-z0-9._-]" of a text: for file names.
std::string file_name(std::string_view text);

/// Points by `role`: shape and colour say the same; only roles that `values` have.
struct RoleStyle {
  Json shape;
  Json color;
};
RoleStyle role_style(const Json& values);

/// Lines of methods: colour tells methods apart, dashes tell controls from methods. With many
/// methods all are grey and a menu chooses the one in colour.
struct LineStyle {
  Json params = Json::array();  ///< for the top of the specification; may be empty
  Json color;
  Json dash;
};
LineStyle line_style(const std::vector<std::string>& methods, const Json& values);

using SeriesList = std::vector<const metrics::Series*>;

/// The values of a column; empty where it is absent.
const std::vector<double>& column(const metrics::Series& series, std::string_view name);

/// Series of a kind. Histograms of one chosen row each are of kind "examples".
SeriesList series_of(const Results& results, std::string_view kind);

/// What a series is called beside others of its metric: metric, and those of `parts` that its
/// params have, "metric (exact)".
std::string series_key(const metrics::Series& series, const std::vector<const char*>& parts);

/// Series by their keys, in the order of the first of each.
std::vector<std::pair<std::string, SeriesList>> grouped(const SeriesList& series,
                                                        const std::vector<const char*>& parts);

/// Words about a plot: those of the family that gave the points, or general ones.
struct PlotText {
  std::string section, title, how, axis;
};
PlotText text_for(std::string_view kind, std::string_view metric, const std::string& key,
                  const PlotText& general);

/// Which points of a curve are drawn where `curves` share a plot: all, or evenly spaced ones with
/// both ends. The audit has thinned its curves already; this bounds what others wrote.
std::vector<std::size_t> thinned(std::size_t points, std::size_t curves);

/// The short name of a series' model: "finetune", "original".
std::string method_of(const metrics::Series& series);

/// Methods of the series, floor first, ceiling and collapsed last.
std::vector<std::string> methods_of(const SeriesList& series);

/// "a, b and c"; after `most` names how many more there are.
std::string listed(const std::vector<std::string>& names, std::size_t most = 8);

/// Whether graded retrains are shown by this metric: it tells original from retrained, or it is its
/// family's main number and no utility, as scores are that are 0 and 100 there by definition.
bool follows_removal(const std::string& metric);

}  // namespace vestige::report
