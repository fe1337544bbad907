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
  double false_alarms = 0;  ///< of traces or over-forgetting
  double fresh_forgotten = 0;
  double half_detected = 0;
  double half_wrongly_cleared = 0;
  double original_detected = 0;
  double fresh_lost = 0;  ///< utility of fresh models is said to be lost
  double fresh_word = 0;  ///< the word itself is TRACES REMAIN, OVER-FORGOTTEN or MIXED
  double fresh_open = 0;  ///< NOT DECIDED or NOT TESTED
};

/// VESTIGE_RATES="iam,attacks" asks for more than unseen rows; VESTIGE_DRAWS for more draws.
inline AuditOptions asked() {
  AuditOptions options;
  options.metrics = {"holdout_gap"};
  const char* more = std::getenv("VESTIGE_RATES");
  for (const char* family : {"iam", "attacks", "utility"}) {
    if (more != nullptr && std::string(more).find(family) != std::string::npos) {
      options.metrics.emplace_back(family);
    }
  }
  return options;
}

/// Rates over `draws` draws with this many models per group; the same draws each time.
inline Rates rates_of(const KnownModels& from, std::size_t models, int draws) {
  std::mt19937_64 generator(models);
  Rates rates;
  const double one = 1.0 / draws;
  for (int i = 0; i < draws; ++i) {
    const AuditResult result = audit(draw(from, models, generator), asked());
    for (const Verdict& verdict : result.verdicts) {
      const bool traces = verdict.under == Outcome::shown;
      const bool alarm = traces || verdict.over == Outcome::shown;
      const bool forgotten = verdict.word == Word::forgotten;
      const bool open = verdict.word == Word::not_decided || verdict.word == Word::not_tested;
      if (verdict.method == "fresh") {
        rates.false_alarms += alarm ? one : 0;
        rates.fresh_forgotten += forgotten ? one : 0;
        rates.fresh_lost += verdict.utility_loss == Outcome::shown ? one : 0;
        rates.fresh_word += forgotten || open ? 0 : one;
        rates.fresh_open += open ? one : 0;
      } else if (verdict.method == "half") {
        rates.half_detected += traces ? one : 0;
        rates.half_wrongly_cleared += forgotten ? one : 0;
      } else {
        rates.original_detected += traces ? one : 0;
      }
    }
  }
  return rates;
}

/// Prints a line of the table: models per group, forget rows, then the rates.
inline Rates rates(const KnownModels& from, std::size_t models) {
  const char* asked_draws = std::getenv("VESTIGE_DRAWS");
  const Rates rates = rates_of(from, models, asked_draws == nullptr ? 100 : std::atoi(asked_draws));
  fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", models,
             from.forget_rows_given(), rates.false_alarms, rates.fresh_forgotten,
             rates.half_detected, rates.half_wrongly_cleared, rates.original_detected,
             rates.fresh_lost);
  return rates;
}

}  // namespace vestige::audit
