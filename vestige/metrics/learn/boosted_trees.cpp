// XGBoost through its C interface.
#include "vestige/metrics/learn/boosted_trees.h"

#include <xgboost/c_api.h>

#include <cmath>
#include <limits>
#include <string>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

void check(int status) { require(status == 0, "XGBoost refused the data: {}", XGBGetLastError()); }

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
    check(XGDMatrixCreateFromMat(values.data(), rows.rows, rows.cols,
                                 std::numeric_limits<float>::quiet_NaN(), &handle_));
  }
  ~Data() { XGDMatrixFree(handle_); }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  explicit Booster(const Data& train) {
    const DMatrixHandle known = train.handle();
    check(XGBoosterCreate(&known, 1, &handle_));
  }
  ~Booster() { XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;
  BoosterHandle handle() const { return handle_; }
  void set(const char* parameter, const std::string& value) {
    check(XGBoosterSetParam(handle_, parameter, value.c_str()));
  }

 private:
  BoosterHandle handle_ = nullptr;
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
  check(XGDMatrixSetFloatInfo(train_data.handle(), "label", targets.data(), targets.size()));

  Booster booster(train_data);
  booster.set("objective", "binary:logistic");
  booster.set("nthread", "1");
  booster.set("verbosity", "0");
  booster.set("seed", std::to_string(options.seed & 0x7fffffff));
  for (int round = 0; round < options.rounds; ++round) {
    check(XGBoosterUpdateOneIter(booster.handle(), round, train_data.handle()));
  }
  const Data test_data(test);
  bst_ulong count = 0;
  const float* probabilities = nullptr;
  check(XGBoosterPredict(booster.handle(), test_data.handle(), 0, 0, 0, &count, &probabilities));
  return {probabilities, probabilities + count};
}

}  // namespace vestige::metrics
