// What a reader must know before the numbers, and a metric group that was not measured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vestige/result/names.h"
#include "vestige/result/reason.h"

namespace vestige::result {

/// Why a remark is made; views group by it.
enum class Cause {
  other,             ///< not known: results of earlier versions
  evidence,          ///< about the evidence as a whole
  cannot_tell,       ///< the metric cannot tell original from retrained here
  wrong_way,         ///< the metric rates the original better than retrained here
  constant_as_good,  ///< a constant predictor scores as well as retrained
  difference,        ///< how far original and retrained are apart
  unreliable,        ///< the metric itself found that it is unreliable
  care,              ///< to be read with care
};
VESTIGE_NAMES(Cause, {Cause::other, ""}, {Cause::evidence, "evidence"},
              {Cause::cannot_tell, "cannot_tell"}, {Cause::wrong_way, "wrong_way"},
              {Cause::constant_as_good, "constant_as_good"}, {Cause::difference, "difference"},
              {Cause::unreliable, "unreliable"}, {Cause::care, "care"})

struct Remark {
  Cause cause = Cause::other;
  std::vector<std::string> metrics{};  ///< ids that it is about, or a metric group; may be empty
  Reason reason{};

  bool operator==(const Remark&) const = default;

  static constexpr std::string_view kType = "Remark";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("cause", &Remark::cause, "why the remark is made");
    visit("metrics", &Remark::metrics, "metrics or metric group that it is about; may be empty");
    visit("reason", &Remark::reason, "what was found");
  }
};

/// A metric group that was not measured, and what it would need.
struct Skipped {
  std::string group{};
  Reason reason{};
  bool cost = false;  ///< for the time that it would take

  static constexpr std::string_view kType = "Skipped";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("group", &Skipped::group, "the metric group");
    visit("reason", &Skipped::reason, "why it was not measured, and what it would need");
    visit("cost", &Skipped::cost, "left out because it would take too long");
  }
};

/// How much the evidence can prove.
struct Grade {
  char letter = 'D';  ///< A best, D least
  Reason reason{};

  static constexpr std::string_view kType = "Grade";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("letter", &Grade::letter, "evidence quality, A (best) to D");
    visit("reason", &Grade::reason, "what the grade rests on");
  }
};

}  // namespace vestige::result
