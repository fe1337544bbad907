// Prototypes on a sphere, offsets around them, and one random stream per row.
#include "vestige/data/synthetic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"

namespace vestige::data {
namespace {

/// Lengths of subclass and subject offsets, as shares of a prototype's length.
constexpr double kSubclassShare = 0.3;
constexpr double kSubjectShare = 0.3;
/// Grey levels per standard deviation of an image's values around 128: 3.2 of them fit.
constexpr double kLevels = 40;

/// Nearly normal, mean 0 and variance 1: the sum of the eight bytes of one draw, whose variance is
/// 8 (256^2 - 1) / 12 = 43690. The distribution function is within 0.004 of the normal one (excess
/// kurtosis -0.15 in Edgeworth's series), no mathematics library takes part, so that the same
/// recipe gives the same bytes on every machine, and it takes a fraction of the time.
double noise(Stream& stream) {
  constexpr double kDeviation = 209.02153;
  // Pairs of bytes are added side by side, then the four sums of 16 bits by one product.
  constexpr std::uint64_t kEven = 0x00ff00ff00ff00ffULL;
  const std::uint64_t bits = stream();
  const std::uint64_t pairs = (bits & kEven) + ((bits >> 8) & kEven);
  const std::uint64_t sum = (pairs * 0x0001000100010001ULL) >> 48;
  return (static_cast<double>(sum) - 1020) / kDeviation;
}

struct SyntheticSettings {
  std::uint64_t seed = 0;
  std::size_t rows = 0, test_rows = 0, items = 0;
  std::size_t distinct = 0;  ///< rows whose inputs are made and held; 0: all
  std::size_t classes = 0, subclasses = 0, subjects = 0;  ///< subclasses: of each class
  double signal = 0, idiosyncrasy = 0, label_noise = 0, long_tail = 0;
  bool images = false;
};

std::size_t whole(Options& options, std::string_view key, std::int64_t fallback, std::int64_t least,
                  std::int64_t most) {
  const std::int64_t value = options.integer(key, fallback);
  if (value < least || value > most) {
    options.wrong(key, fmt::format("{} must be {} to {}", value, least, most));
  }
  return static_cast<std::size_t>(value);
}

double real(Options& options, std::string_view key, double fallback, double most) {
  const double value = options.number(key, fallback);
  if (!(value >= 0 && value <= most)) {
    options.wrong(key, fmt::format("{} must be 0 to {}", value, most));
  }
  return value;
}

SyntheticSettings read_synthetic_settings(Options& options, std::vector<std::int64_t>& shape) {
  SyntheticSettings settings;
  options.text("name", "synthetic");
  settings.seed = whole(options, "seed", 0, 0, std::numeric_limits<std::int64_t>::max());
  settings.rows = whole(options, "rows", 4000, 1, 1'000'000'000);
  settings.test_rows = whole(options, "test_rows", 1000, 0, 1'000'000'000);
  settings.classes = whole(options, "classes", 10, 2, 100'000);
  settings.subclasses = whole(options, "subclasses_per_class", 2, 1, 1000);
  settings.subjects = whole(options, "subjects", 50, 0, 10'000'000);
  settings.distinct = whole(options, "distinct", 0, 0, 1'000'000'000);
  const std::size_t columns = whole(options, "columns", 0, 0, 1'000'000);
  settings.images = columns == 0;
  if (settings.images) {
    for (const auto& [key, fallback] : {std::pair{"channels", 1}, {"height", 8}, {"width", 8}}) {
      shape.push_back(static_cast<std::int64_t>(whole(options, key, fallback, 1, 4096)));
    }
  } else {
    shape.push_back(static_cast<std::int64_t>(columns));
  }
  settings.items = 1;
  for (const std::int64_t length : shape) settings.items *= static_cast<std::size_t>(length);
  const double memorise = real(options, "memorise", 0.25, 1);
  settings.signal = real(options, "signal", 8, 1e6);
  settings.idiosyncrasy = real(options, "idiosyncrasy", 1 + 2 * memorise, 1e6);
  settings.label_noise = real(options, "label_noise", 0.4 * memorise, 1);
  settings.long_tail = real(options, "long_tail", 0, 100);
  options.finish();
  return settings;
}

/// `count` random directions of the same length, one after the other.
std::vector<double> directions(const SyntheticSettings& settings, std::string_view purpose,
                               std::size_t count, double length) {
  std::vector<double> all(count * settings.items);
  parallel_for(count, [&](std::size_t index) {
    const auto one = std::span(all).subspan(index * settings.items, settings.items);
    Stream stream(settings.seed, purpose, index);
    double squares = 0;
    for (double& value : one) {
      value = noise(stream);
      squares += value * value;
    }
    const double scale = squares > 0 ? length / std::sqrt(squares) : 0;
    for (double& value : one) value *= scale;
  });
  return all;
}

/// Makes rows of either part into their places.
class Maker {
 public:
  explicit Maker(const SyntheticSettings& settings)
      : settings_(settings),
        // Random directions are nearly at right angles: this length puts prototypes `signal` apart.
        length_(settings.signal / std::numbers::sqrt2),
        prototypes_(directions(settings, "synthetic/class", settings.classes, length_)),
        subclass_offsets_(directions(settings, "synthetic/subclass",
                                     settings.classes * settings.subclasses,
                                     kSubclassShare * length_)),
        subject_offsets_(
            directions(settings, "synthetic/subject", settings.subjects, kSubjectShare * length_)) {
    const double shares = 1 + kSubclassShare * kSubclassShare +
                          (settings.subjects > 0 ? kSubjectShare * kSubjectShare : 0);
    const double spread =
        std::sqrt(shares * length_ * length_ / static_cast<double>(settings.items) +
                  settings.idiosyncrasy * settings.idiosyncrasy);
    levels_ = spread > 0 ? kLevels / spread : 0;
    double total = 0;
    for (std::size_t label = 0; label < settings.classes; ++label) {
      total += std::exp(-settings.long_tail * static_cast<double>(label) /
                        static_cast<double>(settings.classes - 1));
      cumulative_.push_back(total);
    }
  }

  /// Row `index` of the training or test part, at place `row` of the data set.
  void make(Dataset& dataset, std::size_t row, std::size_t index, bool training) const {
    Stream stream(settings_.seed, training ? "synthetic/train" : "synthetic/test", index);
    // Every draw happens whether it is used or not, so that one setting leaves the others' draws.
    const double place = stream.uniform() * cumulative_.back();
    const std::size_t part = stream.below(settings_.subclasses);
    const std::size_t subject = stream.below(std::max(settings_.subjects, std::size_t{1}));
    const bool wrong = stream.uniform() < settings_.label_noise && training;
    const std::size_t shift = 1 + stream.below(settings_.classes - 1);

    std::size_t label = index % settings_.classes;
    if (training && settings_.long_tail > 0) {
      const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, place);
      label = static_cast<std::size_t>(found - cumulative_.begin());
    }
    const std::size_t subclass = label * settings_.subclasses + part;
    const std::size_t told = wrong ? (label + shift) % settings_.classes : label;
    dataset.labels[row] = static_cast<std::int64_t>(told);
    dataset.subclasses[row] = static_cast<std::int64_t>(subclass);
    if (settings_.subjects > 0) dataset.subjects[row] = static_cast<std::int64_t>(subject);
    if (settings_.distinct > 0 && row >= settings_.distinct) return;
    for (std::size_t item = 0; item < settings_.items; ++item) {
      double value = prototypes_[label * settings_.items + item] +
                     subclass_offsets_[subclass * settings_.items + item] +
                     settings_.idiosyncrasy * noise(stream);
      if (settings_.subjects > 0) value += subject_offsets_[subject * settings_.items + item];
      store(dataset, row * settings_.items + item, value);
    }
  }

 private:
  void store(Dataset& dataset, std::size_t place, double value) const {
    if (settings_.images) {
      const double level = std::clamp(std::round(128 + levels_ * value), 0.0, 255.0);
      dataset.bytes[place] = static_cast<std::uint8_t>(level);
    } else {
      dataset.values[place] = static_cast<float>(value);
    }
  }

  const SyntheticSettings& settings_;
  double length_;
  std::vector<double> prototypes_, subclass_offsets_, subject_offsets_;  ///< [count, items]
  double levels_ = 0;                                                    ///< grey levels per unit
  std::vector<double> cumulative_;  ///< class weights summed up
};

}  // namespace

Dataset load_synthetic(Options& options) {
  Dataset dataset;
  const SyntheticSettings settings = read_synthetic_settings(options, dataset.shape);
  const std::size_t rows = settings.rows + settings.test_rows;
  const double values =
      static_cast<double>((settings.distinct > 0 ? std::min(rows, settings.distinct) : rows) +
                          settings.subjects + settings.classes * settings.subclasses) *
      static_cast<double>(settings.items);
  require(values <= 0x1p32, "{}: {} rows of {} values are too large to make: ask for fewer",
          options.where(), rows, settings.items);
  dataset.name = "synthetic";
  dataset.train_rows = settings.rows;
  dataset.classes = static_cast<std::int64_t>(settings.classes);
  for (std::size_t label = 0; label < settings.classes; ++label) {
    dataset.class_names.push_back(fmt::format("class {}", label));
  }
  dataset.labels.resize(rows);
  dataset.subclasses.resize(rows);
  if (settings.subjects > 0) dataset.subjects.resize(rows);
  if (settings.distinct < rows) dataset.held_rows = settings.distinct;
  const std::size_t items = dataset.input_rows() * settings.items;
  if (settings.images) dataset.bytes.resize(items);
  if (!settings.images) dataset.values.resize(items);

  const Maker maker(settings);
  parallel_for(rows, [&](std::size_t row) {
    const bool training = row < settings.rows;
    maker.make(dataset, row, training ? row : row - settings.rows, training);
  });
  finish(dataset);
  return dataset;
}

}  // namespace vestige::data
