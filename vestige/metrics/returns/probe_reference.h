// What every comparison under one recovery test shares: its examples, the retrained models after
// it, and the original-retrained difference.
#pragma once

#include <string>

#include "vestige/metrics/returns/probe_rows.h"

namespace vestige::metrics {

struct ProbeReference {
  std::string probe;
  ProbeRows rows;
  std::string signal;
  ProbedSignal retrained;
  /// Original minus retrained models before the test, minus the same on unseen examples.
  double difference = kUndefined;
  Reason undefined;   ///< why nothing can be measured; empty if it can
  Reason unreliable;  ///< why what is measured cannot be trusted; empty if it can
};

ProbeReference make_reference(const Context& context, const evidence::Evidence& evidence,
                              const RowSets& sets, const std::string& probe);

/// Models before and after a recovery test, against unseen examples.
ProbedSide side_of_probe(const ProbedSignal& signal, const ProbeRows& rows);

/// Every model of a group; none without one.
Models models_of(const evidence::Group* group);
/// Those with answers on forget and test.
Models speaking(const Models& models);

}  // namespace vestige::metrics
