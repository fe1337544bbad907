// The kinds of plots, as web/plots has them: texts and a Vega-Lite specification with placeholders.
#pragma once

#include <string>
#include <string_view>

#include "vestige/report/page/plots/plots.h"

namespace vestige::report {

class PlotTemplate {
 public:
  /// That of web/plots/KIND.json: name, section, title, how, alt, perhaps lead (all Plot's), words
  /// (texts by name, for placeholders and word()), and spec.
  explicit PlotTemplate(const std::string& kind);

  /// The same in the words of the family that gave the points, where it has its own.
  PlotTemplate(const std::string& kind, std::string_view series_kind, std::string_view metric);

  /// A text of `words`, filled.
  std::string word(const std::string& name, const Json& values = Json::object()) const;

  /// Texts of `words` that belong together, by name: for plot() among its values.
  const Json& table(const std::string& name) const;

  /// A number of the specification: "width".
  double number(const char* key) const;

  /// The plot. `values` holds the data rows as "values"; rows with a `role` have placeholders for
  /// how roles look (roles, role_shapes, role_colors). With "methods", names in their order, there
  /// are line_color, line_dash and params: each method has a colour; of more than eight methods a
  /// menu chooses the one in colour and the others are grey.
  Plot plot(Json values) const;

 private:
  std::string kind_;
  Json parts_;
};

/// All that web/plots holds, by the names of the files.
const Json& plot_templates();

}  // namespace vestige::report
