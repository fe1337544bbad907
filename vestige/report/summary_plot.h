// The answer at a glance: where each method lies between retrained and original, test by test. The
// page, the terminal and the figure for papers draw the same summary plot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vestige/report/results.h"
#include "vestige/words/first_screen.h"

namespace vestige::report {

/// One core test of a verdict on the scale on which retrained is 0 and the original 1.
struct SummaryMark {
  std::size_t test = 0;  ///< place in SummaryPlot::tests
  double value = metrics::kUndefined;
  double lower = metrics::kUndefined;  ///< 95 %
  double upper = metrics::kUndefined;
};

/// Accuracy of the method minus retrained's; of language models the log-probability of a token.
struct Kept {
  double difference = metrics::kUndefined;
  double lower = metrics::kUndefined;  ///< 95 %
  double upper = metrics::kUndefined;
  bool lost = false;        ///< more than the margin is shown to be lost
  bool likelihood = false;  ///< a log-probability, shown as a factor of perplexity
};

struct SummaryLine {
  std::string variant, method;
  audit::Word word = audit::Word::not_tested;
  std::string reason;
  std::vector<std::string> additions{};  ///< "returns": what metrics add to the word, each once
  bool hardly_changed = false;           ///< the model hardly moved from the original
  std::string note{};                    ///< why the word and the marks seem to differ; or empty
  bool control = false;                  ///< a method whose answer is known: identity, collapse
  std::vector<SummaryMark> marks{};
  Kept retain{}, test{};
};

struct SummaryPlot {
  /// Methods in the order of their verdicts' weight (what is worst first), controls last.
  std::vector<SummaryLine> lines;
  std::vector<std::string> tests;  ///< ids of metrics, in the order of their symbols
  double margin = 0.25;            ///< half width of the band around retrained
  double smallest = 0.1;           ///< smallest effect: differences below it do not count
};

/// One summary plot for each variant of an experiment; of an audit the only one. Empty without
/// verdicts.
std::vector<SummaryPlot> summary_plots(const Results& results);

/// "None of 6 methods is shown to forget like retraining"
std::string answer(const std::vector<SummaryPlot>& summaries,
                   const std::vector<audit::Verdict>& verdicts);
/// "4 methods: traces remain. 1 method: not decided."
std::string counted_words(const std::vector<SummaryPlot>& summaries);

/// How a line is coloured in every view. The names are classes of the page's style sheet.
enum class Tone { control, traces, over, forgotten, open };
Tone tone(audit::Word word);
Tone tone(const SummaryLine& line);
/// Language models are compared by perplexity, others by accuracy.
words::Utility utility_of(const SummaryPlot& summary);

/// "FORGOTTEN, RETURNS", "TRACES REMAIN (control)"
/// `hardly_changed` marks methods that hardly changed the model.
std::string shown_word(const SummaryLine& line,
                       std::string_view hardly_changed = ", hardly changed");

/// "probability of the true class" of an id, or the id.
std::string plain_name(const std::string& metric);
/// The mark that lies farthest from retrained; nullptr without marks.
const SummaryMark* farthest_mark(const SummaryLine& line);
/// What was kept on the test set, or on the retain set where nothing is known of the test set.
const Kept& kept_of(const SummaryLine& line);

/// "-5.8 pts", "+0.0 pts", of language models "x1.34", perplexity over retrained's; "-" without a
/// value.
std::string points_text(const Kept& kept);

/// Beyond this the summary plot shows an arrow and the number.
inline constexpr double kPlotEnd = 1.25;

/// The summary plot of one line as inline SVG, 480 x 12 units and more for each mark.
std::string line_svg(const SummaryLine& line, const SummaryPlot& summary);
/// One method in several audits, earliest first: an arrow from each value to the next for every
/// test. Marks count by SummaryPlot::tests of `summary`. The last is drawn as the present one only
/// if `current`; a method that is gone has pale marks alone.
std::string moves_svg(const std::vector<SummaryLine>& steps, const SummaryPlot& summary,
                      bool current);
/// Words over the summaries: pushed too far, retrained, original.
std::string header_svg();
/// The symbol of a test, for the legend.
std::string symbol_svg(std::size_t test);
/// The whole summary plot as a file of its own, 84 mm wide: a column of a paper.
std::string figure_svg(const SummaryPlot& summary, const std::string& title);

/// The same in characters, `width` columns wide; `colour` with escape sequences.
std::string summary_text(const SummaryPlot& summary, std::size_t width, bool colour,
                         std::size_t most_lines);

}  // namespace vestige::report

namespace vestige::result {

VESTIGE_NAMES(report::Tone, {report::Tone::control, "control"}, {report::Tone::traces, "traces"},
              {report::Tone::over, "over"}, {report::Tone::forgotten, "forgotten"},
              {report::Tone::open, "open"})

}  // namespace vestige::result
