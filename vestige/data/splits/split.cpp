// Making a split: who may be in train and who may be held out, then exact draws part by part.
#include "vestige/data/splits/split.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/seed.h"
#include "vestige/base/sha256.h"
#include "vestige/data/splits/draw.h"
#include "vestige/data/splits/forget.h"

namespace vestige::data {
namespace {

/// `[split]` as numbers; 0 rows of train or test: all that no other part takes.
struct Sizes {
  std::uint64_t seed = 0;
  std::size_t train = 0, validation = 0, calibration = 0, shadow = 0, test = 0;
  Strata strata;
  bool held_from_test = false;  ///< validation and calibration come out of the test part
  bool subject_disjoint = false;
};

/// Who may be drawn for train, and who held out, of the official training and test parts.
struct Candidates {
  Rows train;
  Rows held_train;
  Rows held_test;
};

std::size_t read_count(const Dataset& dataset, Options& options, std::string_view key) {
  const std::int64_t count = options.integer(key, 0);
  if (count < 0) options.wrong(key, fmt::format("{} rows: it must be 0 or more", count));
  if (static_cast<std::size_t>(count) > dataset.rows()) {
    options.wrong(key, fmt::format("{} rows are asked for, but the data set {} has {}: ask for "
                                   "fewer",
                                   count, dataset.name, dataset.rows()));
  }
  return static_cast<std::size_t>(count);
}

Sizes read_sizes(const Dataset& dataset, Options& options, bool whole_subjects) {
  Sizes sizes;
  sizes.seed = read_seed(options, 0);
  sizes.train = read_count(dataset, options, "train");
  sizes.validation = read_count(dataset, options, "validation");
  sizes.calibration = read_count(dataset, options, "calibration");
  sizes.shadow = read_count(dataset, options, "shadow");
  sizes.test = read_count(dataset, options, "test");
  sizes.strata = read_strata(dataset, options);
  sizes.held_from_test = options.choice("holdout", "train", {"train", "test"}) == "test";
  sizes.subject_disjoint = options.boolean("subject_disjoint", whole_subjects);
  options.finish();
  const bool has_test = dataset.train_rows < dataset.rows();
  if (!has_test && sizes.test == 0) {
    options.wrong("test", fmt::format("the data set {} has no test part: give the number of rows "
                                      "to hold out of its {}",
                                      dataset.name, dataset.rows()));
  }
  if (!has_test && sizes.held_from_test) {
    options.wrong("holdout", fmt::format("the data set {} has no test part: set it to \"train\"",
                                         dataset.name));
  }
  if (sizes.subject_disjoint && dataset.subjects.empty()) {
    options.wrong("subject_disjoint",
                  fmt::format("the data set {} has no subjects: set it to false, and another kind "
                              "than subject in [forget]",
                              dataset.name));
  }
  return sizes;
}

Rows row_range(std::size_t first, std::size_t last) {
  Rows rows(last - first);
  std::iota(rows.begin(), rows.end(), static_cast<std::int64_t>(first));
  return rows;
}

/// How many rows a subject has in the official training and test parts.
struct SubjectRows {
  std::size_t train = 0;
  std::size_t test = 0;
};

std::map<std::int64_t, SubjectRows> count_subjects(const Dataset& dataset) {
  std::map<std::int64_t, SubjectRows> counts;
  for (std::size_t row = 0; row < dataset.rows(); ++row) {
    SubjectRows& rows = counts[dataset.subjects[row]];
    ++(row < dataset.train_rows ? rows.train : rows.test);
  }
  return counts;
}

/// The subjects of the train side. Subjects are gone through in random order: if train has a count,
/// the first that together hold it are train's; otherwise the first that hold enough for every
/// counted other part are kept out, and the rest are train's.
std::set<std::int64_t> train_subjects(const Dataset& dataset, const Sizes& sizes) {
  const auto counts = count_subjects(dataset);
  std::vector<std::int64_t> order;
  SubjectRows held;
  for (const auto& [subject, rows] : counts) {
    if (rows.train > 0) order.push_back(subject);
    if (rows.train == 0) held.test += rows.test;  // nobody of these could be in train
  }
  Stream(sizes.seed, "split/subjects").shuffle(std::span<std::int64_t>(order));
  const std::size_t outside = sizes.validation + sizes.calibration;
  const bool has_test = dataset.train_rows < dataset.rows();
  const SubjectRows needed{
      sizes.shadow + (sizes.held_from_test ? 0 : outside) + (has_test ? 0 : sizes.test),
      (sizes.held_from_test ? outside : 0) + (has_test ? sizes.test : 0)};
  std::size_t cut = 0;
  if (sizes.train > 0) {
    for (std::size_t rows = 0; cut < order.size() && rows < sizes.train; ++cut) {
      rows += counts.at(order[cut]).train;
    }
    order.resize(cut);
    return {order.begin(), order.end()};
  }
  for (; cut < order.size() && (held.train < needed.train || held.test < needed.test); ++cut) {
    held.train += counts.at(order[cut]).train;
    held.test += counts.at(order[cut]).test;
  }
  return {order.begin() + static_cast<std::ptrdiff_t>(cut), order.end()};
}

Candidates find_candidates(const Dataset& dataset, const Sizes& sizes) {
  Candidates all{row_range(0, dataset.train_rows), row_range(0, dataset.train_rows),
                 row_range(dataset.train_rows, dataset.rows())};
  if (!sizes.subject_disjoint) return all;
  const std::set<std::int64_t> subjects = train_subjects(dataset, sizes);
  const auto in_train = [&](std::int64_t row) {
    return subjects.count(dataset.subjects[static_cast<std::size_t>(row)]) > 0;
  };
  std::erase_if(all.train, [&](std::int64_t row) { return !in_train(row); });
  std::erase_if(all.held_train, in_train);
  std::erase_if(all.held_test, in_train);
  return all;
}

/// Draws parts by name, each from its own stream, and takes them out of where they came from.
class Drawing {
 public:
  Drawing(const Dataset& dataset, const Sizes& sizes, const Options& options)
      : dataset_(dataset), sizes_(sizes), options_(options) {}

  /// `candidates` are what is left of the part `source`, "training" or "test".
  void take(const std::string& name, Rows& candidates, std::size_t count, std::string_view source) {
    if (count == 0) return;
    if (count > candidates.size()) refuse(name, candidates.size(), count, source);
    Rows& part = parts_[name];
    part = draw_rows(candidates, *sizes_.strata.keys, count,
                     {.seed = sizes_.seed,
                      .purpose = "split/" + name,
                      .stratified = sizes_.strata.stratified,
                      .classes = sizes_.strata.groups});
    candidates = without(candidates, part);
  }

  /// Gives a part that has no count all that is left; something must be.
  void take_rest(const std::string& name, Rows candidates) {
    if (candidates.empty()) {
      options_.wrong(name, fmt::format("no rows are left for it{}: give it a count, or ask for "
                                       "fewer in the other parts",
                                       apart()));
    }
    parts_[name] = std::move(candidates);
  }

  std::map<std::string, Rows>& parts() { return parts_; }

 private:
  std::string_view apart() const {
    return sizes_.subject_disjoint ? " because no subject may be both in train and outside it" : "";
  }

  [[noreturn]] void refuse(const std::string& name, std::size_t left, std::size_t count,
                           std::string_view source) const {
    const bool movable = (name == "validation" || name == "calibration") &&
                         !sizes_.held_from_test && dataset_.train_rows < dataset_.rows();
    const std::size_t rows =
        source == "test" ? dataset_.rows() - dataset_.train_rows : dataset_.train_rows;
    options_.wrong(name, fmt::format("{} rows are asked for, but of the {} rows of the {} part {} "
                                     "are left{}: ask for fewer here or in other parts{}",
                                     count, rows, source, left, apart(),
                                     movable ? ", or set holdout = \"test\"" : ""));
  }

  const Dataset& dataset_;
  const Sizes& sizes_;
  const Options& options_;
  std::map<std::string, Rows> parts_;
};

/// All parts but forget and retain. A train with a count is drawn first, so that other parts can be
/// added without changing it; otherwise it gets what the others leave.
std::map<std::string, Rows> draw_parts(const Dataset& dataset, const Sizes& sizes,
                                       const Options& options) {
  Candidates candidates = find_candidates(dataset, sizes);
  Drawing drawing(dataset, sizes, options);
  const bool has_test = dataset.train_rows < dataset.rows();
  drawing.take("train", candidates.train, sizes.train, "training");
  if (sizes.train > 0) {
    candidates.held_train = without(candidates.held_train, drawing.parts().at("train"));
  }
  if (!has_test) drawing.take("test", candidates.held_train, sizes.test, "training");
  Rows& held = sizes.held_from_test ? candidates.held_test : candidates.held_train;
  const std::string_view source = sizes.held_from_test ? "test" : "training";
  drawing.take("validation", held, sizes.validation, source);
  drawing.take("calibration", held, sizes.calibration, source);
  drawing.take("shadow", candidates.held_train, sizes.shadow, "training");
  if (has_test && sizes.test > 0) drawing.take("test", candidates.held_test, sizes.test, "test");
  if (has_test && sizes.test == 0) drawing.take_rest("test", candidates.held_test);
  if (sizes.train == 0) {
    Rows rest = candidates.train;
    for (const auto& [name, rows] : drawing.parts()) rest = without(rest, rows);
    drawing.take_rest("train", rest);
  }
  return drawing.parts();
}

}  // namespace

Split make_split(const Dataset& dataset, Options& sizes_table, Options& forget) {
  const std::string kind = forget_kind(forget);
  const Sizes sizes = read_sizes(dataset, sizes_table, kind == "subject");
  Split split;
  split.parts = draw_parts(dataset, sizes, sizes_table);
  const Rows& train = split.parts.at("train");
  Rows forgotten = choose_forgotten(dataset, train, forget, sizes.seed);
  split.parts["retain"] = without(train, forgotten);
  if (!forgotten.empty()) split.parts["forget"] = std::move(forgotten);

  Json who = forget.used();
  // A list is known by what it holds: where it lies must not change the split's name.
  if (const auto file = who.find("file"); file != who.end()) {
    const std::string content = read_file(file->get<std::string>());
    *file = "sha256:" + sha256(std::as_bytes(std::span(content)));
  }
  split.options = {{"data", {{"name", dataset.name}, {"sha256", dataset.sha256}}},
                   {"split", sizes_table.used()},
                   {"forget", std::move(who)}};
  split.sha256 = split_hash(split);
  return split;
}

}  // namespace vestige::data
