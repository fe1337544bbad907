// docs/reference/results.md is made from the lists of fields.
#include "vestige/result/schema.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support.h"
#include "vestige/audit/remembered.h"
#include "vestige/base/file.h"
#include "vestige/result/policy.h"
#include "vestige/result/remark.h"
#include "vestige/result/requests.h"
#include "vestige/result/row.h"
#include "vestige/result/run.h"
#include "vestige/result/study_experiment.h"
#include "vestige/result/verdict.h"

namespace vestige::result {
namespace {

constexpr const char* kIntroduction =
    "# results.json, field by field (schema 3)\n\n"
    "This page is made from the program's own lists of fields; a test compares it. "
    "[audit-output.md](audit-output.md) explains what they mean together.\n\n"
    "A *reason* is an object with `code`, `arguments` (listed below) and `text`, the English "
    "sentence. Programs should read code and arguments; the text may change between versions. "
    "Undefined numbers are null, infinities the texts `\"inf\"` and `\"-inf\"`.\n\n";

TEST(Schema, TheReferencePageListsEveryField) {
  const auto path = std::filesystem::path(VESTIGE_SOURCE_DIR) / "docs/reference/results.md";
  Schema schema;
  schema.add<Row>().add<Series>().add<Remark>().add<Skipped>().add<Verdict>();
  schema.add<Requests>().add<Gate>().add<Experiment>();
  schema.add<result::Run>().add<SampleFile>().add<audit::RememberedRows>();
  const std::string page = kIntroduction + schema_markdown(schema);
  if (std::getenv("VESTIGE_WRITE_GOLDEN") != nullptr) write_file(path, page);
  EXPECT_EQ(read_file(path), page) << "VESTIGE_WRITE_GOLDEN=1 writes the page anew";
}

TEST(Schema, StructsInsideStructsAreListedOnce) {
  Schema schema;
  schema.add<Verdict>().add<Row>();
  std::size_t subjects = 0;
  for (const StructInfo& own : schema.structs()) subjects += own.name == "Subject" ? 1U : 0U;
  EXPECT_EQ(subjects, 1U);
  EXPECT_EQ(schema.structs().front().fields.at(3).type,
            "`forgotten`, `traces_remain`, `over_forgotten`, `mixed`, `collapsed`, `not_decided`, "
            "`not_tested`");
}

}  // namespace
}  // namespace vestige::result
