// The answer at a glance: where each method lies between retrained and original, test by test. The
// page, the terminal and the figure for papers draw the same strip.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vestige/report/results.h"

namespace vestige::report {

/// One core test of a verdict on the scale on which retrained is 0 and the original 1.
struct StripMark {
  std::size_t test = 0;  ///< place in Strip::tests
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

struct StripLine {
  std::string arm, method;
  audit::Word word = audit::Word::no_verdict;
  std::string reason;
  std::vector<std::string> additions{};  ///< "returns": what metrics add to the word, each once
  bool control = false;                  ///< a method whose answer is known: identity, collapse
  std::vector<StripMark> marks{};
  Kept retain{}, test{};
};

struct Strip {
  /// Methods in the order of their verdicts' weight (what is worst first), controls last.
  std::vector<StripLine> lines;
  std::vector<std::string> tests;  ///< ids of metrics, in the order of their symbols
  double margin = 0.25;            ///< half width of the band around retrained
};

/// One strip for each arm of an experiment; of an audit the only one. Empty without verdicts.
std::vector<Strip> strips_of(const Results& results);

/// "None of 6 methods is shown to forget like retraining"
std::string answer(const std::vector<Strip>& strips, const std::vector<audit::Verdict>& verdicts);
/// "4 traces remain, 1 over-forgotten, 1 not decided"
std::string counted_words(const std::vector<Strip>& strips);

/// How a line is coloured, the same name in every view: "traces", "over", "forgotten", "open" or
/// "control".
std::string_view tone(const StripLine& line);

/// "FORGOTTEN, RETURNS", "TRACES REMAIN (control)"
std::string shown_word(const StripLine& line);

/// "probability of the true class" of an id, or the id.
std::string plain_name(const std::string& metric);
/// The mark that lies farthest from retrained; nullptr without marks.
const StripMark* farthest_mark(const StripLine& line);
/// What was kept on unseen rows, or on kept ones where nothing is known of unseen ones.
const Kept& kept_of(const StripLine& line);

/// "-5.8 pts", "+0.0 pts", of language models "x1.34", perplexity over retrained's; "-" without a
/// value.
std::string points_text(const Kept& kept);

/// Beyond this the strip shows an arrow and the number.
inline constexpr double kStripEnd = 1.25;

/// The strip of one line as inline SVG, 480 x 12 units and more for each mark.
std::string line_svg(const StripLine& line, const Strip& strip);
/// One method in several audits, earliest first: an arrow from each value to the next for every
/// test. Marks count by Strip::tests of `strip`.
std::string moves_svg(const std::vector<StripLine>& steps, const Strip& strip);
/// Words over the strips: pushed too far, retrained, original.
std::string header_svg();
/// The symbol of a test, for the legend.
std::string symbol_svg(std::size_t test);
/// The whole strip as a file of its own, 84 mm wide: a column of a paper.
std::string figure_svg(const Strip& strip, const std::string& title);

/// The same in characters, `width` columns wide; `colour` with escape sequences.
std::string strip_text(const Strip& strip, std::size_t width, bool colour, std::size_t most_lines);

}  // namespace vestige::report
