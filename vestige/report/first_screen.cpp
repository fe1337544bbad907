// HTML by hand: every text goes through html_text.
#include "vestige/report/first_screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "vestige/report/brief.h"
#include "vestige/report/escape.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/strip.h"

namespace vestige::report {
namespace {

std::string accuracy_cell(const Kept& kept, const char* title) {
  return fmt::format("<td class=\"kept{}\" data-title=\"{}\">{}{}</td>", kept.lost ? " lost" : "",
                     title, points_text(kept), kept.lost ? " \u25bc" : "");
}

std::string line_html(const StripLine& line, const Strip& strip) {
  return fmt::format(
      "<tr{}><th scope=\"row\"><span class=\"method\">{}</span><span class=\"word {}\">{}</span>"
      "</th><td class=\"line\">{}</td>{}{}</tr>\n",
      line.control ? " class=\"control\"" : "", html_text(line.method), tone(line),
      shown_word(line), line_svg(line, strip), accuracy_cell(line.retain, "kept rows"),
      accuracy_cell(line.test, "test rows"));
}

std::string table_html(const Strip& strip) {
  const bool language = std::any_of(strip.lines.begin(), strip.lines.end(), [](const auto& line) {
    return line.retain.likelihood || line.test.likelihood;
  });
  std::string html = fmt::format(
      "<table class=\"glance\"><caption class=\"unseen\">Where each method lies between retrained "
      "(0) and original (1), and {0} against retrained</caption><thead><tr><th "
      "scope=\"col\"><span class=\"unseen\">method and verdict</span></th><th scope=\"col\" "
      "class=\"line\"><span class=\"unseen\">distance from retrained</span>{1}</th><th "
      "scope=\"col\" class=\"kept\">{0} vs retrained<span>kept rows</span></th><th "
      "scope=\"col\" class=\"kept\"><span>test rows</span></th></tr></thead><tbody>\n",
      language ? "perplexity" : "accuracy", header_svg());
  for (const StripLine& line : strip.lines) html += line_html(line, strip);
  html += "</tbody></table>\n<ul class=\"legend\">";
  for (std::size_t test = 0; test < strip.tests.size(); ++test) {
    html += fmt::format("<li title=\"{}\">{} {}</li>", html_text(strip.tests[test]),
                        symbol_svg(test), html_text(plain_name(strip.tests[test])));
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

std::vector<std::string> not_proven(const Results& results) {
  std::vector<std::string> all;
  for (const audit::Verdict& verdict : results.verdicts) {
    if (!verdict.cannot.empty() && std::find(all.begin(), all.end(), verdict.cannot) == all.end()) {
      all.push_back(verdict.cannot);
    }
  }
  return all;
}

std::string kicker(const Results& results) {
  const std::string recipe = text_of(results.bench, "recipe");
  std::string text = recipe.empty() ? "Audit of machine unlearning" : "Experiment on unlearning";
  const std::string what = recipe.empty() ? text_of(results.evidence, "path") : recipe;
  if (!what.empty()) text += " \u00b7 " + what;
  if (!results.run.started.empty()) text += " \u00b7 " + results.run.started.substr(0, 10);
  return text + fmt::format(" \u00b7 seed {}", results.run.seed);
}

}  // namespace

std::string page_title(const Results& results) {
  return results.run.title.empty() ? answer(strips_of(results), results.verdicts)
                                   : results.run.title;
}

std::string first_screen(const Results& results) {
  const std::vector<Strip> strips = strips_of(results);
  std::string html = fmt::format("<p class=\"kicker\">{}</p>\n<h1>{}</h1>\n",
                                 html_text(kicker(results)), html_text(page_title(results)));
  const std::string grade = text_of(results.evidence, "grade");
  const std::string counted = counted_words(strips);
  std::string said;
  if (!results.run.title.empty()) said = answer(strips, results.verdicts) + ". ";
  if (!counted.empty()) said += counted + ".";
  html += "<div class=\"grade\">";
  if (!grade.empty()) html += fmt::format("<p class=\"letter\">{}</p>", html_text(grade));
  html += fmt::format("<div><p>{}</p>", html_text(said));
  if (!grade.empty()) {
    html += fmt::format("<p class=\"quiet\">How sure: {}.</p>",
                        html_text(text_of(results.evidence, "grade_reason")));
  }
  html += "</div></div>\n";
  for (std::size_t i = 0; i < strips.size(); ++i) {
    const std::string& arm = strips[i].lines.front().arm;
    if (i == 0) {
      if (strips.size() > 1) html += fmt::format("<p class=\"arm\">Arm {}</p>\n", html_text(arm));
      html += table_html(strips[i]);
      continue;
    }
    html +=
        fmt::format("<details class=\"arm\"><summary>Arm {}: {}</summary>\n{}</details>\n",
                    html_text(arm), html_text(counted_words({strips[i]})), table_html(strips[i]));
  }
  if (!strips.empty()) {
    html +=
        "<p class=\"quiet small\">Each mark is one test of the verdict, scaled so that 0 is "
        "retrained and 1 the original; bars are 95 % intervals, the band is the declared "
        "margin.</p>\n";
  }
  const std::vector<std::string> causes = unreadable(results);
  html += folded(fmt::format("What cannot be read here ({})", causes.size()), causes);
  html += folded("What cannot be proven by this evidence", not_proven(results));
  html +=
      "<p class=\"sign\" aria-hidden=\"true\">decided by <span></span> date <span></span> "
      "signature <span></span></p>\n";
  return html;
}

}  // namespace vestige::report
