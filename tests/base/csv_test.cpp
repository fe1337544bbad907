// The CSV splitter against records written out by hand from the rules of RFC 4180.
#include "vestige/base/csv.h"

#include <gtest/gtest.h>

#include "vestige/base/error.h"

namespace vestige {
namespace {

using Record = std::vector<std::string>;

std::vector<Record> records_of(std::string_view text) {
  std::vector<Record> records;
  CsvReader reader(text, "t.csv");
  while (reader.next()) records.push_back(reader.texts());
  return records;
}

std::string refusal_of(std::string_view text) {
  try {
    records_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CsvReader, SplitsFieldsAndLines) {
  const std::vector<Record> expected = {{"a", "b c"}, {"1", ""}, {"", "2"}};
  for (const std::string_view text :
       {"a,b c\n1,\n,2\n", "a,b c\r\n1,\r\n,2\r\n", " a ,\tb c\n1,\n,2", "a,b c\n1, \n,2\n\r\n \n",
        "\xef\xbb\xbf"
        "a,b c\n1,\n,2\n"}) {
    EXPECT_EQ(records_of(text), expected) << text;
  }
  EXPECT_TRUE(records_of("").empty());
  EXPECT_TRUE(records_of("\xef\xbb\xbf \r\n\n").empty());
  EXPECT_EQ(records_of("1,"), (std::vector<Record>{{"1", ""}}));
}

TEST(CsvReader, QuotesHoldCommasQuotesBlanksAndLineBreaks) {
  EXPECT_EQ(records_of("\"a,b\",\"c \"\"d\"\"\"\r\n \" e\" , \"\"\r\n\"f\r\ng\",h\r\n"),
            (std::vector<Record>{{"a,b", "c \"d\""}, {" e", ""}, {"f\r\ng", "h"}}));
  // A quote that does not begin a field is a letter like any other.
  EXPECT_EQ(records_of("5\",x\n"), (std::vector<Record>{{"5\"", "x"}}));
}

TEST(CsvReader, CountsLinesAndMarksQuotesAndBlankLines) {
  CsvReader reader("a\n\n\"b\nc\",d\ne\n\"\"\n", "t.csv");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 1U);
  EXPECT_FALSE(reader.fields()[0].quoted);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 2U);
  EXPECT_TRUE(reader.blank());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 3U);
  EXPECT_TRUE(reader.fields()[0].quoted);
  EXPECT_FALSE(reader.fields()[1].quoted);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 5U);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 6U);
  EXPECT_FALSE(reader.blank()) << "an empty text in quotes is a value";
  EXPECT_FALSE(reader.next());
}

TEST(CsvReader, NamesTheLineOfABadQuote) {
  EXPECT_EQ(refusal_of("a\n\"b\nc\n"), "t.csv line 2: a quote is not closed: add the second \"");
  EXPECT_EQ(refusal_of("\"a\nb\" c\n"),
            "t.csv line 2: text follows a closing quote: write a quote inside quotes as \"\"");
}

}  // namespace
}  // namespace vestige
