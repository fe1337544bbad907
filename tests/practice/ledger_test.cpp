// Ledgers: hashes against coreutils' form of them, and every way to spoil one.
#include "vestige/practice/ledger.h"

#include <gtest/gtest.h>

#include <fstream>
#include <span>
#include <thread>

#include "tests/practice/synthetic_results.h"
#include "tests/support.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/seed.h"
#include "vestige/base/sha256.h"

namespace vestige::practice {
namespace {

class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    for (int audit = 0; audit < 4; ++audit) {
      report::Results results = testing::synthetic_results();
      results.run.title = "audit " + std::to_string(audit);
      append_to_ledger(path, results, std::string(64, 'a'));
    }
    text = read_file(path);
  }

  std::string refusal(const std::string& spoilt) const {
    write_unsynced(path, spoilt);
    try {
      read_ledger(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  testing::TemporaryFolder folder;
  std::filesystem::path path = folder / "ledger.jsonl";
  std::string text;
};

TEST_F(LedgerTest, EachLineHasTheHashOfTheOneBefore) {
  const Ledger ledger = read_ledger(path);
  ASSERT_EQ(ledger.entries.size(), 4U);
  EXPECT_EQ(ledger.entries[0]["previous"], std::string(64, '0'));
  std::size_t start = 0;
  for (std::size_t place = 1; place < 4; ++place) {
    const std::size_t end = text.find('\n', start);
    const std::string line = text.substr(start, end - start);
    EXPECT_EQ(ledger.entries[place]["previous"], sha256(std::as_bytes(std::span(line))));
    start = end + 1;
  }
  EXPECT_EQ(ledger.entries[2]["title"], "audit 2");
  // keeps: 0.09 of an original-retrained difference of 0.1.
  EXPECT_NEAR(ledger.entries[0]["verdicts"][0]["marks"][0]["value"].get<double>(), 0.9, 1e-12);
}

// Any byte of any line, the last one included.
TEST_F(LedgerTest, AChangedByteIsFound) {
  Stream stream(1, "ledger test");
  for (int trial = 0; trial < 300; ++trial) {
    std::string spoilt = text;
    const std::size_t place = stream.below(text.size());
    spoilt[place] = static_cast<char>(static_cast<unsigned char>(spoilt[place]) ^
                                      static_cast<unsigned char>(1 + stream.below(255)));
    const std::string sentence = refusal(spoilt);
    ASSERT_NE(sentence, "accepted") << "byte " << place;
    ASSERT_NE(sentence.find("line "), std::string::npos) << sentence;
  }
}

TEST_F(LedgerTest, ALineThatIsRemovedSwappedOrTornIsFound) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end + 1 - start));
    start = end + 1;
  }
  EXPECT_NE(refusal(lines[0] + lines[2] + lines[3]).find("line 2 does not follow line 1"),
            std::string::npos);
  EXPECT_NE(refusal(lines[1] + lines[0]).find("line 1"), std::string::npos);
  EXPECT_NE(refusal(text + lines[3].substr(0, 40)).find("line 5 is incomplete"), std::string::npos);
}

// The chain of hashes is whole without its last line; the head that was printed tells.
TEST_F(LedgerTest, TheHeadOfARemovedLineIsGone) {
  const Ledger whole = read_ledger(path);
  EXPECT_EQ(entry_with_head(whole, whole.head), 4U);
  EXPECT_EQ(entry_with_head(whole, head_at(whole, 2)), 2U);
  const std::size_t end = text.rfind('\n', text.size() - 2);
  EXPECT_EQ(refusal(text.substr(0, end + 1)), "accepted");
  EXPECT_EQ(entry_with_head(read_ledger(path), whole.head), 0U);
  EXPECT_EQ(entry_with_head(read_ledger(path), head_at(whole, 3)), 3U);
}

TEST_F(LedgerTest, EachLineHasMarginsPolicyAndTime) {
  report::Results results = testing::synthetic_results();
  results.run.options = {{"verdict.margin", 0.9}, {"verdict.utility_margin", 0.02}};
  results.gate = result::Gate{.policy = "p.toml", .sha256 = "abc", .passed = true};
  const AddedEntry added = append_to_ledger(path, results, std::string(64, 'b'));
  const Ledger ledger = read_ledger(path);
  EXPECT_EQ(added.entry, 5U);
  EXPECT_EQ(added.head, ledger.head);
  const Json& entry = ledger.entries.back();
  EXPECT_EQ(entry["margin"], 0.9);
  EXPECT_EQ(entry["utility_margin"], 0.02);
  EXPECT_TRUE(entry["smallest_effect"].is_null());
  EXPECT_EQ(entry["policy"], "abc");
  EXPECT_EQ(entry["added"].get<std::string>().size(), 20U);
  EXPECT_NE(ledger_text(ledger, "l").find("margin 90 %"), std::string::npos);
}

TEST_F(LedgerTest, DuplicatesAndTimesOutOfOrderAreNamed) {
  using result::Code;
  using result::reason;
  // The same results four times, measured at the same time.
  EXPECT_EQ(
      ledger_remarks(read_ledger(path)),
      (result::Reasons{reason(Code::ledger_duplicate, 2, 1), reason(Code::ledger_duplicate, 3, 1),
                       reason(Code::ledger_duplicate, 4, 1)}));
  Ledger ledger;
  const auto add = [&ledger](const char* results, const char* started, const char* added) {
    ledger.entries.push_back({{"results", results}, {"started", started}});
    if (added != nullptr) ledger.entries.back()["added"] = added;
  };
  add("a", "2026-01-03T00:00:00Z", nullptr);  // of an earlier version
  add("b", "2026-01-02T00:00:00Z", "2026-01-05T00:00:00Z");
  add("c", "2026-01-06T00:00:00Z", "2026-01-04T00:00:00Z");
  EXPECT_EQ(
      ledger_remarks(ledger),
      (result::Reasons{
          reason(Code::ledger_started_earlier, 2, "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"),
          reason(Code::ledger_added_earlier, 3, "2026-01-04T00:00:00Z", "2026-01-05T00:00:00Z"),
          reason(Code::ledger_added_before_measured, 3, "2026-01-04T00:00:00Z",
                 "2026-01-06T00:00:00Z")}));
}

// As the first version wrote it: no margins, no time of addition.
TEST_F(LedgerTest, OldLinesAreStillRead) {
  Json entry = {{"entry", 1},
                {"previous", std::string(64, '0')},
                {"results", std::string(64, 'a')},
                {"started", "2026-01-01T00:00:00Z"},
                {"title", "old"},
                {"grade", "B"},
                {"gate", nullptr},
                {"verdicts", Json::array()}};
  const std::string body = entry.dump();
  entry["sha256"] = sha256(std::as_bytes(std::span(body)));
  write_file(path, entry.dump() + "\n");
  append_to_ledger(path, testing::synthetic_results(), std::string(64, 'b'));
  const Ledger ledger = read_ledger(path);
  EXPECT_EQ(ledger.entries.size(), 2U);
  EXPECT_NE(ledger_text(ledger, "l").find("margin not stated"), std::string::npos);
  EXPECT_TRUE(ledger_remarks(ledger).empty());
}

TEST_F(LedgerTest, ATornLineIsTakenOffOnlyOnRequest) {
  write_file(path, text + "{\"entry\":5,");
  EXPECT_THROW(append_to_ledger(path, testing::synthetic_results(), ""), InputError);
  EXPECT_EQ(fix_ledger(path), "{\"entry\":5,");
  EXPECT_EQ(read_file(path), text);
  EXPECT_THROW(fix_ledger(path), InputError);
}

TEST_F(LedgerTest, AuditsThatEndAtOnceAllHaveTheirLine) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back(
        [this] { append_to_ledger(path, testing::synthetic_results(), std::string(64, 'b')); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(read_ledger(path).entries.size(), 12U);
}

TEST_F(LedgerTest, VerdictsAreNamedAsInResultsAndShownAsWords) {
  const Ledger ledger = read_ledger(path);
  EXPECT_EQ(ledger.entries[0]["verdicts"][0]["word"], "traces_remain");
  EXPECT_NE(ledger_text(ledger, "l").find("keeps: TRACES REMAIN"), std::string::npos);
}

TEST_F(LedgerTest, ThePageHasAPointPerAuditAndTest) {
  const std::string page = ledger_page(read_ledger(path), "ledger.jsonl");
  std::size_t circles = 0;
  for (std::size_t at = 0; (at = page.find("<circle", at)) != std::string::npos; ++at) ++circles;
  EXPECT_EQ(circles, 8U);  // four audits, two methods, one core test
}

}  // namespace
}  // namespace vestige::practice
