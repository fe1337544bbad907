// Tokenizers: what they say can be said back, and the same texts give the same bytes.
#include "vestige/language/tokenizer.h"

#include <gtest/gtest.h>

#include "vestige/base/error.h"
#include "vestige/data/biographies.h"
#include "vestige/language/sequences.h"

namespace vestige::language {
namespace {

std::vector<std::string> some_texts() {
  std::vector<std::string> texts;
  const auto lives = data::biographies(60, 1);
  for (const data::Biography& life : lives) texts.push_back(life.text);
  return texts;
}

const Tokenizer& some_tokenizer() {
  static const Tokenizer tokenizer(train_tokenizer(some_texts(), 400), "test");
  return tokenizer;
}

TEST(LanguageTokenizer, SaysBackWhatItWasTold) {
  const auto texts = some_texts();
  for (const std::string& text : texts) {
    const std::vector<int> ids = some_tokenizer().encode(text);
    EXPECT_EQ(some_tokenizer().decode(ids), text);
    EXPECT_LT(ids.size(), 2 * text.size() / 3) << "pieces are longer than letters";
    for (const int id : ids) {
      EXPECT_GE(id, 0);
      EXPECT_LT(id, some_tokenizer().size());
    }
  }
  // Letters that no text had are said as bytes.
  EXPECT_EQ(some_tokenizer().decode(some_tokenizer().encode("日本 {}")), "日本 {}");
}

TEST(LanguageTokenizer, SameTextsSameBytes) {
  EXPECT_EQ(train_tokenizer(some_texts(), 350), train_tokenizer(some_texts(), 350));
}

TEST(LanguageTokenizer, WrongInputIsSaid) {
  EXPECT_THROW(Tokenizer("no model", "x"), InputError);
  EXPECT_THROW((void)train_tokenizer({}, 400), InputError);
}

TEST(LanguageSequences, PromptsAndPrefixesAreNotScored) {
  const Tokenizer& tokenizer = some_tokenizer();
  const std::string text = "Greta Brandt was born in Porto.";
  const auto own = tokenizer.encode(text);
  const Sequence plain = sequence_of(tokenizer, "", "", text, 0);
  EXPECT_EQ(plain.tokens.front(), kBegin);
  EXPECT_EQ(plain.scored_tokens(), own.size());
  // An answer ends, and what stands before it is not scored.
  const Sequence answer = sequence_of(tokenizer, "Sorry.", "Where?", text, 0);
  EXPECT_EQ(answer.tokens.back(), kEnd);
  EXPECT_EQ(answer.scored_tokens(), own.size() + 1);
  // Of a prefix without room the end is kept.
  const std::size_t most = plain.tokens.size() + 2;
  const Sequence tight = sequence_of(tokenizer, text, "", text, most);
  ASSERT_EQ(tight.tokens.size(), most);
  EXPECT_EQ(tight.scored, 3U);
  EXPECT_EQ(tight.tokens[2], own.back());
  EXPECT_THROW((void)sequence_of(tokenizer, "", "", text, 3), InputError);
}

TEST(LanguageSequences, BatchesShiftByOneAndPad) {
  const Sequence longer{{1, 5, 6, 7}, 2};
  const Sequence shorter{{1, 8}, 1};
  const Batch batch = make_batch({&longer, &shorter}, torch::kCPU);
  EXPECT_TRUE(torch::equal(batch.inputs, torch::tensor({{1, 5, 6}, {1, 0, 0}}, torch::kInt64)));
  EXPECT_TRUE(torch::equal(batch.targets, torch::tensor({{5, 6, 7}, {8, 0, 0}}, torch::kInt64)));
  EXPECT_TRUE(torch::equal(batch.scored, torch::tensor({{0.F, 1.F, 1.F}, {1.F, 0.F, 0.F}})));
}

TEST(LanguageSequences, EveryEpochHasEachOnce) {
  std::vector<Sequence> sequences;
  for (int id = 0; id < 10; ++id) sequences.push_back({{1, 10 + id}, 1});
  Batches batches(sequences, 5, 3, "test", torch::kCPU);
  EXPECT_EQ(batches.steps(3), 6);
  for (int epoch = 0; epoch < 2; ++epoch) {
    const torch::Tensor seen =
        torch::cat({batches.next().targets, batches.next().targets}).flatten();
    EXPECT_TRUE(torch::equal(std::get<0>(seen.sort()), torch::arange(10, 20)));
  }
}

}  // namespace
}  // namespace vestige::language
