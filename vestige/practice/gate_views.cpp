// The outcome of a policy as text, Markdown, JSON and JUnit XML.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/practice/gate.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/page/escape.h"
#include "vestige/report/summary_plot.h"
#include "vestige/result/codec.h"
#include "vestige/words/first_screen.h"
#include "vestige/words/ledger.h"
#include "vestige/words/words.h"

namespace vestige::practice {
namespace {

std::string whose(const PolicyCheck& check) {
  return check.method.empty() ? std::string(words::kOfEvidence) : check.method;
}

/// An attribute's value or text of XML 1.0, which has no characters below 0x20 but tab and line
/// ends, no surrogates, and no bytes that are no UTF-8.
std::string xml_text(const std::string& text) {
  std::string kept = report::xml_legible(text);
  std::replace(kept.begin(), kept.end(), '\n', ' ');
  return report::html_text(kept);
}

/// XML Schema's dateTime without a zone, as JUnit's readers want it: "2026-11-16T06:21:24".
std::string moment_of(const std::string& started) {
  return started.size() >= 19 ? started.substr(0, 19) : "1970-01-01T00:00:00";
}

}  // namespace

Json gate_json(const Gate& gate) {
  Json json = result::json_of(gate);
  words::add_texts(json);
  return json;
}

std::string gate_text(const Gate& gate) {
  std::string text =
      fmt::format("{}{}\n", gate.policy, gate.title.empty() ? "" : ": " + gate.title);
  for (const PolicyCheck& check : gate.checks) {
    text += fmt::format("  {}  {}: {} ({})\n", check.passed ? "pass" : "FAIL", whose(check),
                        words::text(check.rule), words::text(check.findings));
  }
  return text + words::text(gate.outcome()) + "\n";
}

std::string gate_markdown(const Gate& gate, const report::Results& results) {
  const auto plain = [](const std::string& text) { return report::markdown_text(text); };
  std::string text = fmt::format("## Unlearning {}\n\n", words::text(gate.outcome()));
  text +=
      fmt::format("{}.", plain(report::answer(report::summary_plots(results), results.verdicts)));
  text += " " + words::evidence_note(plain(report::text_of(results.evidence, "path")),
                                     plain(report::text_of(results.evidence, "grade")));
  text += " " + words::policy_note(plain(gate.policy), gate.sha256);
  text += "\n\n| | method | rule | found |\n|---|---|---|---|\n";
  // What failed first: summaries are cut off at the end.
  for (const bool passed : {false, true}) {
    for (const PolicyCheck& check : gate.checks) {
      if (check.passed != passed) continue;
      text +=
          fmt::format("| {} | {} | {} | {} |\n", passed ? "pass" : "**FAIL**", plain(whose(check)),
                      plain(words::text(check.rule)), plain(words::text(check.findings)));
    }
  }
  return text;
}

std::string gate_junit(const Gate& gate, const report::Results& results) {
  const std::string name = gate.title.empty() ? gate.policy : gate.title;
  const double seconds = std::isfinite(results.run.seconds) ? results.run.seconds : 0;
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  text += fmt::format(
      "<testsuite id=\"0\" package=\"vestige\" name=\"{}\" timestamp=\"{}\" hostname=\"localhost\" "
      "tests=\"{}\" failures=\"{}\" errors=\"0\" time=\"{:.3f}\">\n<properties>\n"
      "<property name=\"policy\" value=\"{}\"/>\n<property name=\"policy.sha256\" value=\"{}\"/>\n"
      "</properties>\n",
      xml_text(name), moment_of(results.run.started), gate.checks.size(), gate.failures(), seconds,
      xml_text(gate.policy), gate.sha256);
  for (const PolicyCheck& check : gate.checks) {
    text += fmt::format("<testcase classname=\"vestige.{}\" name=\"{}\" time=\"0.000\"",
                        xml_text(whose(check)), xml_text(words::text(check.rule)));
    text += check.passed ? std::string("/>\n")
                         : fmt::format(
                               ">\n<failure type=\"policy\" message=\"{0}\">{0}</failure>\n"
                               "</testcase>\n",
                               xml_text(words::text(check.findings)));
  }
  return text +
         "<system-out></system-out>\n<system-err></system-err>\n</testsuite>\n"
         "</testsuites>\n";
}

}  // namespace vestige::practice
