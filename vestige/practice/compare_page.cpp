// The page of a comparison.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "vestige/practice/compare.h"
#include "vestige/practice/plain_page.h"
#include "vestige/report/summary_plot.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::practice {
namespace {

using report::SummaryLine;
using report::SummaryPlot;

/// One method in every audit that has it.
struct Track {
  std::string title;
  std::vector<SummaryLine> steps;
  bool current = false;  ///< the latest audit has it
};

/// Tests of all audits under common places, and one track per method, in the latest audit's order.
std::vector<Track> tracks_of(const std::vector<Named>& audits, SummaryPlot& common) {
  std::vector<Track> tracks;
  for (auto audit = audits.rbegin(); audit != audits.rend(); ++audit) {
    for (const SummaryPlot& summary : report::summary_plots(*audit->results)) {
      common.margin = summary.margin;
      for (SummaryLine line : summary.lines) {
        for (report::SummaryMark& mark : line.marks) {
          const std::string& metric = summary.tests[mark.test];
          const auto found = std::find(common.tests.begin(), common.tests.end(), metric);
          mark.test = static_cast<std::size_t>(found - common.tests.begin());
          if (found == common.tests.end()) common.tests.push_back(metric);
        }
        const std::string title =
            line.variant.empty() ? line.method : line.variant + "/" + line.method;
        auto place = std::find_if(tracks.begin(), tracks.end(),
                                  [&](const Track& track) { return track.title == title; });
        if (place == tracks.end()) place = tracks.insert(place, {title, {}, false});
        place->current = place->current || audit == audits.rbegin();
        place->steps.insert(place->steps.begin(), std::move(line));
      }
    }
  }
  return tracks;
}

std::string words_of(const Track& track) {
  std::string text;
  std::optional<result::Word> last;
  for (const SummaryLine& step : track.steps) {
    if (step.word == last) continue;
    text += fmt::format("{}<span class=\"{}\">{}</span>", text.empty() ? "" : " \u2192 ",
                        result::name(report::tone(step)), legible_html(words::word(step.word)));
    last = step.word;
  }
  if (!track.current) {
    text += " \u2192 " + legible_html(words::text(result::Code::method_not_in_latest));
  }
  return text;
}

}  // namespace

std::string comparison_page(const std::vector<Named>& audits,
                            const std::vector<Comparison>& comparisons) {
  SummaryPlot common;
  const std::vector<Track> tracks = tracks_of(audits, common);
  const bool quiet = std::all_of(comparisons.begin(), comparisons.end(),
                                 [](const Comparison& own) { return own.verdicts.empty(); });
  std::vector<std::string> names;
  for (const Named& audit : audits) {
    names.push_back(fmt::format("{} ({})", audit.name, audit.results->run.started));
  }
  std::string body = fmt::format(
      "<section><p>{}</p>\n<table><tr><th>method</th><th class=\"moves\">{}</th></tr>\n",
      legible_html(words::sentence(result::reason(result::Code::comparison_page_note, names))),
      report::header_svg());
  for (const Track& track : tracks) {
    body += fmt::format("<tr><td><b>{}</b><br>{}</td><td class=\"moves\">{}</td></tr>\n",
                        legible_html(track.title), words_of(track),
                        report::moves_svg(track.steps, common, track.current));
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
  const result::Reason title =
      quiet ? result::Code::no_verdict_changed : result::Code::some_verdicts_changed;
  std::string heading = words::sentence(title);
  heading.pop_back();  // a title has no full stop
  return plain_page(heading, body);
}

}  // namespace vestige::practice
