// Wrong evidence never reassures: docs/validation/misuse.md.
#include "tests/audit/misuse/misuse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "vestige/base/file.h"
#include "vestige/report/audit_run.h"

namespace vestige::misuse {
namespace {

const char* const kPage = VESTIGE_SOURCE_DIR "/docs/validation/misuse.md";

TEST(Misuse, NeverEndsInForgotten) {
  std::size_t count = 0;
  for (const Topic& topic : misuses()) {
    for (const Misuse& misuse : topic.cases) {
      if (misuse.what.starts_with("nothing is wrong")) continue;
      ++count;
      const Answer answer = answer_to(misuse);
      EXPECT_FALSE(answer.passed) << misuse.what << ": the default policy passed";
      for (const std::string& word : answer.words) {
        EXPECT_NE(word, "FORGOTTEN") << misuse.what << ": " << answer.why;
      }
      for (const char* reassuring : {"No trace", "are shown to forget", " is shown to forget"}) {
        const bool none = answer.headline.starts_with("None of");
        EXPECT_TRUE(none || answer.headline.find(reassuring) == std::string::npos)
            << misuse.what << ": " << answer.headline;
      }
    }
  }
  EXPECT_GE(count, 60U);
}

// Requests of a method whose answers are wrong or destroyed are not tested either.
TEST(Misuse, RequestsDoNotReassure) {
  const std::vector<std::string> wrong = {
      "the methods are copies of the retrained models", "all examples of the methods are shuffled",
      "labels of test are in another order", "the methods answer constantly"};
  std::size_t found = 0;
  for (const Topic& topic : misuses()) {
    for (const Misuse& misuse : topic.cases) {
      if (std::find(wrong.begin(), wrong.end(), misuse.what) == wrong.end()) continue;
      ++found;
      testing::EvidenceFolder folder;
      put_known_evidence(folder, misuse.base);
      misuse.change(folder);
      std::string lines = "row,request\n";
      for (int row = 0; row < 400; ++row) lines += fmt::format("{},r{}\n", row, row / 100);
      folder.put_file("requests.csv", lines);
      const report::Audited audited = report::run_audit(
          folder.path(), {.command = "audit", .options = {.metrics = {"utility"}}});
      ASSERT_TRUE(audited.results.requests);
      ASSERT_EQ(audited.results.requests->methods.size(), kMethods.size());
      for (const result::MethodRequests& method : audited.results.requests->methods) {
        EXPECT_FALSE(method.missing.empty()) << misuse.what;
        for (const result::RequestVerdict& request : method.requests) {
          EXPECT_EQ(request.word, result::RequestWord::not_tested) << misuse.what;
        }
      }
    }
  }
  EXPECT_EQ(found, wrong.size());
}

// Without a mistake the same evidence is judged, so that the table shows what mistakes do.
TEST(Misuse, SoundEvidenceIsJudged) {
  const Answer answer = answer_to(misuses().front().cases.front());
  EXPECT_EQ(answer.words, (std::vector<std::string>{"FORGOTTEN", "TRACES REMAIN"})) << answer.why;
  EXPECT_FALSE(answer.passed) << "one of two methods left traces";
}

TEST(Misuse, PageIsUpToDate) {
  const std::string page = misuse_page();
  if (std::getenv("VESTIGE_WRITE_GOLDEN") != nullptr) write_file(kPage, page);
  EXPECT_EQ(read_file(kPage), page) << "run make misuse";
}

}  // namespace
}  // namespace vestige::misuse
