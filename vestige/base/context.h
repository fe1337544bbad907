// Threads, memory limit, progress and caches as one value that callers hand down. The process keeps
// none of them, so that two audits in it do not touch each other.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <typeindex>

#include "vestige/base/memory.h"
#include "vestige/base/parallel.h"
#include "vestige/base/progress.h"

namespace vestige {

struct ContextSettings {
  int threads = 0;                 ///< of parallel loops; 0: as many as the machine has cores
  double memory = kDefaultMemory;  ///< gigabytes for matrices that must be held as a whole
  ProgressStyle progress = ProgressStyle::automatic;
};

/// Copies share the count of held memory and the cache; a copy is cheap.
class Context {
 public:
  Context() : Context(ContextSettings{}) {}
  /// InputError for a negative number of threads, or memory that is not positive.
  explicit Context(const ContextSettings& settings);

  int threads() const { return arena_.threads(); }
  /// In bytes. What needs more at once is refused before it begins; the answer does not depend on
  /// the machine or on threads, so that the same evidence gives the same results everywhere.
  std::size_t memory() const { return limit_->bytes(); }
  /// What HeldMemory counts against.
  const std::shared_ptr<MemoryLimit>& limit() const { return limit_; }
  /// bar, lines or quiet.
  ProgressStyle progress() const { return progress_; }

  /// The same threads, memory and cache without progress.
  Context quiet() const;
  /// The same threads, progress and cache with another memory limit.
  Context with_memory(double gigabytes) const;
  /// The same settings with an empty cache, which lives as long as the copies of what is returned.
  Context with_cache() const;

  /// Calls `body` so that all parallel loops in it use the threads of this context, however deep
  /// they are. Returns what it returns, throws what it throws. Two threads that call it at once
  /// have so many threads each.
  template <typename Body>
  auto run(const Body& body) const {
    using Result = std::invoke_result_t<const Body&>;
    if constexpr (std::is_void_v<Result>) {
      arena_.run(body);
    } else {
      std::optional<Result> result;
      arena_.run([&] { result.emplace(body()); });
      return *std::move(result);
    }
  }

  /// The one table of its type in the cache, made when it is first asked for; nullptr in a context
  /// without a cache, in which nothing is kept. Safe from any thread.
  template <typename Table>
  std::shared_ptr<Table> cached() const {
    if (cache_ == nullptr) return nullptr;
    const std::lock_guard lock(cache_->mutex);
    std::shared_ptr<void>& table = cache_->tables[typeid(Table)];
    if (table == nullptr) table = std::make_shared<Table>();
    return std::static_pointer_cast<Table>(table);
  }

 private:
  struct Cache {
    std::mutex mutex;
    std::map<std::type_index, std::shared_ptr<void>> tables;
  };

  Arena arena_;
  std::shared_ptr<MemoryLimit> limit_;
  ProgressStyle progress_;
  std::shared_ptr<Cache> cache_;
};

}  // namespace vestige
