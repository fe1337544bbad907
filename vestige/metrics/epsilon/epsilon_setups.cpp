// Groups of models for each setup, and F of each group.
#include "vestige/metrics/epsilon/epsilon_setups.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/epsilon/epsilon_score.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr EpsilonSetup kSetups[] = {EpsilonSetup::full, EpsilonSetup::reuse_n_n,
                                    EpsilonSetup::reuse_n_1, EpsilonSetup::bootstrap};

std::vector<std::size_t> consecutive(std::size_t first, std::size_t count) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

Matrix take_models(MatrixView matrix, std::span<const std::size_t> models) {
  Matrix taken(models.size(), matrix.cols);
  for (std::size_t place = 0; place < models.size(); ++place) {
    require(models[place] < matrix.rows, "epsilon: model {} was asked of a matrix of {}",
            models[place], matrix.rows);
    const auto row = matrix.row(models[place]);
    std::copy(row.begin(), row.end(), taken.row(place).begin());
  }
  return taken;
}

// The unlearned models of each original, in their order.
std::map<std::size_t, std::vector<std::size_t>> runs_by_original(
    std::span<const std::size_t> origin) {
  std::map<std::size_t, std::vector<std::size_t>> runs;
  for (std::size_t model = 0; model < origin.size(); ++model) runs[origin[model]].push_back(model);
  return runs;
}

}  // namespace

std::string_view name(EpsilonSetup setup) {
  switch (setup) {
    case EpsilonSetup::full:
      return "full";
    case EpsilonSetup::reuse_n_n:
      return "reuse-n-n";
    case EpsilonSetup::reuse_n_1:
      return "reuse-n-1";
    case EpsilonSetup::bootstrap:
      return "bootstrap";
  }
  return "";
}

EpsilonSetup epsilon_setup(std::string_view wanted) {
  for (const EpsilonSetup setup : kSetups) {
    if (name(setup) == wanted) return setup;
  }
  fail("epsilon setup \"{}\" is unknown: give full, reuse-n-n, reuse-n-1 or bootstrap", wanted);
}

std::vector<ModelGroup> full_groups(std::size_t unlearned, std::size_t retrained, SetupSize size) {
  const std::size_t pool = std::min(unlearned, retrained);
  if (size.experiments == 0) {
    size.experiments = size.models == 0 ? 2 : std::max<std::size_t>(1, pool / size.models);
  }
  if (size.models == 0) size.models = pool / size.experiments;
  require(size.models > 0 && size.models <= pool / size.experiments,
          "setup full: {} experiments of {} models need {} unlearned and as many retrained models, "
          "there are {} and {}",
          size.experiments, std::max<std::size_t>(1, size.models),
          size.experiments * std::max<std::size_t>(1, size.models), unlearned, retrained);
  std::vector<ModelGroup> groups;
  for (std::size_t experiment = 0; experiment < size.experiments; ++experiment) {
    const auto models = consecutive(experiment * size.models, size.models);
    groups.push_back({models, models});
  }
  return groups;
}

std::vector<ModelGroup> reuse_n_n_groups(std::span<const std::size_t> origin, std::size_t retrained,
                                         SetupSize size) {
  const auto runs = runs_by_original(origin);
  if (size.experiments == 0) {
    size.experiments = origin.empty() ? 1 : origin.size();
    for (const auto& [original, models] : runs) {
      size.experiments = std::min(size.experiments, models.size());
    }
  }
  std::vector<const std::vector<std::size_t>*> usable;
  for (const auto& [original, models] : runs) {
    if (models.size() >= size.experiments) usable.push_back(&models);
  }
  if (size.models == 0) size.models = std::min(usable.size(), retrained);
  require(size.models > 0 && usable.size() >= size.models && retrained >= size.models,
          "setup reuse-n-n: {} experiments need as many unlearned models of each of {} originals "
          "and {} retrained models; {} originals have enough, {} models are retrained",
          size.experiments, std::max<std::size_t>(1, size.models),
          std::max<std::size_t>(1, size.models), usable.size(), retrained);
  std::vector<ModelGroup> groups(size.experiments);
  for (std::size_t experiment = 0; experiment < size.experiments; ++experiment) {
    for (std::size_t original = 0; original < size.models; ++original) {
      groups[experiment].unlearned.push_back((*usable[original])[experiment]);
    }
    groups[experiment].retrained = consecutive(0, size.models);
  }
  return groups;
}

std::vector<ModelGroup> reuse_n_1_groups(std::span<const std::size_t> origin, std::size_t retrained,
                                         SetupSize size) {
  std::vector<std::size_t> runs;
  for (const auto& [original, models] : runs_by_original(origin)) {
    if (models.size() > runs.size()) runs = models;
  }
  if (size.models == 0) {
    const std::size_t experiments = size.experiments == 0 ? 2 : size.experiments;
    size.models = std::min(retrained, runs.size() / experiments);
  }
  if (size.experiments == 0 && size.models > 0) {
    size.experiments = std::max<std::size_t>(1, runs.size() / size.models);
  }
  require(
      size.models > 0 && size.models <= retrained && runs.size() / size.models >= size.experiments,
      "setup reuse-n-1: {} experiments of {} models need {} unlearned models of one original "
      "and {} retrained models; there are {} and {}",
      size.experiments, size.models, size.experiments * size.models, size.models, runs.size(),
      retrained);
  std::vector<ModelGroup> groups(size.experiments);
  for (std::size_t experiment = 0; experiment < size.experiments; ++experiment) {
    const auto first = runs.begin() + static_cast<std::ptrdiff_t>(experiment * size.models);
    groups[experiment].unlearned.assign(first, first + static_cast<std::ptrdiff_t>(size.models));
    groups[experiment].retrained = consecutive(0, size.models);
  }
  return groups;
}

std::vector<ModelGroup> bootstrap_groups(std::size_t triplets, SetupSize size, std::uint64_t seed) {
  require(triplets > 0, "setup bootstrap: there are no pairs of unlearned and retrained models");
  if (size.experiments == 0) size.experiments = 20;
  if (size.models == 0) size.models = std::max<std::size_t>(1, triplets / 8);
  std::vector<ModelGroup> groups(size.experiments);
  for (std::size_t experiment = 0; experiment < size.experiments; ++experiment) {
    Stream stream(seed, "epsilon.setup.bootstrap", experiment);
    for (std::size_t draw = 0; draw < size.models; ++draw) {
      groups[experiment].unlearned.push_back(stream.below(triplets));
    }
    groups[experiment].retrained = groups[experiment].unlearned;
  }
  return groups;
}

SetupEstimate estimate_setup(MatrixView unlearned, MatrixView retrained,
                             std::span<const ModelGroup> groups, EpsilonMode mode,
                             const EpsilonOptions& options, const PointsOptions& points) {
  SetupEstimate result;
  for (const ModelGroup& group : groups) {
    const Matrix left = take_models(unlearned, group.unlearned);
    const Matrix right = take_models(retrained, group.retrained);
    result.estimates.push_back(forget_quality(left, right, mode, options, points).score.value);
  }
  result.mean = t_interval(result.estimates);
  return result;
}

}  // namespace vestige::metrics
