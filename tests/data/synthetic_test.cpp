// The synthetic set: what its knobs do, measured with a nearest-mean classifier written here.
#include "vestige/data/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tests/data/small_dataset.h"
#include "tests/support.h"
#include "vestige/base/context.h"
#include "vestige/data/splits/draw.h"

namespace vestige::data {
namespace {

using vestige::testing::error_of;
using vestige::testing::holds;

Dataset made(const Json& table = Json()) {
  Options options(table, "[data]");
  return load_synthetic(options);
}

double item(const Dataset& dataset, std::size_t row, std::size_t column) {
  const std::size_t place = row * dataset.row_size() + column;
  return dataset.bytes.empty() ? static_cast<double>(dataset.values[place])
                               : static_cast<double>(dataset.bytes[place]);
}

struct Accuracies {
  double train = 0;
  double test = 0;
};

/// Each class is the mean of the training rows with its label; a row gets the nearest.
Accuracies nearest_mean(const Dataset& dataset) {
  const std::size_t items = dataset.row_size();
  const auto classes = static_cast<std::size_t>(dataset.classes);
  std::vector<double> means(classes * items, 0);
  std::vector<double> counts(classes, 0);
  for (std::size_t row = 0; row < dataset.train_rows; ++row) {
    const auto label = static_cast<std::size_t>(dataset.labels[row]);
    ++counts[label];
    for (std::size_t column = 0; column < items; ++column) {
      means[label * items + column] += item(dataset, row, column);
    }
  }
  for (std::size_t index = 0; index < means.size(); ++index) means[index] /= counts[index / items];
  const auto accuracy = [&](std::size_t first, std::size_t last) {
    double right = 0;
    for (std::size_t row = first; row < last; ++row) {
      double least = std::numeric_limits<double>::infinity();
      std::size_t best = 0;
      for (std::size_t label = 0; label < classes; ++label) {
        double distance = 0;
        for (std::size_t column = 0; column < items; ++column) {
          const double difference = item(dataset, row, column) - means[label * items + column];
          distance += difference * difference;
        }
        if (distance < least) {
          least = distance;
          best = label;
        }
      }
      right += static_cast<std::int64_t>(best) == dataset.labels[row] ? 1 : 0;
    }
    return right / static_cast<double>(last - first);
  };
  return {accuracy(0, dataset.train_rows), accuracy(dataset.train_rows, dataset.rows())};
}

/// Share of rows [first, last) whose label is not the class they were made of.
double wrong_labels(const Dataset& dataset, std::int64_t subclasses, std::size_t first,
                    std::size_t last) {
  double wrong = 0;
  for (std::size_t row = first; row < last; ++row) {
    wrong += dataset.labels[row] != dataset.subclasses[row] / subclasses ? 1 : 0;
  }
  return wrong / static_cast<double>(last - first);
}

// Plans of large sets: rows from 6 on show what row i mod 6 shows, whose inputs alone are held;
// labels are those of all rows.
TEST(Synthetic, RowsBeyondTheDistinctOnesRepeatThem) {
  const Json table = {{"rows", 20}, {"test_rows", 10}, {"distinct", 6}};
  const Dataset few = made(table);
  const Dataset all = made({{"rows", 20}, {"test_rows", 10}});
  EXPECT_EQ(few.labels, all.labels);
  for (std::size_t row = 0; row < 30; ++row) {
    for (std::size_t column = 0; column < 64; ++column) {
      ASSERT_EQ(item(few, few.input_row(row), column), item(all, row % 6, column)) << row;
    }
  }
  EXPECT_EQ(few.bytes.size(), 6U * 64U);
  EXPECT_NE(item(all, 6, 0), item(all, 0, 0));
}

TEST(Synthetic, HasTheDocumentedDefaults) {
  const Dataset dataset = made();
  EXPECT_EQ(dataset.name, "synthetic");
  EXPECT_EQ(dataset.rows(), 5000U);
  EXPECT_EQ(dataset.train_rows, 4000U);
  EXPECT_EQ(dataset.shape, (std::vector<std::int64_t>{1, 8, 8}));
  EXPECT_EQ(dataset.bytes.size(), 5000U * 64U);
  EXPECT_TRUE(dataset.values.empty());
  EXPECT_EQ(dataset.classes, 10);
  EXPECT_EQ(dataset.class_names.size(), 10U);
  EXPECT_EQ(dataset.class_names[3], "class 3");
  EXPECT_EQ(dataset.mean.size(), 1U);
  const std::set<std::int64_t> subclasses(dataset.subclasses.begin(), dataset.subclasses.end());
  EXPECT_EQ(subclasses.size(), 20U);
  EXPECT_EQ(*subclasses.rbegin(), 19);
  const std::set<std::int64_t> subjects(dataset.subjects.begin(), dataset.subjects.end());
  EXPECT_EQ(subjects.size(), 50U);
  EXPECT_EQ(*subjects.rbegin(), 49);
}

TEST(Synthetic, ClassesAreOfEqualSize) {
  const Dataset dataset = made({{"rows", 400}, {"label_noise", 0}});
  Rows train(400);
  for (std::size_t row = 0; row < 400; ++row) train[row] = static_cast<std::int64_t>(row);
  EXPECT_EQ(testing::class_counts(dataset, train), std::vector<std::size_t>(10, 40));
}

TEST(Synthetic, MemoriseIsAKnob) {
  // With memorise = 0 (noise 1, signal 8, no wrong labels) two classes are 8 deviations apart, so
  // that the midpoint is 4 away: practically no mistakes.
  const Accuracies easy = nearest_mean(made({{"memorise", 0}}));
  EXPECT_GT(easy.test, 0.99);
  EXPECT_GT(easy.train, 0.99);
  const Accuracies half = nearest_mean(made({{"memorise", 0.5}}));
  const Accuracies hard = nearest_mean(made({{"memorise", 1}}));
  // 40 % of the training labels are wrong: who does not memorise cannot get far above 60 %.
  EXPECT_LT(hard.train, 0.62);
  EXPECT_GT(hard.test, 0.2);  // chance is 0.1: there is still something to learn
  EXPECT_LT(hard.test, half.test);
  EXPECT_LT(half.test, easy.test);
  EXPECT_LT(half.train, easy.train);
  // The table of docs/lab/synthetic.md.
  EXPECT_NEAR(half.train, 0.701, 0.0005);
  EXPECT_NEAR(half.test, 0.870, 0.0005);
  EXPECT_NEAR(hard.train, 0.4125, 0.0005);
  EXPECT_NEAR(hard.test, 0.610, 0.0005);
}

TEST(Synthetic, KnobsCanBeSetOneByOne) {
  const Dataset noisy = made({{"memorise", 0}, {"label_noise", 0.3}});
  const Dataset clean = made({{"memorise", 0}});
  EXPECT_EQ(noisy.bytes, clean.bytes);  // only labels differ
  EXPECT_EQ(noisy.subclasses, clean.subclasses);
  EXPECT_EQ(wrong_labels(clean, 2, 0, 4000), 0);
  // Binomial(4000, 0.3): deviation of the share 0.0072; four of them.
  EXPECT_NEAR(wrong_labels(noisy, 2, 0, 4000), 0.3, 0.029);
  EXPECT_EQ(wrong_labels(noisy, 2, 4000, 5000), 0);  // the test part is never wrong
  // The default is a tenth (deviation 0.0047).
  EXPECT_NEAR(wrong_labels(made(), 2, 0, 4000), 0.1, 0.019);
  EXPECT_EQ(wrong_labels(made({{"label_noise", 1}}), 2, 0, 4000), 1);
}

TEST(Synthetic, BytesAreSpreadAndRarelyAtTheEnds) {
  for (const Json& table : {Json(), Json{{"memorise", 1}}, Json{{"signal", 200}},
                            Json{{"signal", 0.01}, {"idiosyncrasy", 0.001}}}) {
    const Dataset dataset = made(table);
    double ends = 0, sum = 0, squares = 0;
    for (const std::uint8_t byte : dataset.bytes) {
      ends += byte == 0 || byte == 255 ? 1 : 0;
      sum += byte;
      squares += static_cast<double>(byte) * byte;
    }
    const auto count = static_cast<double>(dataset.bytes.size());
    const double mean = sum / count;
    // Made for 128 and a deviation of 40 levels, at which 0.16 % of normal values are cut; strong
    // prototypes are few, so that the spread of their values is only near that.
    EXPECT_LT(ends / count, 0.01) << table;
    EXPECT_NEAR(mean, 128, 8) << table;
    EXPECT_NEAR(std::sqrt(squares / count - mean * mean), 40, 6) << table;
  }
}

TEST(Synthetic, PrototypesAreSignalApart) {
  // Without noise, subclasses apart and subjects, a row is its prototype plus one offset; 0.3 of
  // the prototype's length. In 400 columns random directions have cosines of deviation 0.05.
  const Dataset dataset = made({{"columns", 400},
                                {"rows", 40},
                                {"subjects", 0},
                                {"subclasses_per_class", 1},
                                {"idiosyncrasy", 0},
                                {"label_noise", 0},
                                {"signal", 6}});
  EXPECT_TRUE(dataset.bytes.empty());
  EXPECT_TRUE(dataset.subjects.empty());
  EXPECT_EQ(dataset.shape, std::vector<std::int64_t>{400});
  for (std::size_t row = 0; row < 10; ++row) {
    for (std::size_t other = row + 1; other < 20; ++other) {
      double squares = 0;
      for (std::size_t column = 0; column < 400; ++column) {
        const double difference = item(dataset, row, column) - item(dataset, other, column);
        squares += difference * difference;
      }
      // Same class, same row; otherwise 6 * sqrt(1 + 0.09) = 6.26, within four deviations.
      const bool same = other % 10 == row;
      EXPECT_NEAR(std::sqrt(squares), same ? 0 : 6.26, same ? 0 : 0.7);
    }
  }
}

TEST(Synthetic, NoiseIsNearlyNormal) {
  // 400,000 values: deviations of the mean 0.0016, of the variance 0.0022 and of a share of 0.68
  // 0.0007; the sum of eight bytes has kurtosis 3 - 1.2 / 8 = 2.85 (its deviation here is 0.008).
  const Dataset dataset = made({{"columns", 100}, {"signal", 0}, {"idiosyncrasy", 1}});
  double sum = 0, squares = 0, fourth = 0, within = 0, products = 0;
  for (std::size_t index = 0; index < 400'000; ++index) {
    const auto value = static_cast<double>(dataset.values[index]);
    sum += value;
    squares += value * value;
    fourth += std::pow(value, 4);
    within += std::abs(value) < 1 ? 1 : 0;
    products += value * static_cast<double>(dataset.values[index + 1]);
  }
  EXPECT_NEAR(sum / 4e5, 0, 0.007);
  EXPECT_NEAR(squares / 4e5, 1, 0.01);
  EXPECT_NEAR(fourth / 4e5, 2.85, 0.06);
  EXPECT_NEAR(within / 4e5, 0.6827, 0.008);  // the normal share, and 0.004 at either end
  EXPECT_NEAR(products / 4e5, 0, 0.007);     // neighbours have nothing to do with each other
}

TEST(Synthetic, SubjectsAndSubclassesLeaveTheirMark) {
  // Without noise, rows that share class, subclass and subject are the same; others are not.
  const Dataset dataset = made({{"columns", 16},
                                {"rows", 400},
                                {"classes", 2},
                                {"subjects", 3},
                                {"idiosyncrasy", 0},
                                {"label_noise", 0}});
  for (std::size_t row = 1; row < 400; ++row) {
    const bool same = dataset.subclasses[row] == dataset.subclasses[0] &&
                      dataset.subjects[row] == dataset.subjects[0];
    const bool equal = std::equal(dataset.values.begin(), dataset.values.begin() + 16,
                                  dataset.values.begin() + static_cast<std::ptrdiff_t>(row * 16));
    EXPECT_EQ(same, equal) << row;
  }
}

TEST(Synthetic, ARowDoesNotDependOnTheNumberOfRows) {
  const Dataset few = made({{"rows", 100}, {"test_rows", 20}, {"long_tail", 1}});
  const Dataset many = made({{"rows", 300}, {"test_rows", 50}, {"long_tail", 1}});
  const auto same = [&](std::size_t row, std::size_t other) {
    return few.labels[row] == many.labels[other] && few.subjects[row] == many.subjects[other] &&
           few.subclasses[row] == many.subclasses[other] &&
           std::equal(few.bytes.begin() + static_cast<std::ptrdiff_t>(row * 64),
                      few.bytes.begin() + static_cast<std::ptrdiff_t>(row * 64 + 64),
                      many.bytes.begin() + static_cast<std::ptrdiff_t>(other * 64));
  };
  for (std::size_t row = 0; row < 100; ++row) EXPECT_TRUE(same(row, row)) << row;
  for (std::size_t row = 0; row < 20; ++row) EXPECT_TRUE(same(100 + row, 300 + row)) << row;
}

TEST(Synthetic, LongTailShrinksLaterClasses) {
  // Weights exp(-2 c / 4) for c = 0 to 4: shares 0.4287, 0.2600, 0.1577, 0.0956, 0.0580; the
  // deviation of a share of 4000 rows is at most 0.0078.
  const Dataset dataset = made({{"classes", 5}, {"long_tail", 2}, {"label_noise", 0}});
  std::vector<double> shares(5, 0);
  for (std::size_t row = 0; row < 4000; ++row) {
    shares[static_cast<std::size_t>(dataset.labels[row])] += 1.0 / 4000;
  }
  const double expected[] = {0.4287, 0.2600, 0.1577, 0.0956, 0.0580};
  for (std::size_t label = 0; label < 5; ++label) EXPECT_NEAR(shares[label], expected[label], 0.03);
  // The test part stays balanced: 1000 rows of 5 classes.
  EXPECT_EQ(std::count(dataset.labels.begin() + 4000, dataset.labels.end(), 4), 200);
}

TEST(Synthetic, IsReproducibleForAnyNumberOfThreads) {
  const Dataset once = Context({.threads = 1}).run([&] {
    return made({{"rows", 500}, {"seed", 3}});
  });
  const Dataset again = Context({.threads = 4}).run([&] {
    return made({{"rows", 500}, {"seed", 3}});
  });
  EXPECT_EQ(once.sha256, again.sha256);
  EXPECT_NE(once.sha256, made({{"rows", 500}, {"seed", 4}}).sha256);
  // Made by this program when the set was introduced; there is no other source. No mathematics
  // library takes part, so that it holds on every machine; a change renames people's models.
  EXPECT_EQ(made({{"rows", 100}, {"test_rows", 20}}).sha256,
            "6c43a7b4db621adcdce652cb1a1d9e54849cbbfe2086dbba37ea5eeac26fc796");
}

TEST(Synthetic, RefusesBadSettings) {
  const auto refusal = [](const Json& table) { return error_of([&] { made(table); }); };
  EXPECT_EQ(refusal({{"memorise", 1.5}}), "[data]: memorise: 1.5 must be 0 to 1");
  EXPECT_EQ(refusal({{"classes", 1}}), "[data]: classes: 1 must be 2 to 100000");
  EXPECT_TRUE(holds(refusal({{"rows", 0}}), {"rows: 0 must be 1"}));
  EXPECT_TRUE(holds(refusal({{"test_rows", -1}}), {"test_rows: -1"}));
  EXPECT_TRUE(holds(refusal({{"label_noise", std::nan("")}}), {"label_noise: nan"}));
  EXPECT_TRUE(holds(refusal({{"signal", -1}}), {"signal: -1"}));
  EXPECT_TRUE(holds(refusal({{"subclasses_per_class", 0}}), {"subclasses_per_class: 0"}));
  EXPECT_TRUE(holds(refusal({{"memorize", 1}}), {"did you mean 'memorise'"}));
  EXPECT_TRUE(holds(refusal({{"rows", 1'000'000'000}}), {"too large", "ask for fewer"}));
  EXPECT_TRUE(holds(refusal({{"height", 4096}, {"width", 4096}}), {"too large"}));
}

}  // namespace
}  // namespace vestige::data
