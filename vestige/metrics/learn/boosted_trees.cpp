// XGBoost through its C interface.
#include "vestige/metrics/learn/boosted_trees.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "vestige/base/error.h"
#include "vestige/base/platform/library.h"

namespace vestige::metrics {
namespace {

constexpr const char* kXgboostLibrary = "libxgboost.so.0";

/// The part of XGBoost's C interface (xgboost/c_api.h, version 1.6) that is used here; a handle is
/// a void*. The library is loaded at the first fit, because it brings a dozen others that every
/// start of the program would pay for.
struct Xgboost {
  using Handle = void*;
  const char* (*last_error)();
  int (*matrix_create)(const float* data, std::uint64_t rows, std::uint64_t columns, float missing,
                       Handle* out);
  int (*matrix_free)(Handle matrix);
  int (*matrix_set)(Handle matrix, const char* field, const float* values, std::uint64_t count);
  int (*booster_create)(const Handle matrices[], std::uint64_t count, Handle* out);
  int (*booster_free)(Handle booster);
  int (*booster_set)(Handle booster, const char* name, const char* value);
  int (*booster_update)(Handle booster, int round, Handle train);
  int (*booster_predict)(Handle booster, Handle matrix, int options, unsigned trees, int training,
                         std::uint64_t* count, const float** values);
};

template <class Function>
void find_symbol(void* library, const char* name, Function& function) {
  function = platform::function_of<Function>(library, name);
  require(function != nullptr, "{} has no {}: install version 1.6 of XGBoost (package libxgboost0)",
          kXgboostLibrary, name);
}

Xgboost load_xgboost() {
  void* library = platform::open_library(kXgboostLibrary);
  require(library != nullptr,
          "boosted trees need XGBoost, and {} cannot be loaded: install the package libxgboost0, "
          "or choose metrics that do not use it",
          kXgboostLibrary);
  Xgboost functions{};
  find_symbol(library, "XGBGetLastError", functions.last_error);
  find_symbol(library, "XGDMatrixCreateFromMat", functions.matrix_create);
  find_symbol(library, "XGDMatrixFree", functions.matrix_free);
  find_symbol(library, "XGDMatrixSetFloatInfo", functions.matrix_set);
  find_symbol(library, "XGBoosterCreate", functions.booster_create);
  find_symbol(library, "XGBoosterFree", functions.booster_free);
  find_symbol(library, "XGBoosterSetParam", functions.booster_set);
  find_symbol(library, "XGBoosterUpdateOneIter", functions.booster_update);
  find_symbol(library, "XGBoosterPredict", functions.booster_predict);
  return functions;
}

const Xgboost& xgboost() {
  static const Xgboost functions = load_xgboost();
  return functions;
}

void check(int status) {
  require(status == 0, "XGBoost refused the data: {}", xgboost().last_error());
}

std::vector<float> to_float(MatrixView rows) {
  std::vector<float> values;
  values.reserve(rows.values().size());
  for (const double value : rows.values()) {
    require(std::isfinite(value), "a feature is {}: features must be finite", value);
    values.push_back(static_cast<float>(value));
  }
  return values;
}

class Data {
 public:
  explicit Data(MatrixView rows) {
    const std::vector<float> values = to_float(rows);
    check(xgboost().matrix_create(values.data(), rows.rows, rows.cols,
                                  std::numeric_limits<float>::quiet_NaN(), &handle_));
  }
  ~Data() { xgboost().matrix_free(handle_); }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  Xgboost::Handle handle() const { return handle_; }

 private:
  Xgboost::Handle handle_ = nullptr;
};

class Booster {
 public:
  explicit Booster(const Data& train) {
    const Xgboost::Handle known = train.handle();
    check(xgboost().booster_create(&known, 1, &handle_));
  }
  ~Booster() { xgboost().booster_free(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;
  Xgboost::Handle handle() const { return handle_; }
  void set(const char* parameter, const std::string& value) {
    check(xgboost().booster_set(handle_, parameter, value.c_str()));
  }

 private:
  Xgboost::Handle handle_ = nullptr;
};

}  // namespace

std::vector<double> boosted_trees(MatrixView train, std::span<const int> labels, MatrixView test,
                                  const BoostedTreesOptions& options) {
  require(train.rows == labels.size() && train.rows > 0,
          "{} feature rows and {} labels: give one label per row, and at least one row", train.rows,
          labels.size());
  require(train.cols == test.cols, "{} training features and {} test features: give the same",
          train.cols, test.cols);
  require(options.rounds > 0, "boosted trees: {} rounds: give at least 1", options.rounds);
  const Data train_data(train);
  std::vector<float> targets;
  for (const int label : labels) {
    require(label == 0 || label == 1, "label {} must be 0 or 1", label);
    targets.push_back(static_cast<float>(label));
  }
  check(xgboost().matrix_set(train_data.handle(), "label", targets.data(), targets.size()));

  Booster booster(train_data);
  booster.set("objective", "binary:logistic");
  booster.set("nthread", "1");
  booster.set("verbosity", "0");
  booster.set("seed", std::to_string(options.seed & 0x7fffffff));
  for (int round = 0; round < options.rounds; ++round) {
    check(xgboost().booster_update(booster.handle(), round, train_data.handle()));
  }
  const Data test_data(test);
  std::uint64_t count = 0;
  const float* probabilities = nullptr;
  check(xgboost().booster_predict(booster.handle(), test_data.handle(), 0, 0, 0, &count,
                                  &probabilities));
  return {probabilities, probabilities + count};
}

}  // namespace vestige::metrics
