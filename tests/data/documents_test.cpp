// Texts of every form, and invented lives.
#include "vestige/data/documents.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <set>

#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/data/biographies.h"

namespace vestige::data {
namespace {

using vestige::testing::error_of;
using vestige::testing::holds;
using vestige::testing::TemporaryFolder;

void write_gzip(const std::filesystem::path& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  gzclose(file);
}

TEST(Documents, LinesFoldersAndJsonLines) {
  const TemporaryFolder folder;
  write_file(folder / "lines.txt", "one two\r\n\n  \nthree\n");
  const std::vector<Document> lines = read_documents(folder / "lines.txt");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text, "one two");
  EXPECT_EQ(lines[1].name, "lines.txt:4");
  std::filesystem::create_directories(folder / "all/b");
  write_file(folder / "all/z.txt", "last\nlines\n");
  write_file(folder / "all/b/a.txt", "first");
  write_file(folder / "all/skip.md", "no");
  const std::vector<Document> files = read_documents(folder / "all");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].name, "b/a.txt");
  EXPECT_EQ(files[1].text, "last\nlines\n");
  write_file(folder / "some.jsonl", "{\"text\": \"a\\nb\", \"id\": 1}\n{\"text\": \"\"}\n");
  const std::vector<Document> objects = read_documents(folder / "some.jsonl");
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_EQ(objects[0].text, "a\nb");
}

TEST(Documents, FaultsNameFileAndLine) {
  const TemporaryFolder folder;
  write_file(folder / "empty.txt", "\n");
  EXPECT_TRUE(holds(error_of([&] { read_text(folder / "empty.txt"); }), {"empty.txt", "no text"}));
  EXPECT_TRUE(holds(error_of([&] { read_text(folder / "missing"); }), {"missing", "no such file"}));
  write_file(folder / "bad.jsonl", "{\"text\": \"a\"}\nnot json\n");
  EXPECT_TRUE(
      holds(error_of([&] { read_jsonl(folder / "bad.jsonl"); }), {"line 2", "JSON object"}));
  EXPECT_TRUE(
      holds(error_of([&] { read_jsonl(folder / "bad.jsonl", "body"); }), {"line 1", "\"body\""}));
}

TEST(Documents, DictionariesOfDictd) {
  // In base 64, A is 0, B 1, G 6, K 10, BA 64.
  const TemporaryFolder folder;
  write_gzip(folder / "small.dict.dz",
             "header"
             "alpha text"
             "beta");
  write_file(folder / "small.index",
             "00-database-info\tA\tG\nalpha\tG\tK\nalso alpha\tG\tK\nbeta\tQ\tE\n");
  for (const char* name : {"small", "small.index"}) {
    const std::vector<Document> articles = read_documents(folder / name);
    ASSERT_EQ(articles.size(), 2u);
    EXPECT_EQ(articles[0].name, "alpha");
    EXPECT_EQ(articles[0].text, "alpha text");
    EXPECT_EQ(articles[1].text, "beta");
  }
  write_file(folder / "small.index", "beta\tQ\tBA\n");
  EXPECT_TRUE(holds(error_of([&] { read_dictd(folder / "small"); }),
                    {"line 1", "beta", "byte 80", "has 20"}));
  write_file(folder / "small.index", "beta\tQ\t?\n");
  EXPECT_TRUE(holds(error_of([&] { read_dictd(folder / "small"); }), {"line 1", "no number"}));
  write_file(folder / "small.index", "beta\n");
  EXPECT_TRUE(holds(error_of([&] { read_dictd(folder / "small"); }), {"line 1", "tabs"}));
  std::filesystem::remove(folder / "small.dict.dz");
  EXPECT_TRUE(holds(error_of([&] { read_dictd(folder / "small"); }), {"small.dict.dz"}));
}

TEST(Documents, PiecesKeepTheirDocument) {
  const std::vector<Document> documents = {{"a", "1 2 3  4\n5"}, {"b", "6"}, {"c", "7 8"}};
  const Pieces pieces = cut_documents(documents, 2, 10);
  // "5" is half of two words, "6" likewise.
  EXPECT_EQ(pieces.texts, (std::vector<std::string>{"1 2", "3 4", "5", "6", "7 8"}));
  EXPECT_EQ(pieces.of, (std::vector<std::size_t>{0, 0, 0, 1, 2}));
  EXPECT_EQ(cut_documents(documents, 3, 1).texts, (std::vector<std::string>{"1 2 3", "7 8"}));
}

TEST(Biographies, EveryFactIsAskedInThreeForms) {
  const std::vector<Biography> lives = biographies(200, 1, 3);
  std::set<std::string> names;
  for (const Biography& life : lives) {
    names.insert(life.name);
    EXPECT_EQ(life.questions.size(), 5u);
    for (const Question& question : life.questions) {
      EXPECT_NE(question.question.find(life.name), std::string::npos);
      EXPECT_NE(life.text.find(question.answer), std::string::npos);
      EXPECT_NE(question.paraphrased, question.answer);
      std::set<std::string> answers(question.perturbed.begin(), question.perturbed.end());
      answers.insert(question.answer);
      EXPECT_EQ(answers.size(), 4u) << question.answer;
      for (const std::string& answer : answers) {
        EXPECT_NE(answer.find(life.name), std::string::npos);
      }
    }
  }
  EXPECT_EQ(names.size(), 200u);
}

TEST(Biographies, DependOnTheSeedAndNotOnTheirNumber) {
  const auto facts = [](const Biography& life) { return life.questions[0].perturbed; };
  const std::vector<Biography> few = biographies(3, 1);
  const std::vector<Biography> more = biographies(50, 1);
  EXPECT_EQ(few[2].text, more[2].text);
  EXPECT_EQ(facts(few[2]), facts(more[2]));
  EXPECT_NE(biographies(3, 2)[2].text, few[2].text);
  EXPECT_EQ(biographies(most_biographies(), 1).size(), 1600u);
  EXPECT_TRUE(holds(error_of([] { biographies(1601, 1); }), {"1601", "1600"}));
  EXPECT_TRUE(holds(error_of([] { biographies(1, 1, 8); }), {"8 wrong answers", "at most 7"}));
}

}  // namespace
}  // namespace vestige::data
