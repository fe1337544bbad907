// Terms stay where controls and verdicts look at them, and go everywhere else.
#include "vestige/audit/verdicts/kept_terms.h"

#include <gtest/gtest.h>

#include <string>

namespace vestige::audit {
namespace {

using metrics::Control;
using metrics::Row;

Row row_of(const std::string& metric, const std::string& subject, double value = 0.5) {
  Row row;
  row.metric = metric;
  row.subject = metrics::parse_subject(subject);
  row.value = value;
  row.terms = {0, 1};
  return row;
}

bool kept(KeptTerms& terms, Row row) {
  terms.trim(row);
  return !row.terms.empty();
}

TEST(KeptTerms, OfTheFirstModelOfEachGroup) {
  KeptTerms terms;
  const char* metric = "closeness.agreement.forget";
  EXPECT_TRUE(kept(terms, row_of(metric, "unlearned/a/0")));
  EXPECT_FALSE(kept(terms, row_of(metric, "unlearned/a/1")));
  EXPECT_TRUE(kept(terms, row_of(metric, "unlearned/b/0")));
  EXPECT_TRUE(kept(terms, row_of(metric, "retrained/0")));
  EXPECT_FALSE(kept(terms, row_of(metric, "retrained/1")));
}

TEST(KeptTerms, OfEverySetting) {
  KeptTerms terms;
  Row first = row_of("conformal.coverage.forget", "original/0"), second = first;
  first.settings["alpha"] = 0.05;
  second.settings["alpha"] = 0.1;
  EXPECT_TRUE(kept(terms, first));
  EXPECT_TRUE(kept(terms, second));
  EXPECT_FALSE(kept(terms, second));
}

TEST(KeptTerms, OfTheFirstModelWithAValueToo) {
  KeptTerms terms;
  const char* metric = "conformal.cr.forget";
  EXPECT_TRUE(kept(terms, row_of(metric, "retrained/0", metrics::kUndefined)));
  EXPECT_TRUE(kept(terms, row_of(metric, "retrained/1")));
  EXPECT_FALSE(kept(terms, row_of(metric, "retrained/2")));
}

TEST(KeptTerms, NotWhereNobodyLooks) {
  KeptTerms terms;
  EXPECT_FALSE(kept(terms, row_of("closeness.distance.retain", "unlearned/a/0")));
  EXPECT_FALSE(kept(terms, row_of("no.such.metric", "unlearned/a/0")));
  Row constant = row_of("closeness.agreement.forget", "constant_predictor/0");
  constant.control = Control::constant;
  EXPECT_FALSE(kept(terms, constant));
}

}  // namespace
}  // namespace vestige::audit
