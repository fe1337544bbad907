// A small real problem for tests of methods: synthetic data that must be memorised, an original
// trained on all of it and a model retrained without the forget rows.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vestige/unlearn/method.h"

namespace vestige::testing {

class UnlearnBench {
 public:
  /// kind: "random" (a tenth of the rows, mislabelled ones among them) or "class" (class 0).
  explicit UnlearnBench(const std::string& kind, const std::string& architecture = "small_cnn");
  ~UnlearnBench();

  /// A problem whose network starts with the original's weights; valid as long as the bench.
  unlearn::Problem problem(std::uint64_t seed = 7);

  models::Network& original() const;
  models::Network& retrained() const;
  const train::Samples& samples() const;
  const train::Rows& forget() const;
  const train::Rows& retain() const;
  const train::Rows& validation() const;
  const train::Rows& test() const;

  /// Accuracy on the forget rows etc.
  double forget_accuracy(models::Network& network) const;
  double retain_accuracy(models::Network& network) const;
  double test_accuracy(models::Network& network) const;
  /// Mean cross-entropy on the forget rows: original's is low, retrained's is high.
  double forget_loss(models::Network& network) const;

  /// How far a method went from the original's forget loss (0) to the retrained model's (1).
  double progress(models::Network& network) const;

  /// Runs the method of this name with the options and returns the outcome; the network is
  /// problem.network of the problem given.
  unlearn::Outcome run(const std::string& method, const Json& options, unlearn::Problem& problem);

  /// The bench of this kind, made once per test program.
  static UnlearnBench& of(const std::string& kind, const std::string& architecture = "small_cnn");

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Names of parameters (and buffers) in which two networks differ at all.
std::vector<std::string> changed(const models::Network& left, const models::Network& right);

}  // namespace vestige::testing
