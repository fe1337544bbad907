// The practical instantiations of the paper's Section 4: which models stand behind each of E
// estimates of F, and the interval over the estimates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/epsilon/epsilon.h"
#include "vestige/metrics/epsilon/epsilon_score.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

enum class EpsilonSetup {
  full,       ///< E disjoint groups of N models of both kinds
  reuse_n_n,  ///< N originals and N retrained, used again in every experiment
  reuse_n_1,  ///< all unlearned models from one original, the same N retrained
  bootstrap,  ///< N of K triplets drawn with replacement, E times
};
std::string_view name(EpsilonSetup setup);  // "full", "reuse-n-n", "reuse-n-1", "bootstrap"
/// InputError for an unknown name.
EpsilonSetup epsilon_setup(std::string_view name);

/// The models of one experiment, as row numbers of the confidence matrices.
struct ModelGroup {
  std::vector<std::size_t> unlearned;
  std::vector<std::size_t> retrained;
};

/// How many models (N) and experiments (E); 0 means the largest that fits, see each function.
struct SetupSize {
  std::size_t models = 0;
  std::size_t experiments = 0;
};

// Each throws InputError, saying what is missing, if the models do not suffice.

/// Experiment e takes models e N .. (e + 1) N - 1 of both kinds. Neither given: E = 2.
std::vector<ModelGroup> full_groups(std::size_t unlearned, std::size_t retrained, SetupSize size);

/// `origin[i]` is the number of the original that unlearned model i came from. Experiment e takes
/// the e-th run of each of N originals, and the first N retrained models.
std::vector<ModelGroup> reuse_n_n_groups(std::span<const std::size_t> origin, std::size_t retrained,
                                         SetupSize size);

/// Runs of the original with the most of them, in E disjoint groups of N, against the first N
/// retrained models. Neither given: E = 2 or, if more fit, N = all retrained models.
std::vector<ModelGroup> reuse_n_1_groups(std::span<const std::size_t> origin, std::size_t retrained,
                                         SetupSize size);

/// Triplet k is unlearned model k with retrained model k. Defaults as in the paper: K = 8 N, E
/// = 20.
std::vector<ModelGroup> bootstrap_groups(std::size_t triplets, SetupSize size, std::uint64_t seed);

/// E estimates of F, their mean and the Student t interval of the mean (95 %; NaN for E = 1). In
/// the reuse and bootstrap setups the estimates share models, so that the interval is too narrow by
/// what drawing other models would add.
struct SetupEstimate {
  std::vector<double> estimates;
  Estimate mean;
};

/// F of each group; matrices are [models, rows].
SetupEstimate estimate_setup(MatrixView unlearned, MatrixView retrained,
                             std::span<const ModelGroup> groups,
                             EpsilonMode mode = EpsilonMode::exact,
                             const EpsilonOptions& options = {}, const PointsOptions& points = {});

}  // namespace vestige::metrics
