// How often verdicts about models with known answers are wrong, and how often right.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <random>
#include <string>

#include "tests/audit/known_models.h"
#include "vestige/audit/audit.h"

namespace vestige::audit {

/// Shares of draws.
struct Rates {
  double fresh_accused = 0;  ///< of traces or over-forgetting
  double fresh_forgotten = 0;
  double half_seen = 0;
  double half_forgotten = 0;
  double original_seen = 0;
  double fresh_lost = 0;  ///< utility of fresh models is said to be lost
};

/// VESTIGE_RATES="iam,attacks" asks for more than unseen rows; VESTIGE_DRAWS for more draws.
inline AuditOptions asked() {
  AuditOptions options;
  options.metrics = {"yardstick"};
  const char* more = std::getenv("VESTIGE_RATES");
  for (const char* family : {"iam", "attacks", "utility"}) {
    if (more != nullptr && std::string(more).find(family) != std::string::npos) {
      options.metrics.emplace_back(family);
    }
  }
  return options;
}

/// Prints a line of the table: models a side, forget rows, then the rates.
inline Rates rates(const KnownModels& from, std::size_t models) {
  const char* asked_draws = std::getenv("VESTIGE_DRAWS");
  const int draws = asked_draws == nullptr ? 100 : std::atoi(asked_draws);
  std::mt19937_64 generator(models);
  Rates rates;
  for (int i = 0; i < draws; ++i) {
    const AuditResult result = audit(draw(from, models, generator), asked());
    for (const Verdict& verdict : result.verdicts) {
      const bool traces = verdict.under == Shown::shown;
      const bool accused = traces || verdict.over == Shown::shown;
      const bool forgotten = verdict.word == Word::forgotten;
      const double one = 1.0 / draws;
      if (verdict.method == "fresh") {
        rates.fresh_accused += accused ? one : 0;
        rates.fresh_forgotten += forgotten ? one : 0;
        rates.fresh_lost += verdict.utility_loss == Shown::shown ? one : 0;
      } else if (verdict.method == "half") {
        rates.half_seen += traces ? one : 0;
        rates.half_forgotten += forgotten ? one : 0;
      } else {
        rates.original_seen += traces ? one : 0;
      }
    }
  }
  fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", models,
             from.forget_rows_given(), rates.fresh_accused, rates.fresh_forgotten, rates.half_seen,
             rates.half_forgotten, rates.original_seen, rates.fresh_lost);
  return rates;
}

}  // namespace vestige::audit
