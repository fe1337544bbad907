// Split-half dependence evaluation (SDE): is a set of rows, seen through a model's activations,
// more like rows that the model was trained on or like rows that it never saw?
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/kernels/hsic.h"
#include "vestige/metrics/kernels/rbf_kernel.h"

namespace vestige::metrics {

class KernelRoom;
class PermutationStore;

/// A set of rows cut into two halves of equal size; rows are ascending inside each half.
struct HalvedSet {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> second;

  std::size_t size() const { return first.size() + second.size(); }
};

/// `size` rows drawn without replacement from `pool`, cut at random. An odd size loses its last
/// row. Needs 4 <= size <= pool.size().
HalvedSet draw_set(std::span<const std::uint32_t> pool, std::size_t size, Stream& stream);

/// The given rows in the order of the array: the first half against the second (Algorithm 1). An
/// odd count loses its last row.
HalvedSet halve(std::span<const std::uint32_t> rows);

struct DependenceOptions {
  double sigma = 0;                          ///< bandwidth of the kernel; 0: sqrt of the dimension
  std::size_t shuffles = 200;                ///< T; 0: closed form only
  std::uint64_t seed = 1;                    ///< root seed
  std::string_view purpose = "sde.shuffle";  ///< names the random streams, one per set
  /// Whether sets gather from one kernel matrix of the rows that they use: 0 as is cheaper, +1
  /// always, -1 never.
  int share = 0;
  /// Where permutations are kept for the next model; nullptr: nowhere. Changes the time alone.
  PermutationStore* store = nullptr;
  /// Where the memory of such matrices is kept for the next split; nullptr: nowhere.
  KernelRoom* room = nullptr;
  KernelShape kernel = KernelShape::rbf;
  /// Rows of a half through which the others are seen (Nystroem features); 0: exact, as are halves
  /// with no more rows than that.
  std::size_t landmarks = 0;
};

/// H(S): HSIC between the halves of one set over shuffles of the second.
struct Dependence {
  std::vector<double> values;  ///< one per shuffle
  PermutationMoments moments;  ///< exact, without shuffles
  /// Mean of both kernel matrices off the diagonal; of a linear kernel it says nothing, because
  /// it depends on the mean that was taken away.
  double kernel_mean = 0;
  /// Exact values are at most so much larger; 0 where they are exact.
  double gap = 0;
};

/// Sets that share the random streams of one purpose, and one kernel matrix where that is cheaper.
struct SetGroup {
  std::span<const HalvedSet> sets;
  std::string_view purpose;
};

/// H of every set, in the order of the groups.
using GroupDependence = std::vector<std::vector<Dependence>>;

/// H of every set of every group of rows of `activations` [n, d]; set i of a group draws from
/// Stream(seed, group.purpose, i).
GroupDependence split_half_dependence(MatrixView activations, std::span<const SetGroup> groups,
                                      const DependenceOptions& options);

/// What one of several models says of the same rows.
struct ModelRows {
  MatrixView activations;
  double sigma = 0;  ///< 0: sqrt of the dimension
};

/// The same for several models, each with its own bandwidth: one result each, with the bytes that
/// it has alone. With halves of 200 rows eight models take 60 % of the time of one after the
/// other; the kernel matrices of all models are held.
std::vector<GroupDependence> split_half_dependence(std::span<const ModelRows> models,
                                                   std::span<const SetGroup> groups,
                                                   const DependenceOptions& options);

/// H of the sets of one group, whose purpose is in the options.
std::vector<Dependence> split_half_dependence(MatrixView activations,
                                              std::span<const HalvedSet> sets,
                                              const DependenceOptions& options);

/// H of a set whose halves have the kernel matrices k and l, [n, n] and symmetric: for kernels that
/// are not in KernelShape. Shuffles are those of set `index` of the purpose in the options.
Dependence dependence_of_kernels(MatrixView k, MatrixView l, const DependenceOptions& options,
                                 std::size_t index = 0);

/// True where a mean kernel value off the diagonal says that sigma sees nothing: every pair alike
/// (above 0.99) or no pair alike (below 0.01).
bool degenerate_kernel(double kernel_mean);

/// One in/out verdict.
struct SetVerdict {
  bool in_training = false;
  bool tie = false;  ///< both references equally far: counts as out
};

/// How two samples of H are compared.
enum class SetDivergence {
  jsd,  ///< Jensen-Shannon on 20 bins over the pooled range, as in the paper
  kl,   ///< Kullback-Leibler of target from reference on such bins, half a count added to each
  wasserstein,  ///< 1-Wasserstein distance of the two samples
};
std::string_view name(SetDivergence divergence);

/// Divergence of `target` from `reference`; NaN if a sample is empty or holds NaN.
double set_divergence(std::span<const double> target, std::span<const double> reference,
                      SetDivergence divergence);

/// In training iff the target is nearer to `in` than to `out`; differences below 1e-12 of the
/// larger divergence (jsd: below 1e-12) tie.
SetVerdict judge(std::span<const double> target, std::span<const double> in,
                 std::span<const double> out, SetDivergence divergence);

/// In training iff JSD(target, in) < JSD(target, out) on 20 bins; differences below 1e-12 tie.
SetVerdict judge_by_jsd(std::span<const double> target, std::span<const double> in,
                        std::span<const double> out);

/// In training iff |target - in| < |target - out|.
SetVerdict judge_by_mean(double target, double in, double out);

/// A divergence of one's own, of the first sample from the second: 0 or more.
using Divergence =
    std::function<double(std::span<const double> target, std::span<const double> reference)>;
SetVerdict judge(std::span<const double> target, std::span<const double> in,
                 std::span<const double> out, const Divergence& divergence);

/// Precondition of a reference pair: one-sided Mann-Whitney U, H_in > H_out, p < 0.01.
bool references_differ(std::span<const double> in, std::span<const double> out);

/// What one reference pair says about a row of targets.
struct PairVerdicts {
  bool passed = false;               ///< the pair meets its precondition
  std::vector<SetVerdict> verdicts;  ///< one per target; empty if it does not
};

/// Every reference pair (ins[r], outs[r]) on every target, by the shuffled distributions.
std::vector<PairVerdicts> judge_by_shuffles(std::span<const Dependence> targets,
                                            std::span<const Dependence> ins,
                                            std::span<const Dependence> outs,
                                            SetDivergence divergence = SetDivergence::jsd);

/// The same by a divergence of one's own, which is called from this thread alone.
std::vector<PairVerdicts> judge_by_shuffles(std::span<const Dependence> targets,
                                            std::span<const Dependence> ins,
                                            std::span<const Dependence> outs,
                                            const Divergence& divergence);

/// The noise-free form: exact means instead of shuffles; a pair passes iff its in-mean is above its
/// out-mean.
std::vector<PairVerdicts> judge_by_mean(std::span<const Dependence> targets,
                                        std::span<const Dependence> ins,
                                        std::span<const Dependence> outs);

/// A share or score per reference pair, NaN for pairs that did not pass.
struct OverPairs {
  std::vector<double> per_pair;
  std::size_t passed = 0;
  std::size_t ties = 0;       ///< over all passed pairs
  std::size_t verdicts = 0;   ///< over all passed pairs
  double mean = kUndefined;   ///< over passed pairs; NaN for none
  double lower = kUndefined;  ///< 2.5 % and 97.5 % quantile over passed pairs, NaN below two pairs
  double upper = kUndefined;

  /// Fewer than half of the pairs passed: the evidence gives no answer.
  bool inconclusive() const { return 2 * passed < per_pair.size() || passed == 0; }
};

/// OTR: the share of targets judged out of training.
OverPairs out_of_training_rate(std::span<const PairVerdicts> pairs);

/// F1 with "in training" as the positive class; the first `members` targets are positives.
OverPairs f1_score(std::span<const PairVerdicts> pairs, std::size_t members);

/// F1 = 2 TP / (2 TP + FP + FN) of the verdicts with the given indices; NaN without any of them.
double f1_of(std::span<const SetVerdict> verdicts, std::span<const std::size_t> indices,
             std::size_t members);

}  // namespace vestige::metrics
