// HTML by hand: every text goes through html_text.
#include "vestige/report/page/first_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vestige/report/json/json_fields.h"
#include "vestige/report/page/escape.h"
#include "vestige/report/summary_plot.h"
#include "vestige/report/terminal/brief.h"
#include "vestige/words/first_screen.h"
#include "vestige/words/headline.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

std::string accuracy_cell(const Kept& kept, std::string_view title) {
  return fmt::format("<td class=\"kept{}\" data-title=\"{}\">{}{}</td>", kept.lost ? " lost" : "",
                     title, points_text(kept), kept.lost ? " \u25bc" : "");
}

std::string line_html(const SummaryLine& line, const SummaryPlot& summary) {
  return fmt::format(
      "<tr{}><th scope=\"row\"><span class=\"method\">{}</span><span class=\"word {}\">{}</span>"
      "</th><td class=\"line\">{}</td>{}{}</tr>\n",
      line.control ? " class=\"control\"" : "", html_text(line.method), result::name(tone(line)),
      shown_word(line), line_svg(line, summary), accuracy_cell(line.retain, words::kRetainSet),
      accuracy_cell(line.test, words::kTestSet));
}

std::string table_html(const SummaryPlot& summary) {
  const words::Utility utility = utility_of(summary);
  std::string html = fmt::format(
      "<table class=\"glance\"><caption class=\"unseen\">{}</caption><thead><tr><th "
      "scope=\"col\"><span class=\"unseen\">{}</span></th><th scope=\"col\" class=\"line\"><span "
      "class=\"unseen\">{}</span>{}</th><th scope=\"col\" class=\"kept\">{}<span>{}</span></th><th "
      "scope=\"col\" class=\"kept\"><span>{}</span></th></tr></thead><tbody>\n",
      words::glance_caption(utility), words::kMethodAndVerdict, words::kDistance, header_svg(),
      words::utility_heading(utility), words::kRetainSet, words::kTestSet);
  for (const SummaryLine& line : summary.lines) html += line_html(line, summary);
  html += "</tbody></table>\n<ul class=\"legend\">";
  for (std::size_t test = 0; test < summary.tests.size(); ++test) {
    html += fmt::format("<li title=\"{}\">{} {}</li>", html_text(summary.tests[test]),
                        symbol_svg(test), html_text(plain_name(summary.tests[test])));
  }
  return html + "</ul>\n";
}

std::string bullets_html(const std::vector<std::string>& items) {
  std::string html = "<ul>";
  for (const std::string& item : items) html += fmt::format("<li>{}</li>", html_text(item));
  return html + "</ul>";
}

/// Folded: opened by whoever wants to know.
std::string folded(const std::string& title, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  return fmt::format("<details><summary>{}</summary>{}</details>\n", html_text(title),
                     bullets_html(items));
}

/// The policy and every rule, failures first; open where it failed. Printing opens it too.
std::string policy_html(const std::optional<result::Gate>& gate) {
  if (!gate) return {};
  std::string html = fmt::format(
      "<details class=\"policy\" id=\"policy\"{}><summary>{}</summary>\n<table><thead>"
      "<tr><th scope=\"col\"></th><th scope=\"col\">method</th><th scope=\"col\">rule</th><th "
      "scope=\"col\">found</th></tr></thead><tbody>\n",
      gate->passed ? "" : " open",
      html_text(words::policy_heading(gate->policy, gate->title, gate->passed)));
  for (const bool passed : {false, true}) {
    for (const result::PolicyCheck& check : gate->checks) {
      if (check.passed != passed) continue;
      html += fmt::format(
          "<tr><td class=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
          passed ? "passed" : "failed", passed ? "pass" : "FAIL",
          html_text(check.method.empty() ? std::string(words::kOfEvidence) : check.method),
          html_text(words::text(check.rule)), html_text(words::text(check.findings)));
    }
  }
  html += "</tbody></table>\n";
  if (!gate->sha256.empty()) {
    html += fmt::format("<p class=\"quiet small\">{} <code>{}</code></p>\n", words::kPolicyHash,
                        html_text(gate->sha256));
  }
  return html + "</details>\n";
}

std::vector<std::string> not_proven(const Results& results) {
  std::vector<std::string> all;
  for (const audit::Verdict& verdict : results.verdicts) {
    if (!words::limits(verdict).empty() &&
        std::find(all.begin(), all.end(), words::limits(verdict)) == all.end()) {
      all.push_back(words::limits(verdict));
    }
  }
  return all;
}

std::string kicker(const Results& results) {
  const std::string recipe = results.bench ? results.bench->recipe : "";
  return words::kicker(!recipe.empty(), recipe.empty() ? text_of(results.evidence, "path") : recipe,
                       results.run.started.substr(0, 10), results.run.seed);
}

}  // namespace

std::string page_title(const Results& results) {
  return results.run.title.empty() ? answer(summary_plots(results), results.verdicts)
                                   : results.run.title;
}

std::string first_screen(const Results& results) {
  const std::vector<SummaryPlot> summaries = summary_plots(results);
  std::string html = fmt::format("<p class=\"kicker\">{}</p>\n<h1>{}</h1>\n",
                                 html_text(kicker(results)), html_text(page_title(results)));
  const std::string grade = text_of(results.evidence, "grade");
  const std::string counted = counted_words(summaries);
  std::string said;
  if (!results.run.title.empty()) said = answer(summaries, results.verdicts) + ". ";
  said += counted;
  html += "<div class=\"grade\">";
  if (!grade.empty()) html += fmt::format("<p class=\"letter\">{}</p>", html_text(grade));
  html += fmt::format("<div><p>{}</p>", html_text(said));
  if (!grade.empty()) {
    html += fmt::format(
        "<p class=\"quiet\">{}</p>",
        html_text(words::evidence_quality(grade, text_of(results.evidence, "grade_reason"))));
  }
  const std::string margins = margins_text(results);
  if (!margins.empty()) html += fmt::format("<p class=\"quiet\">{}</p>", html_text(margins));
  if (results.gate) {
    html += fmt::format("<p><a href=\"#policy\">{}</a>: {}</p>", html_text(results.gate->policy),
                        html_text(words::text(results.gate->outcome())));
  }
  html += "</div></div>\n";
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const std::string& variant = summaries[i].lines.front().variant;
    if (i == 0) {
      if (summaries.size() > 1)
        html += fmt::format("<p class=\"variant\">{}</p>\n",
                            html_text(words::variant_heading(variant)));
      html += table_html(summaries[i]);
      continue;
    }
    html += fmt::format("<details class=\"variant\"><summary>{}</summary>\n{}</details>\n",
                        html_text(words::variant_heading(variant, counted_words({summaries[i]}))),
                        table_html(summaries[i]));
  }
  if (!summaries.empty()) {
    html += fmt::format("<p class=\"quiet small\">{}</p>\n", words::kMarksHow);
  }
  html += policy_html(results.gate);
  const std::vector<std::string> causes = unreadable(results);
  html += folded(words::unreadable_heading(causes.size()), causes);
  html += folded(std::string(words::kNotShownHeading), not_proven(results));
  html +=
      "<p class=\"sign\" aria-hidden=\"true\">decided by <span></span> date <span></span> "
      "signature <span></span></p>\n";
  return html;
}

}  // namespace vestige::report
