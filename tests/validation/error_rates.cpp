// Error rates of verdicts on all sets of models with known answers, as a table and a picture:
// error_rates FOLDER [DRAWS] puts the table between the marks of FOLDER/error-rates.md and writes
// FOLDER/error-rates.svg (make error-rates).
#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/audit/known_rates.h"
#include "tests/audit/known_regimes.h"

namespace vestige::audit {
namespace {

constexpr std::size_t kModels[] = {1, 2, 3, 5};
constexpr std::string_view kFirstMark = "<!-- table -->\n", kLastMark = "<!-- end of table -->\n";

struct Cell {
  Regime regime;
  std::size_t models = 0;
  std::size_t forget = 0;
  Rates rates{};
};

std::vector<Cell> measure(int draws) {
  std::vector<Cell> cells;
  for (const Regime& regime : regimes()) {
    for (const std::size_t models : kModels) cells.push_back({regime, models});
  }
  tbb::parallel_for(std::size_t{0}, cells.size(), [&](std::size_t place) {
    Cell& cell = cells[place];
    const auto models = cell.regime.load();
    cell.forget = models->forget_rows_given();
    cell.rates = rates_of(*models, cell.models, draws);
  });
  return cells;
}

std::string table(const std::vector<Cell>& cells) {
  std::string text =
      "| forget set and training | forget examples | models per group | false alarm | false alarm, "
      "word | utility: false alarm | retrained: FORGOTTEN | retrained: not decided | half "
      "forgotten: wrongly cleared | half forgotten: detected | original: detected |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const Cell& cell : cells) {
    const Rates& r = cell.rates;
    text += fmt::format(
        "| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} "
        "|\n",
        cell.regime.name, cell.forget, cell.models, r.false_alarms, r.fresh_word, r.fresh_lost,
        r.fresh_forgotten, r.fresh_open, r.half_wrongly_cleared, r.half_detected,
        r.original_detected);
  }
  return text;
}

/// One panel per rate, one line per regime, one dot per number of models (darker: more models).
std::string picture(const std::vector<Cell>& cells) {
  struct Panel {
    std::string title;
    double Rates::*rate;
    bool error;  ///< at most 5 % is wanted
  };
  const std::vector<Panel> panels = {{"false alarm", &Rates::false_alarms, true},
                                     {"utility: false alarm", &Rates::fresh_lost, true},
                                     {"half: wrongly cleared", &Rates::half_wrongly_cleared, true},
                                     {"half: detected", &Rates::half_detected, false},
                                     {"original: detected", &Rates::original_detected, false}};
  constexpr int kLine = 20, kTop = 44, kLeft = 210, kWide = 140, kStep = 160;
  constexpr const char* kShades[] = {"#9ecae1", "#6baed6", "#3182bd", "#08306b"};
  const int lines = static_cast<int>(cells.size() / std::size(kModels));
  const int height = kTop + lines * kLine + 40;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n",
      kLeft + kStep * static_cast<int>(panels.size()), height);
  const auto at = [&](std::size_t panel, double share) {
    return kLeft + kStep * static_cast<double>(panel) + share * kWide;
  };
  for (int line = 0; line < lines; ++line) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 10,
                       kTop + line * kLine + 14,
                       cells[static_cast<std::size_t>(line) * std::size(kModels)].regime.name);
  }
  for (std::size_t panel = 0; panel < panels.size(); ++panel) {
    // Errors are drawn up to 30 %, so that 5 % can be read.
    const double most = panels[panel].error ? 0.3 : 1;
    svg += fmt::format("<text x=\"{:.0f}\" y=\"18\" font-weight=\"bold\">{}</text>\n", at(panel, 0),
                       panels[panel].title);
    for (const double tick : {0.0, 0.5, 1.0}) {
      svg += fmt::format(
          "<line x1=\"{0:.0f}\" x2=\"{0:.0f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#ddd\"/><text "
          "x=\"{0:.0f}\" y=\"36\" text-anchor=\"middle\" fill=\"#666\">{3:.0f} %</text>\n",
          at(panel, tick), kTop, kTop + lines * kLine, 100 * tick * most);
    }
    const double bound = panels[panel].error ? 0.05 : 0.9;
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#c00\" "
        "stroke-dasharray=\"3 2\"/>\n",
        at(panel, bound / most), kTop, kTop + lines * kLine);
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      const std::size_t models = cell % std::size(kModels);
      const double share = std::min(1.0, cells[cell].rates.*panels[panel].rate / most);
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n",
                         at(panel, share),
                         kTop + kLine * (static_cast<double>(cell / std::size(kModels)) + 0.2 +
                                         0.2 * static_cast<double>(models)),
                         kShades[models]);
    }
  }
  for (std::size_t i = 0; i < std::size(kModels); ++i) {
    const int x = kLeft + static_cast<int>(i) * 150, y = height - 12;
    svg += fmt::format(
        "<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{}\"/><text x=\"{}\" y=\"{}\">{} "
        "model{} per group</text>\n",
        x, y - 4, kShades[i], x + 8, y, kModels[i], kModels[i] == 1 ? "" : "s");
  }
  return svg + "</svg>\n";
}

int run(const std::string& folder, int draws) {
  const std::vector<Cell> cells = measure(draws);
  const std::string lines = table(cells);
  std::cout << lines;
  const std::string page = folder + "/error-rates.md";
  std::stringstream text;
  text << std::ifstream(page).rdbuf();
  const std::string old = text.str();
  const std::size_t first = old.find(kFirstMark), last = old.find(kLastMark);
  if (first == std::string::npos || last == std::string::npos || last < first) {
    std::cerr << page << ": no place for the table: put " << kFirstMark << " and " << kLastMark;
    return 2;
  }
  std::ofstream(page) << old.substr(0, first) << kFirstMark << lines << old.substr(last);
  std::ofstream(folder + "/error-rates.svg") << picture(cells);
  return 0;
}

}  // namespace
}  // namespace vestige::audit

int main(int count, char** words) {
  if (count < 2) {
    std::cerr << "usage: error_rates FOLDER [DRAWS]\n";
    return 2;
  }
  return vestige::audit::run(words[1], count > 2 ? std::atoi(words[2]) : 100);
}
