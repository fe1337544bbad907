// Near-duplicates by activations and by texts.
#include "vestige/audit/near_duplicates.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include "vestige/base/parallel.h"
#include "vestige/metrics/kernels/dot_products.h"

namespace vestige::audit {
namespace {

using Shingles = std::set<std::uint64_t>;

constexpr std::size_t kBands = 16, kHashesPerBand = 4, kWordsPerRun = 3;

/// SplitMix64's finaliser (Steele, Lea and Flood 2014): one of many hash functions, by `salt`.
std::uint64_t mixed(std::uint64_t value, std::uint64_t salt) {
  value += 0x9e3779b97f4a7c15ULL * (salt + 1);
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

std::uint64_t hash_of_word(std::string_view word) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char letter : word) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  }
  return hash;
}

/// Hashes of all runs of three words; a shorter text is one run.
Shingles shingles_of(const std::string& text) {
  std::vector<std::uint64_t> words;
  std::string word;
  for (const char letter : text + " ") {
    const auto code = static_cast<unsigned char>(letter);
    if (std::isalnum(code) != 0 || code >= 0x80) {
      word += static_cast<char>(std::tolower(code));
    } else if (!word.empty()) {
      words.push_back(hash_of_word(word));
      word.clear();
    }
  }
  Shingles runs;
  const std::size_t length = std::min(kWordsPerRun, words.size());
  for (std::size_t first = 0; length > 0 && first + length <= words.size(); ++first) {
    std::uint64_t run = length;
    for (std::size_t at = first; at < first + length; ++at) run = mixed(run ^ words[at], 0);
    runs.insert(run);
  }
  return runs;
}

double jaccard(const Shingles& left, const Shingles& right) {
  std::size_t common = 0;
  for (const std::uint64_t run : left) common += right.count(run);
  return static_cast<double>(common) / static_cast<double>(left.size() + right.size() - common);
}

/// One number per band: texts that agree in one are candidates.
std::array<std::uint64_t, kBands> bands_of(const Shingles& runs) {
  std::array<std::uint64_t, kBands> bands{};
  for (std::size_t band = 0; band < kBands; ++band) {
    std::uint64_t joined = band;
    for (std::size_t hash = 0; hash < kHashesPerBand; ++hash) {
      std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
      const std::uint64_t salt = band * kHashesPerBand + hash + 1;
      for (const std::uint64_t run : runs) least = std::min(least, mixed(run, salt));
      joined = mixed(joined ^ least, 0);
    }
    bands[band] = joined;
  }
  return bands;
}

double distance_of(std::span<const double> left, std::span<const double> right) {
  double squares = 0;
  for (std::size_t k = 0; k < left.size(); ++k) {
    squares += (left[k] - right[k]) * (left[k] - right[k]);
  }
  return std::sqrt(squares);
}

/// The layer in which near-duplicates are looked for; nullptr if there is none with both splits.
const std::map<std::string, evidence::Array>* layer_of(const evidence::Evidence& evidence,
                                                       std::string& name) {
  for (const char* role : {"original", "retrained"}) {
    const evidence::Group* group = evidence.find(role);
    if (group == nullptr || group->models.empty()) continue;
    const std::map<std::string, evidence::Array>* found = nullptr;
    for (const auto& [layer, splits] : group->models.front().activations) {
      if (splits.count("forget") == 0 || splits.count("retain") == 0) continue;
      if (found != nullptr && layer != "penultimate") continue;
      found = &splits;
      name = layer;
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

}  // namespace

std::vector<NearDuplicate> near_activations(const Matrix& forget, const Matrix& retain) {
  if (forget.rows() == 0 || retain.rows() == 0 || forget.cols() != retain.cols()) return {};
  using metrics::PackedRows;
  const PackedRows left(forget, {}, {}), right(retain, {}, {});
  const std::size_t stride = right.panels() * PackedRows::kPanel;
  std::vector<NearDuplicate> nearest(forget.rows());
  parallel_for(left.panels(), [&](std::size_t panel) {
    std::vector<double> products(PackedRows::kPanel * stride);
    metrics::dot_tile(left, panel, panel + 1, right, 0, right.panels(), products.data(), stride);
    const std::size_t first = panel * PackedRows::kPanel;
    for (std::size_t row = first; row < std::min(first + PackedRows::kPanel, left.rows()); ++row) {
      const double squared = left.squared_norms()[row];
      NearDuplicate& best = nearest[row];
      best = {row, 0, -1, result::Likeness::activations, {}};
      if (!(squared > 0)) continue;
      const double* product = products.data() + (row - first) * stride;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t place = 0; place < right.rows(); ++place) {
        const double distance = right.squared_norms()[place] - 2 * product[place];
        if (!(distance < least)) continue;
        least = distance;
        best.retain = place;
      }
      // The products cancel where rows are nearly equal: the distance itself is taken anew.
      const double apart = distance_of(forget.row(row), retain.row(best.retain));
      const double length =
          (std::sqrt(squared) + std::sqrt(right.squared_norms()[best.retain])) / 2;
      best.similarity = 1 - apart / length;
    }
  });
  std::erase_if(nearest,
                [](const NearDuplicate& own) { return !(own.similarity >= 1 - kNearActivations); });
  return nearest;
}

std::vector<NearDuplicate> near_texts(const std::vector<std::string>& forget,
                                      const std::vector<std::string>& retain) {
  std::vector<Shingles> runs(retain.size());
  std::vector<std::array<std::uint64_t, kBands>> bands(retain.size());
  parallel_for(retain.size(), [&](std::size_t row) {
    runs[row] = shingles_of(retain[row]);
    bands[row] = bands_of(runs[row]);
  });
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_band;
  for (std::size_t row = 0; row < retain.size(); ++row) {
    if (runs[row].empty()) continue;
    for (const std::uint64_t band : bands[row]) by_band[band].push_back(row);
  }
  std::vector<NearDuplicate> found(forget.size());
  parallel_for(forget.size(), [&](std::size_t row) {
    const Shingles own = shingles_of(forget[row]);
    found[row] = {row, 0, 0, result::Likeness::text, {}};
    if (own.empty()) return;
    std::set<std::size_t> candidates;
    for (const std::uint64_t band : bands_of(own)) {
      const auto place = by_band.find(band);
      if (place != by_band.end()) candidates.insert(place->second.begin(), place->second.end());
    }
    for (const std::size_t candidate : candidates) {
      const double similarity = jaccard(own, runs[candidate]);
      if (similarity > found[row].similarity) {
        found[row] = {row, candidate, similarity, result::Likeness::text, {}};
      }
    }
  });
  std::erase_if(found, [](const NearDuplicate& own) { return own.similarity < kNearTexts; });
  return found;
}

std::vector<NearDuplicate> near_duplicates(const evidence::Evidence& evidence) {
  std::vector<NearDuplicate> found;
  const auto forget = evidence.text.find("forget"), retain = evidence.text.find("retain");
  if (forget != evidence.text.end() && retain != evidence.text.end()) {
    found = near_texts(forget->second, retain->second);
  }
  std::string layer;
  if (const auto* splits = layer_of(evidence, layer)) {
    const Matrix left = evidence::matrix(splits->at("forget"));
    const Matrix right = evidence::matrix(splits->at("retain"));
    for (NearDuplicate own : near_activations(left, right)) {
      const bool listed = std::any_of(found.begin(), found.end(), [&](const NearDuplicate& other) {
        return other.forget == own.forget;
      });
      own.layer = layer;
      if (!listed) found.push_back(std::move(own));
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const NearDuplicate& a, const NearDuplicate& b) {
    return a.forget < b.forget;
  });
  return found;
}

}  // namespace vestige::audit
