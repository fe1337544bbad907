// Does the forgotten come back? The same treatment (a probe) is applied to the unlearned, retrained
// and original models; what the unlearned model gains on forget rows by it, beyond what retrained
// models gain, was not gone but hidden.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"
#include "vestige/metrics/stats/bootstrap.h"
#include "vestige/metrics/stats/contrast.h"

namespace vestige::metrics {

/// One signal of some models on target and on unseen rows: [models, rows] each.
struct SignalRows {
  Matrix target;
  Matrix unseen;
};

/// The same models after a probe, and by how much each row moved.
struct ProbedSide {
  Contrast after;
  Contrast moved;
};

/// Models in the same order on both sides of the probe.
ProbedSide probed_side(const SignalRows& before, const SignalRows& after,
                       const std::shared_ptr<const Strata>& strata);

/// Everything as a share of `difference`, what the original knows of the target examples beyond
/// retrained models before any probe: 0 is nothing, 1 is all that there was to forget. Intervals of
/// 95 % by Student's t over examples and models; the difference is taken as known.
struct Return {
  Estimate after;  ///< what the method knows beyond retrained models after the same probe
  Estimate gain;   ///< of that, what the probe brought: the method's move minus retrained's
  /// The smaller of both: a method that knew less than retrained models and is brought back to them
  /// has gained, but nothing of the forgotten came back. The ends are those of the smaller too.
  Estimate share;
  double p = kUndefined;       ///< one-sided, of a share of 0: both gain and after must exceed it
  double method = kUndefined;  ///< the method's own move
  double retrained = kUndefined;  ///< the same of retrained models
};

/// NaN throughout where `difference` is not above 0.
Return returned(const ProbedSide& method, const ProbedSide& retrained, double difference);

/// After how many steps a curve reaches `wanted`, on straight lines between its points: 0 if the
/// first point has it, NaN if none has. `steps` ascend from 0; as many values.
double steps_to_reach(std::span<const double> steps, std::span<const double> values, double wanted);

/// Answers while forget rows are learnt again. Matrices are [points of the curve, rows]: the share
/// of models that are right on a row, the share of a sequence's tokens that they get right, or
/// minus the loss.
struct Relearning {
  std::vector<double> steps;     ///< of the points, ascending from 0
  Matrix method;                 ///< more is better known
  Matrix retrained;              ///< likewise
  std::vector<double> original;  ///< [rows], before any probe
};

struct Anamnesis {
  double method = kUndefined;     ///< relearn time in steps; NaN: not within the last point
  double retrained = kUndefined;  ///< likewise
  Estimate index;                 ///< method / retrained, bootstrap over rows
};

/// Anamnesis index (Chundawat, Tarun, Mandal and Kankanhalli 2023): steps until the accuracy is
/// within `range` of the original's (a loss: at most 1 + range times it, as relearn times of
/// Golatkar, Achille and Soatto 2020 are of losses), of the method over retrained's. 1: relearns
/// like retrained, below: something was left, above: it resists. NaN where retrained models need no
/// step or either side does not get there.
Anamnesis anamnesis(const Relearning& relearning, double range, const BootstrapOptions& options);

}  // namespace vestige::metrics
