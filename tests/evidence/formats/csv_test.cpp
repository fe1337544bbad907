// The CSV reader: what it takes, and the line number in every error.
#include "vestige/evidence/formats/csv.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/evidence/support.h"
#include "vestige/base/file.h"

namespace vestige::evidence {
namespace {

using testing::error_of;
using testing::holds;
using Integers = std::vector<std::int64_t>;
using Doubles = std::vector<double>;
using Shape = std::vector<std::size_t>;

Array parsed_csv(std::string_view text) { return parse_csv(text, "labels/forget.csv"); }

std::string csv_error(std::string_view text) {
  return error_of([text] { parsed_csv(text); });
}

TEST(Csv, OneColumnOfWholeNumbersIsIntegers) {
  for (const std::string_view text :
       {"3\n1\n-2\n", "3\n1\n-2", "label\n3\n1\n-2\n", "3\r\n1\r\n-2\r\n", " 3 \n\t1\n-2\n\n\n",
        "\xef\xbb\xbf"
        "3\n1\n-2\n",
        "3.0\n1e0\n-2\n"}) {
    const Array array = parsed_csv(text);
    EXPECT_EQ(array.dtype(), DType::int64) << text;
    EXPECT_EQ(array.shape(), (Shape{3})) << text;
    EXPECT_EQ(array.integers(), (Integers{3, 1, -2})) << text;
  }
}

TEST(Csv, BigIntegersKeepAllDigits) {
  EXPECT_EQ(parsed_csv("9007199254740993\n-9223372036854775808\n").integers(),
            (Integers{9007199254740993, INT64_MIN}));
}

TEST(Csv, OneColumnWithFractionsIsDoubles) {
  const Array array = parsed_csv("score\n0.5\n2\n-1.25e-3\n");
  EXPECT_EQ(array.dtype(), DType::float64);
  EXPECT_EQ(array.shape(), Shape{3});
  EXPECT_EQ(array.doubles(), (Doubles{0.5, 2, -0.00125}));
}

TEST(Csv, SeveralColumnsAreAMatrixOfDoubles) {
  const Array array = parsed_csv("a,b\r\n1, 2\r\n+3,4.5\r\n");
  EXPECT_EQ(array.dtype(), DType::float64);
  EXPECT_EQ(array.shape(), (Shape{2, 2}));
  EXPECT_EQ(array.doubles(), (Doubles{1, 2, 3, 4.5}));
}

TEST(Csv, NanAndInfinityAreNumbers) {
  const std::vector<double> values = parsed_csv("1\nnan\ninf\n-inf\n").doubles();
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_EQ(values[2], INFINITY);
  EXPECT_EQ(values[3], -INFINITY);
}

TEST(Csv, NothingToRead) {
  EXPECT_TRUE(holds(csv_error(""), {"labels/forget.csv is empty"}));
  EXPECT_TRUE(holds(csv_error("\r\n \n"), {"labels/forget.csv is empty"}));
  EXPECT_TRUE(holds(csv_error("label\n"), {"labels/forget.csv has no line of numbers"}));
}

TEST(Csv, ErrorsNameTheLine) {
  EXPECT_TRUE(holds(csv_error("a,b\n1,2\n3\n"),
                    {"labels/forget.csv line 3 has 1 columns", "before have 2"}));
  EXPECT_TRUE(holds(csv_error("1,2\n3,4,5\n"), {"line 2 has 3 columns"}));
  EXPECT_TRUE(holds(csv_error("1\n2\ncat\n"), {"line 3 column 1 is 'cat', not a number"}));
  EXPECT_TRUE(holds(csv_error("1,2\n3,\n"), {"line 2 column 2 is empty"}));
  EXPECT_TRUE(holds(csv_error("1\n\n2\n"), {"line 2 column 1 is empty"}));
  EXPECT_TRUE(holds(csv_error("\"1\"\n\"2\"\n"), {"line 2 column 1 is text in quotes"}));
  EXPECT_TRUE(holds(csv_error("\"a\nb\"\n1\nx\n"), {"line 4 column 1 is 'x'"}));
  EXPECT_TRUE(holds(csv_error("1\n\"2\n3\n"), {"line 2: a quote is not closed"}));
  EXPECT_TRUE(holds(csv_error("1;2\n3;4\n"), {"line 2 column 1 is '3;4'", "commas"}));
  EXPECT_TRUE(holds(csv_error("1\n0x10\n"), {"line 2 column 1 is '0x10'"}));
  EXPECT_TRUE(holds(csv_error("1\n\x1b[31m\n"), {"'?[31m'"}));
  EXPECT_TRUE(holds(csv_error("1\n1e999\n"), {"line 2 column 1 is '1e999'"}));
  EXPECT_TRUE(holds(csv_error("1\n+-2\n"), {"line 2 column 1 is '+-2'"}));
}

TEST(Csv, FromAFile) {
  const testing::TemporaryFolder folder;
  write_file(folder / "a.csv", "7\n8\n");
  EXPECT_EQ(read_csv(folder / "a.csv").integers(), (Integers{7, 8}));
  write_file(folder / "b.csv", "7\nx\n");
  EXPECT_TRUE(holds(error_of([&] { read_csv(folder / "b.csv"); }), {"b.csv line 2"}));
  write_file(folder / "c.csv", "");
  EXPECT_TRUE(holds(error_of([&] { read_csv(folder / "c.csv"); }), {"c.csv is empty"}));
}

}  // namespace
}  // namespace vestige::evidence
