// The table of what is kept.
#include "vestige/metrics/inputs/kept_numbers.h"

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "vestige/base/parallel.h"

namespace vestige::metrics {
namespace {

struct KeptEntry {
  std::mutex mutex;
  evidence::Array outputs;  ///< keeps the bytes, so that their address stays theirs
  Numbers numbers;
};

/// Place of the bytes, items, hash of the labels, what.
using KeptKey = std::tuple<const void*, std::size_t, std::uint64_t, std::string>;

struct KeptTable {
  std::mutex mutex;
  std::map<KeptKey, std::shared_ptr<KeptEntry>> entries;
};

/// FNV-1a over whole labels.
std::uint64_t hash_of(std::span<const std::int64_t> labels) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const std::int64_t label : labels) {
    hash = (hash ^ static_cast<std::uint64_t>(label)) * 1099511628211ULL;
  }
  return hash ^ labels.size();
}

}  // namespace

Numbers kept_numbers(const Context& context, const evidence::Array& outputs,
                     std::span<const std::int64_t> labels, std::string_view what,
                     const std::function<std::vector<double>()>& make) {
  const auto table = context.cached<KeptTable>();
  if (table == nullptr) return std::make_shared<const std::vector<double>>(make());
  std::shared_ptr<KeptEntry> entry;
  {
    const KeptKey key{outputs.bytes().data(), outputs.size(), hash_of(labels), std::string(what)};
    const std::lock_guard lock(table->mutex);
    std::shared_ptr<KeptEntry>& found = table->entries[key];
    if (found == nullptr) found = std::make_shared<KeptEntry>();
    entry = found;
  }
  const std::lock_guard lock(entry->mutex);
  if (entry->numbers == nullptr) {
    std::vector<double> values;
    // A body of its own: a thread that waits for loops within `make` takes no work from outside,
    // which could ask for the same numbers and wait for itself.
    parallel_tasks(1, [&](std::size_t) { values = make(); });
    entry->outputs = outputs;
    entry->numbers = std::make_shared<const std::vector<double>>(std::move(values));
  }
  return entry->numbers;
}

}  // namespace vestige::metrics
