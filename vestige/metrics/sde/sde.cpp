// SDE: sets, their dependence, and what reference sets make of it.
#include "vestige/metrics/sde/sde.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/permutation_store.h"
#include "vestige/metrics/stats/jsd.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr double kJsdTie = 1e-12;
constexpr double kPrecondition = 0.01;
/// Largest kernel matrix of a whole split: the lower triangle of 2^24 doubles, 64 MiB. Gathering
/// from larger ones misses the caches so often that computing every set's own kernel is as fast,
/// unless an entry is a product of many columns: then 2^27 doubles, 512 MiB.
constexpr std::size_t kLargestWhole = std::size_t{1} << 24;
constexpr std::size_t kLargestWholeOfMany = std::size_t{1} << 27;
constexpr std::size_t kManyColumns = 1024;

/// One kernel matrix of all rows costs n^2, those of the halves together sum |S|^2 / 2.
bool whole_is_cheaper(const MatrixView& activations, std::span<const SetGroup> groups) {
  const std::size_t rows = activations.rows;
  const bool many = activations.cols >= kManyColumns;
  if (rows * rows > (many ? kLargestWholeOfMany : kLargestWhole)) return false;
  std::size_t pieces = 0;
  for (const SetGroup& group : groups) {
    for (const HalvedSet& set : group.sets) pieces += set.size() * set.size() / 2;
  }
  return rows * rows <= pieces;
}

/// Room for the lower triangle of a large kernel matrix: pages are touched by whoever writes them
/// first, and are large where the system allows it, because sets gather from all over the matrix.
class KernelBuffer {
 public:
  explicit KernelBuffer(std::size_t rows) : size_(rows * (rows + 1) / 2) {
    constexpr std::size_t kPage = std::size_t{1} << 21;
    const std::size_t bytes = (size_ * sizeof(double) + kPage - 1) / kPage * kPage;
    values_.reset(static_cast<double*>(std::aligned_alloc(kPage, bytes)));
    if (values_ == nullptr) throw std::bad_alloc();
#if defined(__linux__)
    madvise(values_.get(), bytes, MADV_HUGEPAGE);
#endif
  }
  std::span<double> values() { return {values_.get(), size_}; }
  /// Entries (index, 0) to (index, index).
  const double* row(std::size_t index) const { return values_.get() + index * (index + 1) / 2; }

 private:
  struct Free {
    void operator()(double* values) const { std::free(values); }
  };
  std::size_t size_;
  std::unique_ptr<double[], Free> values_;
};

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

void gather(const KernelBuffer& whole, std::span<const std::uint32_t> rows, HalfKernel& kernel) {
  kernel.make(rows.size());
  const bool ascending = std::is_sorted(rows.begin(), rows.end());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double* target = kernel.row(i);
    if (ascending) {
      const double* source = whole.row(rows[i]);
      for (std::size_t j = 0; j <= i; ++j) target[j] = source[rows[j]];
    } else {
      for (std::size_t j = 0; j <= i; ++j) {
        target[j] = whole.row(std::max(rows[i], rows[j]))[std::min(rows[i], rows[j])];
      }
    }
  }
  mirror(kernel, rows.size());
}

void check_set(const HalvedSet& set, std::size_t rows) {
  require(set.first.size() == set.second.size() && set.first.size() >= 2,
          "halves of {} and {} rows: both need the same number, at least 2", set.first.size(),
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

Dependence dependence(MatrixView k, MatrixView l, const Permutations* shuffles) {
  Dependence result;
  const Centring k_means = centring(k);
  const Centring l_means = centring(l);
  const KernelSums first = kernel_sums(k, k_means);
  const KernelSums second = kernel_sums(l, l_means);
  result.moments = permutation_moments(first, second);
  result.kernel_mean = 0.5 * (first.off_diagonal + second.off_diagonal);
  if (shuffles != nullptr) {
    result.values = hsic_shuffled(k, k_means, l, l_means, *shuffles);
  }
  return result;
}

void finish(OverPairs& result, std::span<const PairVerdicts> pairs) {
  std::vector<double> defined;
  for (const double value : result.per_pair) {
    if (!std::isnan(value)) defined.push_back(value);
  }
  for (const PairVerdicts& pair : pairs) {
    if (!pair.passed) continue;
    ++result.passed;
    result.verdicts += pair.verdicts.size();
    for (const Verdict& verdict : pair.verdicts) result.ties += verdict.tie ? 1 : 0;
  }
  result.mean = mean(defined);
  if (defined.size() < 2) return;
  result.lower = quantile(defined, 0.025);
  result.upper = quantile(defined, 0.975);
}

}  // namespace

HalvedSet halve(std::span<const std::uint32_t> rows) {
  require(rows.size() >= 4, "a set of {} rows cannot be split into halves: give at least 4",
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
  require(size <= pool.size(), "a set of {} rows from a pool of {}: ask for fewer", size,
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

std::vector<std::vector<Dependence>> split_half_dependence(MatrixView activations,
                                                           std::span<const SetGroup> groups,
                                                           const DependenceOptions& options) {
  std::vector<std::vector<Dependence>> results;
  std::vector<std::pair<std::size_t, std::size_t>> work;  // group, set
  for (const SetGroup& group : groups) {
    for (std::size_t index = 0; index < group.sets.size(); ++index) {
      check_set(group.sets[index], activations.rows);
      work.emplace_back(results.size(), index);
    }
    results.emplace_back(group.sets.size());
  }
  const double sigma = options.sigma == 0 ? sqrt_dim(activations.cols) : options.sigma;
  const bool use_whole =
      options.whole > 0 || (options.whole == 0 && whole_is_cheaper(activations, groups));
  std::optional<KernelBuffer> whole;
  if (use_whole) {
    whole.emplace(activations.rows);
    rbf_kernel_lower_into(activations, sigma, whole->values());
  }
  // As tasks, which nothing interrupts: a thread that waits for the tiles of a kernel must not
  // begin another set in the same room.
  parallel_tasks(work.size(), [&](std::size_t place) {
    const auto [number, index] = work[place];
    const SetGroup& group = groups[number];
    const HalvedSet& set = group.sets[index];
    thread_local HalfKernel k, l;
    const auto fill = [&](std::span<const std::uint32_t> rows, HalfKernel& kernel) {
      if (whole) return gather(*whole, rows, kernel);
      kernel.make(rows.size());
      rbf_kernel_into(activations, sigma, rows, kernel.values());
    };
    fill(set.first, k);
    fill(set.second, l);
    const auto shuffles = shuffles_of(set.first.size(), options, group.purpose, index);
    results[number][index] = dependence(k.view(), l.view(), shuffles.get());
  });
  return results;
}

std::vector<Dependence> split_half_dependence(MatrixView activations,
                                              std::span<const HalvedSet> sets,
                                              const DependenceOptions& options) {
  const SetGroup group{sets, options.purpose};
  return std::move(split_half_dependence(activations, {&group, 1}, options).front());
}

bool degenerate_kernel(double kernel_mean) { return kernel_mean > 0.99 || kernel_mean < 0.01; }

Verdict judge_by_jsd(std::span<const double> target, std::span<const double> in,
                     std::span<const double> out) {
  const double difference =
      jensen_shannon_samples(target, in) - jensen_shannon_samples(target, out);
  return {difference < -kJsdTie, std::abs(difference) <= kJsdTie};
}

Verdict judge_by_mean(double target, double in, double out) {
  const double to_in = std::abs(target - in);
  const double to_out = std::abs(target - out);
  return {to_in < to_out, to_in == to_out};
}

bool references_differ(std::span<const double> in, std::span<const double> out) {
  return mann_whitney(in, out, Alternative::greater).p < kPrecondition;
}

std::vector<PairVerdicts> judge_by_jsd(std::span<const Dependence> targets,
                                       std::span<const Dependence> ins,
                                       std::span<const Dependence> outs) {
  require(ins.size() == outs.size(), "{} in-references and {} out-references: they come in pairs",
          ins.size(), outs.size());
  std::vector<PairVerdicts> pairs(ins.size());
  parallel_for(pairs.size(), [&](std::size_t index) {
    PairVerdicts& pair = pairs[index];
    pair.passed = references_differ(ins[index].values, outs[index].values);
    if (!pair.passed) return;
    for (const Dependence& target : targets) {
      pair.verdicts.push_back(judge_by_jsd(target.values, ins[index].values, outs[index].values));
    }
  });
  return pairs;
}

std::vector<PairVerdicts> judge_by_mean(std::span<const Dependence> targets,
                                        std::span<const Dependence> ins,
                                        std::span<const Dependence> outs) {
  require(ins.size() == outs.size(), "{} in-references and {} out-references: they come in pairs",
          ins.size(), outs.size());
  std::vector<PairVerdicts> pairs(ins.size());
  for (std::size_t index = 0; index < pairs.size(); ++index) {
    const double in = ins[index].moments.mean;
    const double out = outs[index].moments.mean;
    pairs[index].passed = in > out;
    if (!pairs[index].passed) continue;
    for (const Dependence& target : targets) {
      pairs[index].verdicts.push_back(judge_by_mean(target.moments.mean, in, out));
    }
  }
  return pairs;
}

OverPairs out_of_training_rate(std::span<const PairVerdicts> pairs) {
  OverPairs result;
  for (const PairVerdicts& pair : pairs) {
    const auto out = std::count_if(pair.verdicts.begin(), pair.verdicts.end(),
                                   [](const Verdict& verdict) { return !verdict.in_training; });
    result.per_pair.push_back(pair.verdicts.empty()
                                  ? kUndefined
                                  : static_cast<double>(out) /
                                        static_cast<double>(pair.verdicts.size()));
  }
  finish(result, pairs);
  return result;
}

double f1_of(std::span<const Verdict> verdicts, std::span<const std::size_t> indices,
             std::size_t members) {
  double agreed = 0;
  double wrong = 0;
  for (const std::size_t index : indices) {
    const bool member = index < members;
    if (member && verdicts[index].in_training) agreed += 1;
    if (member != verdicts[index].in_training) wrong += 1;
  }
  return agreed + wrong > 0 ? 2 * agreed / (2 * agreed + wrong) : kUndefined;
}

OverPairs f1_score(std::span<const PairVerdicts> pairs, std::size_t members) {
  OverPairs result;
  for (const PairVerdicts& pair : pairs) {
    std::vector<std::size_t> all(pair.verdicts.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    result.per_pair.push_back(f1_of(pair.verdicts, all, members));
  }
  finish(result, pairs);
  return result;
}

}  // namespace vestige::metrics
