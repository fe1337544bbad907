// The kinds of forget sets, one function each.
#include "vestige/data/splits/forget.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/formats/csv.h"
#include "vestige/evidence/formats/npy.h"

namespace vestige::data {
namespace {

/// What every kind needs to see.
struct Request {
  const Dataset& dataset;
  const Rows& train;
  Options& options;
  std::uint64_t seed;
};

/// A fraction of `rows` as a count; at least one row.
std::size_t fraction_of(Options& options, double fallback, std::size_t rows,
                        std::string_view what) {
  const double fraction = options.number("fraction", fallback);
  if (!(fraction > 0 && fraction <= 1)) {
    options.wrong("fraction", fmt::format("{} must be above 0 and at most 1", fraction));
  }
  const auto count = static_cast<std::size_t>(std::llround(fraction * static_cast<double>(rows)));
  if (count == 0) {
    options.wrong("fraction", fmt::format("{} of the {} rows of {} is less than one row: raise it",
                                          fraction, rows, what));
  }
  return count;
}

/// `count` if it is given; nothing is above `limit`.
std::size_t count_of(Options& options, std::size_t limit, std::string_view what) {
  const std::int64_t count = options.integer("count", 0);
  if (count <= 0) options.wrong("count", fmt::format("{} must be 1 or more", count));
  if (static_cast<std::size_t>(count) > limit) {
    options.wrong("count", fmt::format("{} to forget, but there are {} {}: ask for fewer", count,
                                       limit, what));
  }
  return static_cast<std::size_t>(count);
}

bool has_count(Options& options) {
  const bool count = options.has("count");
  if (count && options.has("fraction")) {
    options.wrong("count", "fraction is there too: give one of the two");
  }
  return count;
}

/// The rows of train by what `keys` (labels, subclasses or subjects) says of them.
std::map<std::int64_t, Rows> grouped(const Request& request,
                                     const std::vector<std::int64_t>& keys) {
  std::map<std::int64_t, Rows> groups;
  for (const std::int64_t row : request.train) {
    groups[keys[static_cast<std::size_t>(row)]].push_back(row);
  }
  return groups;
}

/// The groups that the key `key` lists: all there, none twice, at least one.
std::vector<std::int64_t> listed(const Request& request, std::string_view key,
                                 const std::map<std::int64_t, Rows>& groups) {
  std::vector<std::int64_t> names = request.options.integers(key, {});
  if (names.empty()) request.options.wrong(key, "name at least one, for example [0]");
  std::set<std::int64_t> seen;
  for (const std::int64_t name : names) {
    if (!seen.insert(name).second) {
      request.options.wrong(key, fmt::format("{} is named twice: name it once", name));
    }
    if (groups.count(name) == 0) {
      request.options.wrong(
          key, fmt::format("{} is not in train, which has {} of them, from {} to {}: correct it",
                           name, groups.size(), groups.begin()->first, groups.rbegin()->first));
    }
  }
  return names;
}

Rows all_of(const std::vector<std::int64_t>& names, const std::map<std::int64_t, Rows>& groups) {
  Rows rows;
  for (const std::int64_t name : names) {
    const Rows& group = groups.at(name);
    rows.insert(rows.end(), group.begin(), group.end());
  }
  return rows;
}

Rows random_rows(const Request& request) {
  Options& options = request.options;
  const std::size_t count = has_count(options)
                                ? count_of(options, request.train.size(), "rows in train")
                                : fraction_of(options, 0.1, request.train.size(), "train");
  const Strata strata = read_strata(request.dataset, options);
  return draw_rows(request.train, *strata.keys, count,
                   {.seed = request.seed,
                    .purpose = "forget/random",
                    .stratified = strata.stratified,
                    .classes = strata.groups});
}

/// The classes that are named, or with `in_turn` one: the seed's, so that repeats with seeds one
/// after the other take one class after the other.
std::vector<std::int64_t> chosen_classes(const Request& request,
                                         const std::map<std::int64_t, Rows>& groups) {
  // Read for `class` always: its value is part of a split's name.
  const bool in_turn =
      (forget_kind(request.options) == "class" || request.options.has("in_turn")) &&
      request.options.boolean("in_turn", false);
  if (!in_turn) return listed(request, "classes", groups);
  if (request.options.has("classes")) {
    request.options.wrong("in_turn", "classes is there too: give one of the two");
  }
  return {
      std::next(groups.begin(), static_cast<std::ptrdiff_t>(request.seed % groups.size()))->first};
}

Rows partial_class_rows(const Request& request) {
  Options& options = request.options;
  const auto groups = grouped(request, request.dataset.labels);
  const std::vector<std::int64_t> names = chosen_classes(request, groups);
  const bool counted = has_count(options);
  if (!counted && !options.has("fraction")) {
    options.wrong("fraction", "say how much of each class is forgotten: give fraction or count");
  }
  Rows rows;
  for (const std::int64_t name : names) {
    const Rows& group = groups.at(name);
    const std::string what = fmt::format("class {} in train", name);
    const std::size_t count = counted ? count_of(options, group.size(), "rows of " + what)
                                      : fraction_of(options, 0, group.size(), what);
    Stream stream(request.seed, "forget/partial_class", static_cast<std::uint64_t>(name));
    for (const std::size_t place : stream.sample(group.size(), count)) rows.push_back(group[place]);
  }
  return rows;
}

/// Whole subjects in the given order as long as they fit into `most` rows.
Rows subjects_that_fit(const std::vector<std::int64_t>& order,
                       const std::map<std::int64_t, Rows>& groups, std::size_t most) {
  Rows rows;
  for (const std::int64_t subject : order) {
    const Rows& group = groups.at(subject);
    if (rows.size() + group.size() <= most) rows.insert(rows.end(), group.begin(), group.end());
  }
  return rows;
}

/// Whole subjects in random order: a number of them, those that fit into a number of rows, or until
/// they hold a fraction of the rows.
Rows drawn_subjects(const Request& request, const std::map<std::int64_t, Rows>& groups) {
  Options& options = request.options;
  std::vector<std::int64_t> order;
  order.reserve(groups.size());
  for (const auto& [subject, rows] : groups) order.push_back(subject);
  Stream(request.seed, "forget/subject").shuffle(std::span<std::int64_t>(order));
  if (options.has("rows")) {
    if (options.has("count") || options.has("fraction")) {
      options.wrong("rows", "count or fraction is there too: give one of the three");
    }
    const std::int64_t most = options.integer("rows", 0);
    if (most <= 0) options.wrong("rows", fmt::format("{} must be 1 or more", most));
    Rows rows = subjects_that_fit(order, groups, static_cast<std::size_t>(most));
    if (rows.empty()) {
      options.wrong("rows", fmt::format("every subject has more than {} rows: raise it", most));
    }
    return rows;
  }
  const bool counted = has_count(options);
  const std::size_t wanted = counted ? count_of(options, groups.size(), "subjects in train")
                                     : fraction_of(options, 0.1, request.train.size(), "train");
  Rows rows;
  for (std::size_t taken = 0; (counted ? taken : rows.size()) < wanted; ++taken) {
    const Rows& group = groups.at(order[taken]);
    rows.insert(rows.end(), group.begin(), group.end());
  }
  return rows;
}

Rows subject_rows(const Request& request) {
  require(!request.dataset.subjects.empty(),
          "{}: kind: the data set {} has no subjects: choose another kind", request.options.where(),
          request.dataset.name);
  const auto groups = grouped(request, request.dataset.subjects);
  if (!request.options.has("subjects")) return drawn_subjects(request, groups);
  if (request.options.has("count") || request.options.has("fraction") ||
      request.options.has("rows")) {
    request.options.wrong("subjects", "count, fraction or rows is there too: give one of the four");
  }
  return all_of(listed(request, "subjects", groups), groups);
}

Rows subclass_rows(const Request& request) {
  require(!request.dataset.subclasses.empty(),
          "{}: kind: the data set {} has no subclasses: choose another kind",
          request.options.where(), request.dataset.name);
  const auto groups = grouped(request, request.dataset.subclasses);
  return all_of(listed(request, "subclasses", groups), groups);
}

Rows class_rows(const Request& request) {
  const auto groups = grouped(request, request.dataset.labels);
  return all_of(chosen_classes(request, groups), groups);
}

Rows rows_of_file(const Request& request) {
  const std::string file = request.options.text("file", "");
  if (file.empty()) request.options.wrong("file", "name a file with one row number per line");
  Rows rows = read_row_list(file);
  std::set<std::int64_t> seen;
  for (const std::int64_t row : rows) {
    require(seen.insert(row).second, "{}: row {} is listed twice: list it once", file, row);
    require(std::binary_search(request.train.begin(), request.train.end(), row),
            "{}: row {} is not among the {} rows of train: list rows of train only", file, row,
            request.train.size());
  }
  return rows;
}

Rows rows_of_kind(const std::string& kind, const Request& request) {
  if (kind == "random") return random_rows(request);
  if (kind == "class") return class_rows(request);
  if (kind == "partial_class") return partial_class_rows(request);
  if (kind == "subclass") return subclass_rows(request);
  if (kind == "subject") return subject_rows(request);
  if (kind == "none") return {};
  return rows_of_file(request);
}

}  // namespace

std::string forget_kind(Options& options) {
  if (options.has("kind") && options.raw("kind") == "worst_case") {
    options.wrong("kind", "\"worst_case\" is now called \"hardest\": write that");
  }
  return options.choice(
      "kind", "random",
      {"random", "class", "partial_class", "subclass", "subject", "list", "hardest", "none"});
}

std::uint64_t read_seed(Options& options, std::uint64_t fallback) {
  const std::int64_t seed = options.integer("seed", static_cast<std::int64_t>(fallback));
  if (seed < 0) options.wrong("seed", fmt::format("{} must be 0 or more", seed));
  return static_cast<std::uint64_t>(seed);
}

Rows read_row_list(const std::filesystem::path& path) {
  const evidence::Array array =
      path.extension() == ".npy" ? evidence::read_npy(path) : evidence::read_csv(path);
  require(array.rank() >= 1 && array.rank() <= 2 && array.size() > 0,
          "{} holds an array of shape {}: it must be a list of row numbers", path.string(),
          evidence::shape_text(array.shape()));
  try {
    if (array.rank() == 1) return array.integers();
    const std::vector<double> values = array.doubles();
    std::vector<double> first;
    for (std::size_t row = 0; row < array.rows(); ++row)
      first.push_back(values[row * array.cols()]);
    return evidence::Array::from_doubles(std::move(first), {array.rows()}).integers();
  } catch (const InputError& error) {
    fail("{}: {}", path.string(), error.what());
  }
}

Rows choose_forgotten(const Dataset& dataset, const Rows& train, Options& options,
                      std::uint64_t default_seed) {
  require(!train.empty(), "{}: train has no rows: nobody can be forgotten", options.where());
  const std::string kind = forget_kind(options);
  const Request request{dataset, train, options, read_seed(options, default_seed)};
  Rows rows = rows_of_kind(kind, request);
  options.finish();
  require(rows.size() < train.size(),
          "{}: all {} rows of train would be forgotten: leave some to retain", options.where(),
          train.size());
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace vestige::data
