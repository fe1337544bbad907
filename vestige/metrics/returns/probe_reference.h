// What every comparison under one probe shares: its rows, retrained models under it, and what there
// was to forget.
#pragma once

#include <string>

#include "vestige/metrics/returns/probe_rows.h"

namespace vestige::metrics {

struct ProbeReference {
  std::string probe;
  ProbeRows rows;
  std::string signal;
  ProbedSignal retrained;
  double room = kUndefined;  ///< original - retrained before the probe, beyond unseen rows
  std::string undefined;     ///< why nothing can be said; empty if it can
  std::string unreliable;    ///< why what is said is not to be read; empty if it is
};

ProbeReference make_reference(const evidence::Evidence& evidence, const RowSets& sets,
                              const std::string& probe);

/// Both sides of a probe against unseen rows.
ProbedSide side_of_probe(const ProbedSignal& signal, const ProbeRows& rows);

/// Every model of a group; none without one.
Models models_of(const evidence::Group* group);
/// Those that say something of forget and test.
Models speaking(const Models& models);

}  // namespace vestige::metrics
