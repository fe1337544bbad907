// Logistic regression on losses over stratified shuffle splits.
#include "vestige/metrics/learn/simple_mia.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/learn/logistic.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// Loss and label of the rows that a split's side selects.
struct Side {
  std::vector<double> losses;
  std::vector<int> members;
};

Side select(std::span<const double> losses, std::span<const int> members,
            std::span<const std::size_t> rows) {
  Side side;
  for (const std::size_t row : rows) {
    require(row < losses.size(), "a split names row {} of {}: rows count from 0", row,
            losses.size());
    side.losses.push_back(losses[row]);
    side.members.push_back(members[row]);
  }
  return side;
}

void append_subsample(std::span<const double> from, std::size_t count, int member, Stream& stream,
                      Side& into) {
  for (const std::size_t row : stream.sample(from.size(), count)) {
    into.losses.push_back(std::min(from[row], kLargestLoss));
    into.members.push_back(member);
  }
}

}  // namespace

SimpleMia simple_mia(std::span<const double> losses, std::span<const int> members,
                     std::span<const LabelSplit> splits, double c) {
  require(losses.size() == members.size(), "{} losses and {} membership labels: give one per row",
          losses.size(), members.size());
  SimpleMia result;
  for (const LabelSplit& split : splits) {
    const Side train = select(losses, members, split.train);
    const Side test = select(losses, members, split.test);
    const LogisticModel model =
        fit_logistic({train.losses.data(), train.losses.size(), 1}, train.members, {.c = c});
    std::vector<double> probabilities;
    double right = 0;
    for (std::size_t i = 0; i < test.losses.size(); ++i) {
      const std::span<const double> row(&test.losses[i], 1);
      probabilities.push_back(model.probability(row));
      if (model.predict(row) == test.members[i]) right += 1;
    }
    const bool defined = !std::isnan(model.intercept) && !test.losses.empty();
    result.scores.push_back(defined ? right / static_cast<double>(test.losses.size()) : kUndefined);
    result.probabilities.push_back(std::move(probabilities));
  }
  result.accuracy = mean(result.scores);
  return result;
}

SimpleMia simple_mia(std::span<const double> member_losses,
                     std::span<const double> nonmember_losses, std::uint64_t seed,
                     const SimpleMiaOptions& options) {
  require(options.splits > 0, "the loss attack needs at least one split");
  const auto is_nan = [](double loss) { return std::isnan(loss); };
  if (std::any_of(member_losses.begin(), member_losses.end(), is_nan) ||
      std::any_of(nonmember_losses.begin(), nonmember_losses.end(), is_nan)) {
    return {};
  }
  const std::size_t count = std::min(member_losses.size(), nonmember_losses.size());
  Stream balance(seed, "simple_mia.balance");
  Side rows;
  append_subsample(member_losses, count, 1, balance, rows);
  append_subsample(nonmember_losses, count, 0, balance, rows);
  std::vector<LabelSplit> splits;
  for (std::size_t index = 0; index < options.splits; ++index) {
    Stream stream(seed, "simple_mia.split", index);
    splits.push_back(stratified_split(rows.members, options.test_fraction, stream));
  }
  return simple_mia(rows.losses, rows.members, splits, options.c);
}

}  // namespace vestige::metrics
