// The report page's own files, from web/ at build time (cmake/web.cmake).
#pragma once

#include <string_view>

namespace vestige::report {

std::string_view web_template();  ///< page.html with {{places}}
std::string_view web_style();     ///< page.css
std::string_view web_script();    ///< what builds the page from its data
std::string_view web_plots();     ///< {"roc": what plots/roc.json holds, ...}
std::string_view web_vega();      ///< what draws the plots; empty if it was not built in

}  // namespace vestige::report
