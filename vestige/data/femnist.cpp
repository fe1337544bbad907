// LEAF's JSON: {"users": [...], "num_samples": [...], "user_data": {user: {"x": [[784 values in
// 0 to 1], ...], "y": [...]}}} (S. Caldas et al., LEAF, 2018). The files are large, so they are
// read as a stream of events; only bytes are kept.
#include "vestige/data/femnist.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/parallel.h"
#include "vestige/base/progress.h"
#include "vestige/base/seed.h"
#include "vestige/data/files.h"
#include "vestige/evidence/formats/mapped_file.h"

namespace vestige::data {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kPixels = 28 * 28;
constexpr std::int64_t kClasses = 62;

struct User {
  std::string name;
  std::vector<std::uint8_t> pixels;
  std::vector<std::int64_t> labels;
};

/// Receives nlohmann's events of one file.
class Handler : public nlohmann::json_sax<Json> {
 public:
  explicit Handler(std::string source) : source_(std::move(source)) {}

  std::vector<User> finish() && {
    require(!users_.empty(), "{} has no user_data: LEAF's JSON is needed", source_);
    require(names_.size() == counts_.size(),
            "{} names {} users but {} numbers of samples: it is "
            "damaged",
            source_, names_.size(), counts_.size());
    std::map<std::string, std::size_t> samples;
    for (const User& user : users_) samples[user.name] = user.labels.size();
    for (std::size_t index = 0; index < names_.size(); ++index) {
      const std::size_t found = samples[names_[index]];
      require(static_cast<double>(found) == counts_[index],
              "{} has {} samples of the user {} but states {}: it is damaged", source_, found,
              names_[index], counts_[index]);
    }
    return std::move(users_);
  }

  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("true or false"); }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool string(string_t& value) override {
    if (in_user()) return other("text");
    if (objects_ == 1 && arrays_ == 1 && section_ == "users") names_.push_back(value);
    return true;
  }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override {
    require(!in_user() || arrays_ == 0,
            "{} has an object among the samples of the user {}: "
            "LEAF's JSON is needed",
            source_, name());
    ++objects_;
    if (in_user() && objects_ == 3) users_.push_back({user_, {}, {}});
    return true;
  }
  bool end_object() override {
    if (in_user() && objects_ == 3) {
      const User& user = users_.back();
      require(user.pixels.size() == user.labels.size() * kPixels,
              "{} has {} images but {} labels of the user {}: it is damaged", source_,
              user.pixels.size() / kPixels, user.labels.size(), user.name);
    }
    --objects_;
    return true;
  }
  bool key(string_t& value) override {
    if (objects_ == 1) section_ = value;
    if (objects_ == 2) user_ = value;
    if (objects_ == 3) field_ = value;
    return true;
  }
  bool start_array(std::size_t) override {
    ++arrays_;
    return true;
  }
  bool end_array() override {
    if (in_user() && field_ == "x" && arrays_ == 2) {
      User& user = users_.back();
      const std::size_t values = user.pixels.size() - row_start_;
      require(values == kPixels, "{} has an image of {} values at the user {}: 784 are needed",
              source_, values, user.name);
      row_start_ = user.pixels.size();
      if (row_start_ % (kPixels * 1024) == 0) check_interrupt();
    }
    if (in_user() && field_ == "x" && arrays_ == 1) row_start_ = 0;
    --arrays_;
    return true;
  }
  bool parse_error(std::size_t place, const std::string& token,
                   const nlohmann::detail::exception&) override {
    fail("{} is not JSON at byte {} ('{}'): it is truncated or damaged", source_, place,
         token.substr(0, 20));
  }

 private:
  bool in_user() const { return section_ == "user_data" && objects_ >= 3; }
  std::string name() const { return users_.empty() ? user_ : users_.back().name; }

  bool number(double value) {
    if (objects_ == 1 && arrays_ == 1 && section_ == "num_samples") counts_.push_back(value);
    if (!in_user()) return true;
    User& user = users_.back();
    if (field_ == "x") {
      require(arrays_ == 2 && value >= 0 && value <= 1,
              "{} has the value {} at the user {}: pixels are lists of values from 0 to 1", source_,
              value, user.name);
      user.pixels.push_back(static_cast<std::uint8_t>(std::floor(value * 255 + 0.5)));
    } else if (field_ == "y") {
      require(arrays_ == 1 && value >= 0 && value < kClasses && std::trunc(value) == value,
              "{} has the label {} at the user {}: FEMNIST has the labels 0 to 61", source_, value,
              user.name);
      user.labels.push_back(static_cast<std::int64_t>(value));
    }
    return true;
  }

  bool other(const char* what) const {
    require(!in_user() || (field_ != "x" && field_ != "y"),
            "{} has {} among the samples of the user {}: numbers are needed", source_, what,
            name());
    return true;
  }

  std::string source_, section_, user_, field_;
  int objects_ = 0;
  int arrays_ = 0;
  std::size_t row_start_ = 0;
  std::vector<User> users_;
  std::vector<std::string> names_;
  std::vector<double> counts_;
};

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  require(!error, "cannot read {}: {}", folder.string(), error.message());
  require(!files.empty(), "{} holds no .json files: LEAF's preprocess.sh writes them",
          folder.string());
  std::sort(files.begin(), files.end());
  return files;
}

struct Files {
  std::vector<fs::path> train;
  std::vector<fs::path> test;
};

Files find_files(const fs::path& path, const Origin& origin) {
  std::error_code ignored;
  for (const fs::path& root : {path, path / "data", path / "all_data", path / "data/all_data"}) {
    if (!fs::is_directory(root / "train", ignored)) continue;
    Files files{json_files(root / "train"), {}};
    if (fs::is_directory(root / "test", ignored)) files.test = json_files(root / "test");
    return files;
  }
  for (const fs::path& root : {path / "all_data", path / "data/all_data"}) {
    if (fs::is_directory(root, ignored)) return {json_files(root), {}};
  }
  fail_missing(path / "train", origin);
}

std::vector<std::vector<User>> read_all(const std::vector<fs::path>& files,
                                        const Context& context) {
  std::vector<std::vector<User>> parts(files.size());
  Progress progress(context.progress(), "reading FEMNIST files", files.size());
  parallel_for(files.size(), [&](std::size_t index) {
    const evidence::MappedFile file = evidence::map_file(files[index]);
    Handler handler(files[index].string());
    const std::string_view text = file.text();
    Json::sax_parse(text.begin(), text.end(), &handler);
    parts[index] = std::move(handler).finish();
    progress.add();
  });
  return parts;
}

/// Keeps `count` rows, drawn at random from all parts, in their order; there is no test part then.
void thin(Dataset& dataset, std::vector<std::string>& writers, std::size_t count,
          std::uint64_t seed) {
  Stream stream(seed, "femnist/rows");
  std::vector<std::size_t> rows = stream.sample(dataset.labels.size(), count);
  std::sort(rows.begin(), rows.end());
  for (std::size_t place = 0; place < rows.size(); ++place) {
    const std::size_t row = rows[place];  // never before its place
    std::copy_n(dataset.bytes.begin() + static_cast<std::ptrdiff_t>(row * kPixels), kPixels,
                dataset.bytes.begin() + static_cast<std::ptrdiff_t>(place * kPixels));
    dataset.labels[place] = dataset.labels[row];
    writers[place] = writers[row];
  }
  dataset.bytes.resize(count * kPixels);
  dataset.labels.resize(count);
  writers.resize(count);
  dataset.train_rows = count;
}

}  // namespace

Dataset load_femnist(Options& options, const Context& context) {
  Dataset dataset;
  dataset.name = options.choice("name", "femnist", {"femnist"});
  const Origin origin = {.set = dataset.name,
                         .wanted = "train/*.json and test/*.json, or all_data/*.json",
                         .source = "LEAF's preprocess.sh for FEMNIST"};
  const fs::path path = data_path(options, "", origin);
  const std::int64_t rows = options.integer("rows", 0);
  if (rows < 0) options.wrong("rows", fmt::format("{} rows: it must be 0 or more", rows));
  const std::int64_t seed = options.integer("seed", 0);
  if (seed < 0) options.wrong("seed", fmt::format("{} must be 0 or more", seed));
  options.finish();
  const Files files = find_files(path, origin);
  std::vector<fs::path> all = files.train;
  all.insert(all.end(), files.test.begin(), files.test.end());
  std::vector<std::vector<User>> parts = read_all(all, context);
  dataset.shape = {1, 28, 28};
  std::vector<std::string> writers;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (User& user : parts[part]) {
      dataset.bytes.insert(dataset.bytes.end(), user.pixels.begin(), user.pixels.end());
      dataset.labels.insert(dataset.labels.end(), user.labels.begin(), user.labels.end());
      writers.insert(writers.end(), user.labels.size(), user.name);
    }
    parts[part] = {};
    if (part < files.train.size()) dataset.train_rows = dataset.rows();
  }
  if (static_cast<std::size_t>(rows) > dataset.labels.size()) {
    options.wrong("rows", fmt::format("{} are asked for, but {} has {}: ask for fewer", rows,
                                      path.string(), dataset.labels.size()));
  }
  if (rows > 0) {
    thin(dataset, writers, static_cast<std::size_t>(rows), static_cast<std::uint64_t>(seed));
  }
  dataset.subjects = encode(writers).codes;
  dataset.classes = kClasses;
  for (const char* range : {"09", "AZ", "az"}) {
    for (char name = range[0]; name <= range[1]; ++name) {
      dataset.class_names.emplace_back(1, name);
    }
  }
  finish(dataset);
  return dataset;
}

}  // namespace vestige::data
