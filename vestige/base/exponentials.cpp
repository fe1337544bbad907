// Rows, eight numbers at a time.
#include "vestige/base/exponentials.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "vestige/base/lanes.h"
#include "vestige/base/platform/processor.h"

namespace vestige {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();  // e^x adds nothing

struct ExponentialsBody {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static void run(const double* values, double* out, std::size_t count) {
    for_eights<kWidth>(
        values, count, 0.0,
        [&](Eight<kWidth> & x, std::size_t place, std::size_t own) __attribute__((always_inline)) {
          for (auto& part : x.parts) exponential(part);
          store(x, out + place, own);
        });
  }
};

struct LogarithmsBody {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static void run(const double* values, double* out, std::size_t count) {
    for_eights<kWidth>(
        values, count, 1.0,
        [&](Eight<kWidth> & x, std::size_t place, std::size_t own) __attribute__((always_inline)) {
          for (auto& part : x.parts) logarithm(part);
          store(x, out + place, own);
        });
  }
};

struct LargestBody {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static double run(const double* values, std::size_t count) {
    return largest_in<kWidth>(values, count);
  }
};

struct SumBody {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static double run(const double* values, std::size_t count, double shift) {
    using Doubles = typename Lanes<kWidth>::Doubles;
    Eight<kWidth> sums;
    sums.fill(0);
    for_eights<kWidth>(
        values, count,
        kNone, [&](Eight<kWidth> & x, std::size_t, std::size_t) __attribute__((always_inline)) {
          sums.each(
              [&](Doubles & sum, Doubles & own) __attribute__((always_inline)) {
                own = own - shift;
                exponential(own);
                sum += own;
              },
              x);
        });
    return sums.total();
  }
};

struct SoftmaxBody {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static void run(double* row, std::size_t count, double shift) {
    using Doubles = typename Lanes<kWidth>::Doubles;
    Eight<kWidth> sums;
    sums.fill(0);
    for_eights<kWidth>(
        row, count, kNone,
        [&](Eight<kWidth> & x, std::size_t place, std::size_t own) __attribute__((always_inline)) {
          sums.each(
              [&](Doubles & sum, Doubles & part) __attribute__((always_inline)) {
                part = part - shift;
                exponential(part);
                sum += part;
              },
              x);
          store(x, row + place, own);
        });
    const double factor = 1 / sums.total();
    for (std::size_t k = 0; k < count; ++k) row[k] *= factor;
  }
};

/// Sums of e^x and x e^x after a shift.
struct Moments {
  double sum;
  double first;
};

struct MomentsBody {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static Moments run(const double* values, std::size_t count, double shift) {
    using Doubles = typename Lanes<kWidth>::Doubles;
    Eight<kWidth> sums, firsts;
    sums.fill(0);
    firsts.fill(0);
    for_eights<kWidth>(
        values, count,
        kNone, [&](Eight<kWidth> & x, std::size_t, std::size_t) __attribute__((always_inline)) {
          sums.each(
              [&](Doubles & sum, Doubles & first, Doubles & own) __attribute__((always_inline)) {
                const Doubles below = own - shift;
                own = below;
                exponential(own);
                sum += own;
                // 0 times -infinity is no number, and such classes have no part in the entropy.
                first += own == 0 ? Doubles{} : own * below;
              },
              firsts, x);
        });
    return {sums.total(), firsts.total()};
  }
};

}  // namespace

std::size_t register_width(Instructions instructions) {
#if defined(__x86_64__)
  const platform::Processor& own = platform::processor();
  if (instructions == Instructions::best && own.avx512) return 8;
  if (instructions != Instructions::baseline && own.avx2) return 4;
#endif
  return 2;
}

void exponentials(std::span<const double> values, std::span<double> out,
                  Instructions instructions) {
  assert(values.size() == out.size());
  run_widest<ExponentialsBody>(instructions, values.data(), out.data(), values.size());
}

void logarithms(std::span<const double> values, std::span<double> out, Instructions instructions) {
  assert(values.size() == out.size());
  run_widest<LogarithmsBody>(instructions, values.data(), out.data(), values.size());
}

double largest(std::span<const double> values, Instructions instructions) {
  return run_widest<LargestBody>(instructions, values.data(), values.size());
}

double exponential_sum(std::span<const double> values, double shift, Instructions instructions) {
  return run_widest<SumBody>(instructions, values.data(), values.size(), shift);
}

double log_sum_exp(std::span<const double> values, Instructions instructions) {
  const double most = largest(values, instructions);
  return most + std::log(exponential_sum(values, most, instructions));
}

void softmax(std::span<double> row, Instructions instructions) {
  const double most = largest(row, instructions);
  run_widest<SoftmaxBody>(instructions, row.data(), row.size(), most);
}

double softmax_entropy(std::span<const double> values, Instructions instructions) {
  const double most = largest(values, instructions);
  const Moments moments = run_widest<MomentsBody>(instructions, values.data(), values.size(), most);
  return std::log(moments.sum) - moments.first / moments.sum;
}

}  // namespace vestige
