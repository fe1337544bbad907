// Texts in CSV that a spreadsheet must not compute, and in XML that must stay XML.
#include "vestige/report/page/escape.h"

#include <gtest/gtest.h>

#include "vestige/base/csv.h"

namespace vestige::report {
namespace {

// What spreadsheets take for a formula: OWASP, "CSV injection".
TEST(CsvField, FormulasAreTexts) {
  for (const char* text :
       {"=1+1", "=cmd|' /C calc'!A0", "+x", "@SUM(A1)", "-x", "-2+3", "\t=1", "\r=1", "+5", "-"}) {
    const std::string field = csv_field(text);
    EXPECT_TRUE(field.starts_with("'") || field.starts_with("\"'")) << field;
  }
  for (const char* text : {"", "-5", "-0.25", "-1e-9", "x=1", "a-b", "5", "'x", "O'Neil"}) {
    EXPECT_EQ(csv_field(text), text);
  }
}

// One apostrophe can be taken off again: different texts stay different.
TEST(CsvField, TheGuardCanBeTakenOff) {
  EXPECT_EQ(csv_field("=x"), "'=x");
  EXPECT_EQ(csv_field("'=x"), "''=x");
  EXPECT_EQ(csv_field("'-5"), "''-5");
  for (const char* text : {"=x", "'=x", "'-5", "-5", "+x", "@y", "'y", "plain", ""}) {
    EXPECT_EQ(without_guard(csv_field(text)), text);
  }
}

TEST(CsvField, GuardedTextsAreQuotedWhereTheyNeedIt) {
  EXPECT_EQ(csv_field("=a,b"), "\"'=a,b\"");
  EXPECT_EQ(csv_field("=\"a\""), "\"'=\"\"a\"\"\"");
}

// XML 1.0, section 2.2: tab, line ends, and from U+0020 without surrogates, U+FFFE and U+FFFF.
TEST(XmlLegible, HasOnlyCharactersOfXml) {
  EXPECT_EQ(xml_legible(std::string("a\x01\x1b\0b", 5)), "a   b");
  EXPECT_EQ(xml_legible("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(xml_legible("\xef\xbf\xbe\xef\xbf\xbf"), "??");
  EXPECT_EQ(xml_legible("\xff"), "\xef\xbf\xbd");
  EXPECT_EQ(xml_legible("\xc3\xa9"), "\xc3\xa9");
}

}  // namespace
}  // namespace vestige::report
