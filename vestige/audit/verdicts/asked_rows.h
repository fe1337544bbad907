// The rows of one metric in one setting that a verdict reads, by whose they are.
#pragma once

#include <string_view>
#include <vector>

#include "vestige/audit/verdicts/differences.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/result.h"

namespace vestige::audit {

struct AskedRows {
  std::vector<const metrics::Row*> method;
  std::vector<const metrics::Row*> retrained;
  std::vector<const metrics::Row*> original;

  /// Every value of the method is defined and its controls passed.
  bool reliable() const;
  /// The contrasts of single rows about whole groups, nullptr without.
  static const metrics::Contrast* contrast(const std::vector<const metrics::Row*>& rows);
};

/// The first setting in which the method was measured; for pools the one that has a retrained
/// control, at half the models.
AskedRows ask(const std::vector<metrics::Row>& rows, std::string_view id,
              const evidence::Group& group);

/// What differences are made of.
Side side_of(const std::vector<const metrics::Row*>& rows);

struct Sides {
  Side* method;
  Side* retrained;
  Side* original;
};

/// Takes from each model's value the same number on rows that nobody saw (Speech::unseen), where
/// all models have it; says whether it did.
bool subtract_unseen(const std::vector<metrics::Row>& rows, const metrics::MetricInfo& metric,
                     const AskedRows& asked, const Sides& sides);

}  // namespace vestige::audit
