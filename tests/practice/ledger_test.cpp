// Ledgers: hashes against coreutils' form of them, and every way to spoil one.
#include "vestige/practice/ledger.h"

#include <gtest/gtest.h>

#include <fstream>
#include <span>
#include <thread>

#include "tests/practice/made_up_results.h"
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
      report::Results results = testing::made_up_results();
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
  // keeps: 0.09 of a room of 0.1.
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
  EXPECT_NE(refusal(text + lines[3].substr(0, 40)).find("line 5 is torn"), std::string::npos);
}

TEST_F(LedgerTest, ATornLineIsTakenOffOnlyOnRequest) {
  write_file(path, text + "{\"entry\":5,");
  EXPECT_THROW(append_to_ledger(path, testing::made_up_results(), ""), InputError);
  EXPECT_EQ(mend_ledger(path), "{\"entry\":5,");
  EXPECT_EQ(read_file(path), text);
  EXPECT_THROW(mend_ledger(path), InputError);
}

TEST_F(LedgerTest, AuditsThatEndAtOnceAllHaveTheirLine) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back(
        [this] { append_to_ledger(path, testing::made_up_results(), std::string(64, 'b')); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(read_ledger(path).entries.size(), 12U);
}

TEST_F(LedgerTest, ThePageHasAPointPerAuditAndTest) {
  const std::string page = ledger_page(read_ledger(path), "ledger.jsonl");
  std::size_t circles = 0;
  for (std::size_t at = 0; (at = page.find("<circle", at)) != std::string::npos; ++at) ++circles;
  EXPECT_EQ(circles, 8U);  // four audits, two methods, one core test
}

}  // namespace
}  // namespace vestige::practice
