// The page of a comparison.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "vestige/practice/compare.h"
#include "vestige/practice/plain_page.h"
#include "vestige/report/strip.h"

namespace vestige::practice {
namespace {

using report::Strip;
using report::StripLine;

/// One method in every audit that has it.
struct Track {
  std::string title;
  std::vector<StripLine> steps;
};

/// Tests of all audits under common places, and one track per method, in the latest audit's order.
std::vector<Track> tracks_of(const std::vector<Named>& audits, Strip& common) {
  std::vector<Track> tracks;
  for (auto audit = audits.rbegin(); audit != audits.rend(); ++audit) {
    for (const Strip& strip : report::strips_of(*audit->results)) {
      common.margin = strip.margin;
      for (StripLine line : strip.lines) {
        for (report::StripMark& mark : line.marks) {
          const std::string& metric = strip.tests[mark.test];
          const auto found = std::find(common.tests.begin(), common.tests.end(), metric);
          mark.test = static_cast<std::size_t>(found - common.tests.begin());
          if (found == common.tests.end()) common.tests.push_back(metric);
        }
        const std::string title = line.arm.empty() ? line.method : line.arm + "/" + line.method;
        auto place = std::find_if(tracks.begin(), tracks.end(),
                                  [&](const Track& track) { return track.title == title; });
        if (place == tracks.end()) place = tracks.insert(place, {title, {}});
        place->steps.insert(place->steps.begin(), std::move(line));
      }
    }
  }
  return tracks;
}

std::string words_of(const Track& track) {
  std::string text;
  std::string last;
  for (const StripLine& step : track.steps) {
    const std::string word(audit::name(step.word));
    if (word == last) continue;
    text += fmt::format("{}<span class=\"{}\">{}</span>", text.empty() ? "" : " \u2192 ",
                        report::tone(step), legible_html(word));
    last = word;
  }
  return text;
}

}  // namespace

std::string comparison_page(const std::vector<Named>& audits,
                            const std::vector<Comparison>& comparisons) {
  Strip common;
  const std::vector<Track> tracks = tracks_of(audits, common);
  const bool quiet = std::all_of(comparisons.begin(), comparisons.end(),
                                 [](const Comparison& own) { return own.verdicts.empty(); });
  std::string body = "<section><p>Earlier to later: ";
  for (std::size_t place = 0; place < audits.size(); ++place) {
    body +=
        fmt::format("{}<b>{}</b> ({})", place == 0 ? "" : ", ", legible_html(audits[place].name),
                    legible_html(audits[place].results->run.started));
  }
  body +=
      ". Each arrow goes from an earlier audit to the next; pale marks are earlier, the last one "
      "has "
      "its 95 % interval.</p>\n<table><tr><th>method</th><th class=\"moves\">" +
      report::header_svg() + "</th></tr>\n";
  for (const Track& track : tracks) {
    body += fmt::format("<tr><td><b>{}</b><br>{}</td><td class=\"moves\">{}</td></tr>\n",
                        legible_html(track.title), words_of(track),
                        report::moves_svg(track.steps, common));
  }
  body += "</table>\n<p>";
  for (std::size_t test = 0; test < common.tests.size(); ++test) {
    body += fmt::format("{}{} {}", test == 0 ? "" : "; ", report::symbol_svg(test),
                        legible_html(report::plain_name(common.tests[test])));
  }
  body += "</p></section>\n";
  for (const Comparison& comparison : comparisons) {
    body += fmt::format("<section><h2>{} to {}</h2><pre>{}</pre></section>\n",
                        legible_html(comparison.before), legible_html(comparison.after),
                        legible_html(comparison_text(comparison)));
  }
  return plain_page(quiet ? "No verdict changed" : "Verdicts changed", body);
}

}  // namespace vestige::practice
