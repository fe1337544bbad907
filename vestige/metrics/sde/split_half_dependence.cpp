// Halves of sets, and HSIC between them for one model or several.
#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/kernels/nystrom.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/kernel_room.h"
#include "vestige/metrics/sde/permutation_store.h"
#include "vestige/metrics/sde/sde.h"
#include "vestige/metrics/sde/set_groups.h"

namespace vestige::metrics {
namespace {

/// Largest kernel matrix that sets share: the lower triangle of 2^24 doubles, 64 MiB. Gathering
/// from larger ones misses the caches so often that computing every set's own kernel is as fast,
/// unless an entry is a product of many columns: then 2^27 doubles, 512 MiB.
constexpr std::size_t kLargestShared = std::size_t{1} << 24;
constexpr std::size_t kLargestSharedOfMany = std::size_t{1} << 27;
constexpr std::size_t kManyColumns = 1024;

/// The rows that any set of a group uses. A control draws its sets from half of the rows: the
/// kernel matrix of these is smaller, and nearer to the processor, than that of all rows.
struct GroupRows {
  UsedRows used;        ///< the halves of set i are its sets 2 i and 2 i + 1
  std::size_t own = 0;  ///< entries of the sets' own kernels, twice: sum |S|^2 / 2

  GroupRows(const SetGroup& group, std::size_t rows) : used({}, 0) {
    std::vector<RowSet> halves;
    for (const HalvedSet& set : group.sets) {
      halves.push_back(set.first);
      halves.push_back(set.second);
      own += set.size() * set.size() / 2;
    }
    used = UsedRows(halves, rows);
  }

  bool sharing_is_cheaper(std::size_t cols) const {
    const std::size_t shared = used.rows.size() * used.rows.size();
    return shared <= own &&
           shared <= (cols >= kManyColumns ? kLargestSharedOfMany : kLargestShared);
  }
};

/// Entries (index, 0) to (index, index) of a lower triangle.
const double* triangle_row(std::span<const double> triangle, std::size_t index) {
  return triangle.data() + index * (index + 1) / 2;
}

/// Room for the kernel matrix of half a set, n x n, kept by a thread from set to set: memory that
/// is given back would be cleared by the system and again by us.
class HalfKernel {
 public:
  void make(std::size_t rows) {
    rows_ = rows;
    if (values_.size() < rows * rows) values_.resize(rows * rows);
  }
  double* row(std::size_t index) { return values_.data() + index * rows_; }
  std::span<double> values() { return {values_.data(), rows_ * rows_}; }
  MatrixView view() const { return {values_.data(), rows_, rows_}; }

 private:
  std::size_t rows_ = 0;
  std::vector<double> values_;
};

/// Copies the lower triangle to the upper one, block by block: both sides of a block are in the
/// cache.
void mirror(HalfKernel& kernel, std::size_t n) {
  constexpr std::size_t kBlock = 32;
  for (std::size_t top = 0; top < n; top += kBlock) {
    for (std::size_t side = 0; side <= top; side += kBlock) {
      for (std::size_t i = top; i < std::min(top + kBlock, n); ++i) {
        const double* source = kernel.row(i);
        for (std::size_t j = side; j < std::min(side + kBlock, i); ++j) {
          kernel.row(j)[i] = source[j];
        }
      }
    }
  }
}

void gather(std::span<const double> shared, std::span<const std::uint32_t> rows,
            HalfKernel& kernel) {
  kernel.make(rows.size());
  const bool ascending = std::is_sorted(rows.begin(), rows.end());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double* target = kernel.row(i);
    if (ascending) {
      const double* source = triangle_row(shared, rows[i]);
      const double* next = triangle_row(shared, rows[std::min(i + 1, rows.size() - 1)]);
      for (std::size_t j = 0; j <= i; ++j) {
        target[j] = source[rows[j]];
        __builtin_prefetch(next + rows[j]);
      }
    } else {
      for (std::size_t j = 0; j <= i; ++j) {
        target[j] = triangle_row(shared, std::max(rows[i], rows[j]))[std::min(rows[i], rows[j])];
      }
    }
  }
  mirror(kernel, rows.size());
}

void check_set(const HalvedSet& set, std::size_t rows) {
  require(set.first.size() == set.second.size() && set.first.size() >= 2,
          "halves of {} and {} examples: both need the same number, at least 2", set.first.size(),
          set.second.size());
  for (const auto* half : {&set.first, &set.second}) {
    for (const std::uint32_t row : *half) {
      require(row < rows, "a set asks for row {} of {}", row, rows);
    }
  }
}

/// The shuffles of one set.
std::shared_ptr<const Permutations> shuffles_of(std::size_t rows, const DependenceOptions& options,
                                                std::string_view purpose, std::size_t index) {
  if (options.shuffles == 0) return nullptr;
  if (options.store != nullptr) {
    return options.store->get(rows, options.shuffles, options.seed, purpose, index);
  }
  Stream stream(options.seed, purpose, index);
  return std::make_shared<const Permutations>(random_permutations(rows, options.shuffles, stream));
}

/// All but the values over shuffles, which are made for several models at once if `pair` is there
/// to take the centred kernels.
Dependence dependence(MatrixView k, MatrixView l, const Permutations* shuffles, CentredPair* pair) {
  Dependence result;
  const Centring k_means = centring(k);
  const Centring l_means = centring(l);
  const KernelSums first = kernel_sums(k, k_means);
  const KernelSums second = kernel_sums(l, l_means);
  result.moments = permutation_moments(first, second);
  result.kernel_mean = 0.5 * (first.off_diagonal + second.off_diagonal);
  if (pair != nullptr) {
    centre(k, k_means, pair->a);
    centre(l, l_means, pair->b);
  } else if (shuffles != nullptr) {
    result.values = hsic_shuffled(k, k_means, l, l_means, *shuffles);
  }
  return result;
}

/// One model's rows, its bandwidth and, where sets share it, the kernel matrix of all used rows.
struct Seen {
  MatrixView activations;
  double sigma = 0;
  KernelShape kernel = KernelShape::rbf;
  std::span<const double> shared = {};  ///< lower triangle; empty: every set has its own kernels

  /// `rows` of the activations are at `places` among the used ones.
  void fill(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> places,
            HalfKernel& half) const {
    if (!shared.empty()) return gather(shared, places, half);
    half.make(rows.size());
    kernel_into(activations, kernel, sigma, rows, half.values());
  }
};

/// H of one set in each of the models; `places` are its two halves among the used rows.
std::vector<Dependence> dependence_of(std::span<const Seen> models, const HalvedSet& set,
                                      std::span<const RowSet> places,
                                      const Permutations* shuffles) {
  thread_local HalfKernel k, l;
  thread_local std::vector<CentredPair> pairs;
  const bool jointly =
      shuffles != nullptr && models.size() > 1 && shuffled_jointly(set.first.size());
  if (jointly && pairs.size() < models.size()) pairs.resize(models.size());
  std::vector<Dependence> results;
  for (std::size_t index = 0; index < models.size(); ++index) {
    models[index].fill(set.first, places[0], k);
    models[index].fill(set.second, places[1], l);
    results.push_back(dependence(k.view(), l.view(), shuffles, jointly ? &pairs[index] : nullptr));
  }
  if (!jointly) return results;
  auto values = hsic_shuffled(std::span(pairs).first(models.size()), *shuffles);
  for (std::size_t index = 0; index < models.size(); ++index) {
    results[index].values = std::move(values[index]);
  }
  return results;
}

/// H of one set through landmarks, which are drawn for each set.
Dependence through_landmarks(const ModelRows& model, const HalvedSet& set,
                             const DependenceOptions& options, std::string_view purpose,
                             std::size_t index, const Permutations* shuffles) {
  const double sigma = model.sigma == 0 ? sqrt_dim(model.activations.cols) : model.sigma;
  Stream stream(options.seed, std::string(purpose) + ".landmarks", index);
  const auto half = [&](const std::vector<std::uint32_t>& rows) {
    return nystrom_sample(model.activations, options.kernel, sigma, rows,
                          stream.sample(rows.size(), options.landmarks));
  };
  const NystromSample first = half(set.first);
  const NystromSample second = half(set.second);
  Dependence result;
  result.moments = permutation_moments(first.sums, second.sums);
  result.kernel_mean = 0.5 * (first.sums.off_diagonal + second.sums.off_diagonal);
  result.gap = nystrom_gap(first, second);
  if (shuffles != nullptr) result.values = hsic_shuffled(first, second, *shuffles);
  return result;
}

/// One result for each set and model, [set][model].
std::vector<std::vector<Dependence>> measure_group(const SetGroup& group,
                                                   std::span<const ModelRows> models,
                                                   const DependenceOptions& options,
                                                   KernelRoom& room) {
  if (group.sets.empty()) return {};  // no rows are used, which would be read as all of them
  if (options.landmarks > 0 && options.landmarks < group.sets.front().first.size()) {
    std::vector<std::vector<Dependence>> results(group.sets.size());
    parallel_tasks(results.size(), [&](std::size_t index) {
      const HalvedSet& set = group.sets[index];
      const auto shuffles = shuffles_of(set.first.size(), options, group.purpose, index);
      for (const ModelRows& model : models) {
        results[index].push_back(
            through_landmarks(model, set, options, group.purpose, index, shuffles.get()));
      }
    });
    return results;
  }
  const GroupRows rows(group, models.front().activations.rows);
  std::vector<Seen> seen;
  for (const ModelRows& model : models) {
    const MatrixView& all = model.activations;
    Seen& one = seen.emplace_back(
        Seen{all, model.sigma == 0 ? sqrt_dim(all.cols) : model.sigma, options.kernel});
    if (options.share < 0 || (options.share == 0 && !rows.sharing_is_cheaper(all.cols))) continue;
    const std::span<double> shared = room.triangle(seen.size() - 1, rows.used.rows.size());
    kernel_lower_into(all, one.kernel, one.sigma, rows.used.rows, shared);
    one.shared = shared;
  }
  std::vector<std::vector<Dependence>> results(group.sets.size());
  // As tasks, which nothing interrupts: a thread that waits for the tiles of a kernel must not
  // begin another set in the same room.
  parallel_tasks(results.size(), [&](std::size_t index) {
    const HalvedSet& set = group.sets[index];
    const auto shuffles = shuffles_of(set.first.size(), options, group.purpose, index);
    results[index] =
        dependence_of(seen, set, std::span(rows.used.sets).subspan(2 * index, 2), shuffles.get());
  });
  return results;
}

}  // namespace

HalvedSet halve(std::span<const std::uint32_t> rows) {
  require(rows.size() >= 4, "a set of {} examples cannot be split into halves: give at least 4",
          rows.size());
  const std::size_t half = rows.size() / 2;
  HalvedSet set;
  set.first.assign(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(half));
  set.second.assign(rows.begin() + static_cast<std::ptrdiff_t>(half),
                    rows.begin() + static_cast<std::ptrdiff_t>(2 * half));
  return set;
}

namespace {

/// Sorts rows by a bit each. Not where they lie so far apart that there would be more words to look
/// through than comparisons, nor where one of them is there twice.
void sort_rows(std::vector<std::uint32_t>& rows) {
  constexpr std::size_t kBits = 64, kSparse = 256;
  const std::size_t most = *std::max_element(rows.begin(), rows.end());
  if (most > kSparse * rows.size()) return std::sort(rows.begin(), rows.end());
  std::vector<std::uint64_t> held(most / kBits + 1);
  for (const std::uint32_t row : rows) {
    const std::uint64_t bit = std::uint64_t{1} << (row % kBits);
    if ((held[row / kBits] & bit) != 0) return std::sort(rows.begin(), rows.end());
    held[row / kBits] |= bit;
  }
  auto next = rows.begin();
  for (std::size_t word = 0; word < held.size(); ++word) {
    for (std::uint64_t bits = held[word]; bits != 0; bits &= bits - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(bits));
      *next++ = static_cast<std::uint32_t>(word * kBits + place);
    }
  }
}

}  // namespace

HalvedSet draw_set(std::span<const std::uint32_t> pool, std::size_t size, Stream& stream) {
  require(size <= pool.size(), "a set of {} examples from a pool of {}: ask for fewer", size,
          pool.size());
  std::vector<std::uint32_t> rows(pool.begin(), pool.end());
  // Fisher-Yates from the front, as far as needed.
  for (std::size_t i = 0; i < size; ++i) {
    std::swap(rows[i], rows[i + stream.below(rows.size() - i)]);
  }
  rows.resize(size);
  HalvedSet set = halve(rows);
  // Order inside a half does not matter to a statistic over all shuffles; gathering is faster.
  sort_rows(set.first);
  sort_rows(set.second);
  return set;
}

Dependence dependence_of_kernels(MatrixView k, MatrixView l, const DependenceOptions& options,
                                 std::size_t index) {
  require(k.rows == k.cols && l.rows == l.cols && k.rows == l.rows && k.rows >= 2,
          "kernels of {} x {} and {} x {}: both halves need a square one of the same size, at "
          "least 2",
          k.rows, k.cols, l.rows, l.cols);
  const auto shuffles = shuffles_of(k.rows, options, options.purpose, index);
  return dependence(k, l, shuffles.get(), nullptr);
}

std::vector<GroupDependence> split_half_dependence(std::span<const ModelRows> models,
                                                   std::span<const SetGroup> groups,
                                                   const DependenceOptions& options) {
  for (const SetGroup& group : groups) {
    for (const HalvedSet& set : group.sets) {
      for (const ModelRows& model : models) check_set(set, model.activations.rows);
    }
  }
  std::vector<GroupDependence> results(models.size(), GroupDependence(groups.size()));
  if (models.empty()) return results;
  KernelRoom own_room;
  KernelRoom& room = options.room == nullptr ? own_room : *options.room;
  for (std::size_t number = 0; number < groups.size(); ++number) {
    for (std::vector<Dependence>& of_set : measure_group(groups[number], models, options, room)) {
      for (std::size_t model = 0; model < models.size(); ++model) {
        results[model][number].push_back(std::move(of_set[model]));
      }
    }
  }
  return results;
}

GroupDependence split_half_dependence(MatrixView activations, std::span<const SetGroup> groups,
                                      const DependenceOptions& options) {
  const ModelRows model{activations, options.sigma};
  return std::move(split_half_dependence({&model, 1}, groups, options).front());
}

std::vector<Dependence> split_half_dependence(MatrixView activations,
                                              std::span<const HalvedSet> sets,
                                              const DependenceOptions& options) {
  const SetGroup group{sets, options.purpose};
  return std::move(split_half_dependence(activations, {&group, 1}, options).front());
}

}  // namespace vestige::metrics
