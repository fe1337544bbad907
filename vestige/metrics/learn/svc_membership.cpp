// A support vector machine on retain against test, asked about forget.
#include "vestige/metrics/learn/svc_membership.h"

#include <algorithm>

#include "vestige/base/seed.h"
#include "vestige/metrics/learn/svc.h"

namespace vestige::metrics {
namespace {

struct SvcTraining {
  std::vector<double> features;  // [n, 1]
  std::vector<int> labels;       // retain 0, test 1
};

void append_at_most(std::span<const double> values, std::size_t limit, int label, Stream& stream,
                    SvcTraining& training) {
  const std::size_t count = std::min(values.size(), limit);
  for (const std::size_t row : stream.sample(values.size(), count)) {
    training.features.push_back(values[row]);
    training.labels.push_back(label);
  }
}

}  // namespace

SvcMembership svc_membership(std::span<const double> retain, std::span<const double> test,
                             std::span<const double> forget, const SvcMembershipOptions& options) {
  SvcMembership result;
  if (retain.empty() || test.empty() || forget.empty()) return result;
  SvcTraining training;
  Stream stream(options.seed, "svc_membership");
  // scikit-learn gives LIBSVM the lower label as the first class, Svc the higher one. The stopping
  // tolerance lets the order of classes show in the second decimal, so members are the lower label
  // here and the sign is turned back below.
  append_at_most(retain, options.max_rows, 0, stream, training);
  append_at_most(test, options.max_rows, 1, stream, training);
  const Svc machine = Svc::train({training.features.data(), training.features.size(), 1},
                                 training.labels, {.cost = options.cost});
  const MatrixView rows{forget.data(), forget.size(), 1};
  for (const double decision : machine.decisions(rows)) {
    result.decisions.push_back(-decision);
    result.predictions.push_back(decision < 0 ? 1 : 0);
  }
  result.support_vectors = machine.support_vectors();
  const auto members = std::count(result.predictions.begin(), result.predictions.end(), 1);
  result.member_share = static_cast<double>(members) / static_cast<double>(forget.size());
  return result;
}

}  // namespace vestige::metrics
