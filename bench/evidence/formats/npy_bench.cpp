// How fast a mapped npy becomes doubles, against a plain memcpy of the same file in the same run:
// the counter `vs_memcpy` is the share of memcpy's bytes per second (of file) that read() reaches.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <vector>

#include "vestige/evidence/formats/half.h"
#include "vestige/evidence/formats/npy.h"

namespace {

using vestige::evidence::Array;
using vestige::evidence::DType;

constexpr std::size_t kFileBytes = std::size_t{256} << 20;
// Doubles per block: 32 KB, what a loop over rows holds in the first-level cache.
constexpr std::size_t kBlock = 4096;

// A file of 256 MB that is removed at the end of the program.
class BigFile {
 public:
  explicit BigFile(DType dtype)
      : path_(std::filesystem::temp_directory_path() /
              ("vestige-bench-" + std::to_string(::getpid()) + "-" +
               std::string(vestige::evidence::name(dtype)) + ".npy")) {
    const std::size_t item = vestige::evidence::size_of(dtype);
    auto bytes = std::make_shared<std::vector<std::byte>>(kFileBytes);
    for (std::size_t index = 0; index < kFileBytes; ++index) {
      // No infinities and no subnormals: the exponent byte stays in the middle.
      const bool top = index % item == item - 1;
      (*bytes)[index] = static_cast<std::byte>(top ? 0x3c : index * 31 & 0xff);
    }
    const std::string file = vestige::evidence::write_npy(Array(
        dtype, {kFileBytes / item / 10 * 10 / 10, 10},
        std::span<const std::byte>(*bytes).first(kFileBytes / item / 10 * 10 * item), bytes, item));
    std::ofstream(path_, std::ios::binary).write(file.data(), std::ssize(file));
  }
  ~BigFile() { std::filesystem::remove(path_); }
  BigFile(const BigFile&) = delete;
  BigFile& operator=(const BigFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Processor time, so that other work on the machine does not count.
double now() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const auto& action) {
  const double start = now();
  action();
  return now() - start;
}

void read_in_blocks(const Array& array, std::vector<double>& block) {
  for (std::size_t first = 0; first < array.size(); first += block.size()) {
    const std::size_t count = std::min(block.size(), array.size() - first);
    array.read(first, std::span(block).first(count));
    benchmark::DoNotOptimize(block.data());
    benchmark::ClobberMemory();
  }
}

// memcpy of the mapped bytes into a block of the same size as the doubles' block.
void copy_in_blocks(const Array& array, std::vector<double>& block) {
  const std::span<const std::byte> bytes = array.bytes();
  const std::size_t size = block.size() * sizeof(double);
  for (std::size_t first = 0; first < bytes.size(); first += size) {
    std::memcpy(block.data(), bytes.data() + first, std::min(size, bytes.size() - first));
    benchmark::DoNotOptimize(block.data());
    benchmark::ClobberMemory();
  }
}

void run(benchmark::State& state, DType dtype) {
  const BigFile file(dtype);
  std::vector<double> block(kBlock);
  double reading = 1e9, copying = 1e9;
  for (auto _ : state) {
    // Each opens the file anew, so that both pay for the page faults of the mapping.
    copying = std::min(copying, seconds_of([&] {
                         copy_in_blocks(vestige::evidence::read_npy(file.path()), block);
                       }));
    const double seconds =
        seconds_of([&] { read_in_blocks(vestige::evidence::read_npy(file.path()), block); });
    reading = std::min(reading, seconds);
    state.SetIterationTime(seconds);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kFileBytes));
  state.counters["vs_memcpy"] = copying / reading;
  state.counters["memcpy_GB_per_s"] = static_cast<double>(kFileBytes) / copying * 1e-9;
  state.counters["read_GB_per_s"] = static_cast<double>(kFileBytes) / reading * 1e-9;
}

BENCHMARK_CAPTURE(run, float32, DType::float32)
    ->UseManualTime()
    ->Iterations(15)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, float16, DType::float16)
    ->UseManualTime()
    ->Iterations(15)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, float64, DType::float64)
    ->UseManualTime()
    ->Iterations(15)
    ->Unit(benchmark::kMillisecond);

// The instructions against the plain twin, on a block in the cache.
void halves(benchmark::State& state, void (*convert)(const std::byte*, std::span<double>)) {
  std::vector<std::byte> bytes(2 * kBlock, std::byte{0x3c});
  std::vector<double> block(kBlock);
  for (auto _ : state) {
    convert(bytes.data(), block);
    benchmark::DoNotOptimize(block.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * std::ssize(bytes));
}
BENCHMARK_CAPTURE(halves, portable, vestige::evidence::halves_to_doubles_portable);
BENCHMARK_CAPTURE(halves, dispatched, vestige::evidence::halves_to_doubles);

}  // namespace
