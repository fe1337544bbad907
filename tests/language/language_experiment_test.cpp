// A whole experiment with tiny language models: from texts to evidence that an audit reads.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/experiment/tiny_experiment.h"
#include "vestige/base/file.h"
#include "vestige/data/biographies.h"
#include "vestige/evidence/reader.h"
#include "vestige/evidence/tokens.h"
#include "vestige/language/experiment.h"
#include "vestige/language/models.h"
#include "vestige/language/network.h"
#include "vestige/pool/store.h"
#include "vestige/train/recipe.h"
#include "vestige/words/words.h"

namespace vestige::language {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

/// Two files of invented lives: one to pretrain on, one of articles.
void write_texts(const fs::path& folder) {
  std::string text, articles;
  const auto lives = data::biographies(260, 5);
  for (std::size_t i = 0; i < lives.size(); ++i) {
    (i < 160 ? text : articles) += lives[i].text + "\n";
  }
  write_file(folder / "text.txt", text);
  write_file(folder / "articles.txt", articles);
}

Json tiny_language(const fs::path& folder, const std::string& more = "") {
  return parse_toml(
      fmt::format(
          "kind = 'language'\nname = 'tiny'\nseed = 1\n"
          "data = {{kind = 'articles', text = '{0}/articles.txt', words = 20, tokens = 20}}\n"
          "split = {{forget = 12, retain = 16, test = 12, shadow = 10}}\n"
          "tokenizer = {{vocabulary = 400}}\n"
          "model = {{name = 'gpt', width = 16, layers = 2, heads = 2, context = 96}}\n"
          "pretrain = {{text = ['{0}/text.txt'], steps = 6, batch = 8, rate = 3e-3}}\n"
          "finetune = {{epochs = 4, batch = 8, rate = 3e-3, checkpoints = 2}}\n"
          "shadow = {{model = {{name = 'lstm', width = 12}}, tokenizer = {{vocabulary = "
          "350}}}}\n"
          "pool = {{original = 1, retrained = 2, shadow = 1, partial = 1, partial_shares = "
          "[50]}}\n"
          "collect = {{generated = 4, gradient_norms = true}}\n"
          "methods = [{{name = 'npo', epochs = 1}}, {{name = 'refusal'}}]\n"
          "bench = {{metrics = ['lm']}}\n{1}",
          folder.string(), more),
      "tiny.toml");
}

ExperimentSettings settings_in(const TemporaryFolder& folder, Json recipe) {
  ExperimentSettings settings;
  settings.path = "tiny.toml";
  settings.recipe = std::move(recipe);
  settings.request.pool = (folder / "pool").string();
  settings.out = (folder / "out").string();
  settings.command = "the test";
  settings.quiet = true;
  return settings;
}

int conducted(const ExperimentSettings& settings) {
  // What is printed is given back even where an error leaves here.
  struct Silence {
    Silence() { ::testing::internal::CaptureStdout(); }
    ~Silence() { ::testing::internal::GetCapturedStdout(); }
  } silence;
  return conduct(settings, testing::alone());
}

TEST(LanguageExperiment, GoesFromTextsToAnAudit) {
  const TemporaryFolder folder;
  write_texts(folder.path());
  const ExperimentSettings settings = settings_in(folder, tiny_language(folder.path()));
  ASSERT_EQ(conducted(settings), 0);
  const fs::path evidence = folder / "out/evidence/main-1";
  const evidence::Reading reading = evidence::load(evidence, true);
  for (const evidence::Finding& finding : reading.findings) {
    EXPECT_NE(finding.severity, evidence::Severity::error) << words::text(finding.reason);
    EXPECT_NE(finding.code, "W-NOT-READ") << finding.file;
  }
  // Every array of every model, and as many sequences as the split has.
  for (const char* model :
       {"original/0", "retrained/0", "retrained/1", "partial/50/0", "unlearned/npo/0",
        "unlearned/refusal/0", "checkpoint/original.5/0", "checkpoint/original.9/0"}) {
    for (const char* array :
         {"forget", "forget.offsets", "forget.rank", "forget.mean", "forget.std", "forget.entropy",
          "forget.lower", "forget.gradnorm", "retain", "test"}) {
      EXPECT_TRUE(fs::exists(evidence / model / "tokens" / (std::string(array) + ".npy")))
          << model << " " << array;
    }
    EXPECT_TRUE(fs::exists(evidence / model / "generated/forget.txt")) << model;
  }
  EXPECT_TRUE(fs::exists(evidence / "shadow/0/tokens/forget.npy"));
  const Json results = Json::parse(read_file(folder / "out/results.json"));
  bool seen = false;
  for (const Json& row : results.at("results")) {
    seen = seen || (row.at("metric") == "lm.iam.auc" && row.at("value").is_number());
  }
  EXPECT_TRUE(seen) << "IAM needs original, shadow and retain";
  EXPECT_FALSE(results.at("verdicts").empty());
  // The prefix left the weights alone, and what it says is another thing.
  EXPECT_NE(read_file(evidence / "original/0/tokens/forget.npy"),
            read_file(evidence / "unlearned/refusal/0/tokens/forget.npy"));
}

// The IAM paper's shadow is a pretrained model (5.6): with 0 epochs the weights stay as they were.
TEST(LanguageExperiment, AShadowMayBeThePretrainedModel) {
  const TemporaryFolder folder;
  write_texts(folder.path());
  Json recipe = tiny_language(folder.path());
  recipe["pool"] = {{"original", 1}, {"retrained", 1}, {"shadow", 1}, {"partial", 0}};
  recipe["methods"] = Json::array();
  for (const bool tuned : {true, false}) {
    if (!tuned) recipe["shadow"]["finetune"] = {{"epochs", 0}};
    ExperimentSettings settings = settings_in(folder, recipe);
    const std::string name = tuned ? "tuned" : "pretrained";
    settings.request.pool = (folder / ("pool-" + name)).string();
    settings.out = (folder / ("out-" + name)).string();
    ASSERT_EQ(conducted(settings), 0);
    std::map<std::string, std::string> weights;
    const pool::Store store(folder / ("pool-" + name));
    for (const pool::Entry& entry : store.entries()) {
      if (entry.label != "shadow/0" && entry.label != "pretrained/shadow.0") continue;
      weights[entry.label] = store.read(entry.name, "model.safetensors");
    }
    ASSERT_TRUE(weights.contains("shadow/0") && weights.contains("pretrained/shadow.0"));
    EXPECT_EQ(weights["shadow/0"] == weights["pretrained/shadow.0"], !tuned);
  }
}

// A killed run leaves some of the pool: the rest, made later, is the same to the byte.
TEST(LanguageExperiment, ResumesToTheSameBytes) {
  const TemporaryFolder folder;
  write_texts(folder.path());
  const Json recipe =
      tiny_language(folder.path(), "probes = ['noise', {name = 'relearn', rows = 3, steps = [2]}]");
  ASSERT_EQ(conducted(settings_in(folder, recipe)), 0);
  std::map<std::string, std::string> before;
  const fs::path evidence = folder / "out/evidence/main-1";
  for (const auto& entry : fs::recursive_directory_iterator(evidence)) {
    if (entry.is_regular_file()) before[entry.path().string()] = read_file(entry.path());
  }
  const Plan plan = make_plan(recipe, "tiny.toml", {});
  const auto variant = open_variant(plan.variants.front(), "cpu", "tiny.toml");
  for (std::size_t index = 0; index < variant->items.size(); index += 2) {
    fs::remove_all(folder / "pool" / variant->items[index].identity.name());
  }
  fs::remove_all(evidence);
  ASSERT_EQ(conducted(settings_in(folder, recipe)), 0);
  for (const auto& [path, bytes] : before) EXPECT_EQ(read_file(path), bytes) << path;
}

TEST(LanguageExperiment, ProbesTreatAllModelsAlike) {
  const TemporaryFolder folder;
  write_texts(folder.path());
  Json recipe = tiny_language(
      folder.path(),
      "probes = ['int4', {name = 'relearn', rows = 3, steps = [1, 2]}, {name = 'prune', label = "
      "'half', share = 0.5}]");
  recipe["bench"]["metrics"] = {"lm", "returns"};
  ASSERT_EQ(conducted(settings_in(folder, recipe)), 0);
  const fs::path evidence = folder / "out/evidence/main-1";
  for (const evidence::Finding& finding : evidence::load(evidence, true).findings) {
    EXPECT_NE(finding.code, "W-NOT-READ") << finding.file;
  }
  std::string members;
  for (const char* model :
       {"original/0", "retrained/0", "retrained/1", "unlearned/npo/0", "unlearned/refusal/0"}) {
    for (const char* probe : {"int4", "half", "relearn.1", "relearn.2"}) {
      const fs::path own = evidence / "probed" / probe / model;
      for (const char* split : {"forget", "test"}) {
        ASSERT_TRUE(fs::exists(own / "tokens" / (std::string(split) + ".npy"))) << own;
      }
      // The model changed, and a prefix speaks from the treated original.
      EXPECT_NE(read_file(own / "tokens/forget.npy"),
                read_file(evidence / model / "tokens/forget.npy"))
          << own;
      if (!std::string(probe).starts_with("relearn")) continue;
      const std::string marked = read_file(own / "members/forget.npy");
      if (members.empty()) members = marked;
      EXPECT_EQ(marked, members) << "the same sequences are shown to all";
    }
  }
  // int4 has 15 numbers in each row of a matrix, and half of all weights are 0 after pruning.
  const Plan plan = make_plan(recipe, "tiny.toml", {});
  const auto variant = open_variant(plan.variants.front(), "cpu", "tiny.toml");
  const pool::Store store(folder / "pool");
  for (const Item& item : variant->items) {
    if (item.stage != Stage::probed || item.probe.name == "relearn") continue;
    const auto network =
        make_network(plan.variants.front().main.model,
                     store.find(item.tokenizer)->facts.at("pieces").get<std::int64_t>(), {});
    network->load(store.read(item.identity.name(), "model.safetensors"), "the pool");
    double zeros = 0, all = 0;
    for (const auto& [name, weight] : network->weights()) {
      if (weight.dim() != 2) continue;
      zeros += static_cast<double>((weight == 0).sum().item<std::int64_t>());
      all += static_cast<double>(weight.numel());
      if (item.probe.name != "int4") continue;
      for (std::int64_t row = 0; row < weight.size(0); ++row) {
        EXPECT_LE(std::get<0>(at::_unique(weight[row].detach())).numel(), 15) << name;
      }
    }
    if (item.probe.label != "half") continue;
    EXPECT_NEAR(zeros / all, 0.5, 1e-3);
  }
  const Json results = Json::parse(read_file(folder / "out/results.json"));
  std::set<std::string> measured;
  for (const Json& row : results.at("results")) {
    if (row.at("metric") == "returns.share")
      measured.insert(row.at("settings").at("recovery_test"));
  }
  EXPECT_TRUE(measured.contains("int4") && measured.contains("relearn.2")) << "returns is measured";
}

TEST(LanguageExperiment, QuestionsHaveRightAndWrongAnswers) {
  const TemporaryFolder folder;
  write_texts(folder.path());
  Json recipe = tiny_language(folder.path());
  recipe["data"] = {{"kind", "biographies"}};
  recipe["split"] = {{"forget", 4}, {"retain", 6}, {"test", 4}, {"shadow", 2}};
  recipe["model"]["context"] = 128;
  recipe["methods"] = Json::array();
  ASSERT_EQ(conducted(settings_in(folder, recipe)), 0);
  const Json results = Json::parse(read_file(folder / "out/results.json"));
  std::set<std::string> measured;
  for (const Json& row : results.at("results")) {
    if (row.at("value").is_number()) measured.insert(row.at("metric").get<std::string>());
  }
  for (const char* id :
       {"lm.truth_ratio.forget", "lm.utility", "lm.rouge_l.recall.forget", "lm.ks.truth_ratio.p"}) {
    EXPECT_TRUE(measured.contains(id)) << id;
  }
  // Five questions a life, which are forgotten together: the evidence says whose each row is.
  const auto folders = std::filesystem::directory_iterator(folder / "out/evidence");
  const evidence::Evidence written = evidence::load(folders->path()).evidence;
  std::set<std::string> everybody;
  for (const auto& [split, lives] :
       std::map<std::string, std::size_t>{{"forget", 4}, {"retain", 6}, {"test", 4}}) {
    std::map<std::string, int> rows;
    for (const std::string& person : written.subjects.at(split)) ++rows[person];
    EXPECT_EQ(rows.size(), lives) << split;
    for (const auto& [person, count] : rows) EXPECT_EQ(count, 5) << split;
    for (const auto& [person, count] : rows) EXPECT_TRUE(everybody.insert(person).second) << split;
  }
}

TEST(LanguageRecipe, MistakesAreSaidBeforeAnyWork) {
  const TemporaryFolder folder;
  write_texts(folder.path());
  const auto error = [&](const std::string& change) {
    Json recipe = tiny_language(folder.path());
    set_option(recipe, change);
    return testing::error_of([&] {
      const Plan plan = make_plan(recipe, "tiny.toml", {});
      (void)open_variant(plan.variants.front(), "cpu", "tiny.toml");
    });
  };
  EXPECT_NE(error("split.forget=500").find("take fewer"), std::string::npos);
  EXPECT_NE(error("model.heads=3").find("divisor"), std::string::npos);
  EXPECT_NE(error("finetune.ratte=1").find("rate"), std::string::npos);
  EXPECT_NE(error("finetune.epochs=0").find("it must be above 0"), std::string::npos);
  EXPECT_NE(error("shadow.finetune.epochs=-1").find("must not be negative"), std::string::npos);
  EXPECT_NE(error("data.text=nowhere.txt").find("nowhere.txt"), std::string::npos);
  EXPECT_NE(error("methods=[{name='npoo'}]").find("npo"), std::string::npos);
  EXPECT_NE(error("probes=['int3']").find("did you mean 'int"), std::string::npos);
  EXPECT_NE(error("probes=['noise', 'noise']").find("give one a label"), std::string::npos);
  EXPECT_NE(error("probes=[{name='relearn', rows=11}]").find("at least two"), std::string::npos);
  EXPECT_NE(error("pool.partial_shares=[0]").find("partial_shares"), std::string::npos);
  // Verbs of image models say whose recipe it is.
  EXPECT_NE(testing::error_of([&] {
              (void)train::make_recipe(tiny_language(folder.path()), "tiny.toml");
            }).find("vestige bench alone runs"),
            std::string::npos);
  EXPECT_NE(testing::error_of([&] {
              (void)make_plan(tiny_language(folder.path()), "tiny.toml", {.size = "huge"});
            }).find("no size 'huge'"),
            std::string::npos);
}

// Articles of 50 words in pieces of 20: 20, 20 and the last 10, which are half of a piece; what is
// forgotten is forgotten whole, and the evidence says which rows belong together.
TEST(LanguageCorpus, CutsArticlesIntoPiecesThatStayTogether) {
  const TemporaryFolder folder;
  write_texts(folder.path());
  std::string articles;
  for (int article = 0; article < 60; ++article) {
    for (int word = 0; word < 50; ++word) articles += fmt::format("w{}x{} ", article, word);
    articles += "\n";
  }
  write_file(folder / "articles.txt", articles);
  for (const auto& [pieces, rows] : std::map<int, std::size_t>{{1, 1}, {2, 2}, {0, 3}, {9, 3}}) {
    Json recipe = tiny_language(folder.path());
    recipe["data"]["pieces"] = pieces;
    const Corpus corpus = read_corpus(make_plan(recipe, "tiny.toml", {}).variants.front());
    std::map<std::string, std::string> part_of;
    for (const auto& [name, passages] : corpus.parts) {
      for (const Passage& passage : passages) {
        EXPECT_EQ(part_of.try_emplace(passage.document, name).first->second, name);
      }
    }
    EXPECT_EQ(corpus.part("forget").size(), 12 * rows) << pieces;
    EXPECT_EQ(part_of.size(), 50U) << pieces;
  }
  Json recipe = tiny_language(folder.path());
  recipe["data"]["pieces"] = -1;
  EXPECT_NE(testing::error_of([&] { (void)make_plan(recipe, "tiny.toml", {}); }).find("pieces"),
            std::string::npos);
}

// A forgotten document is forgotten whole, and no document is in two parts.
TEST(LanguageCorpus, DealsOutWholeDocuments) {
  const TemporaryFolder folder;
  write_texts(folder.path());
  Json recipe = tiny_language(folder.path());
  recipe["data"] = {{"kind", "biographies"}};
  const Plan plan = make_plan(recipe, "tiny.toml", {});
  const Corpus corpus = read_corpus(plan.variants.front());
  std::map<std::string, std::string> part_of;
  for (const auto& [name, passages] : corpus.parts) {
    for (const Passage& passage : passages) {
      const auto [place, fresh] = part_of.try_emplace(passage.document, name);
      EXPECT_EQ(place->second, name) << passage.document;
    }
  }
  EXPECT_EQ(corpus.part("forget").size(), 12U * 5) << "five questions a life";
  // Half of the forgotten documents for partial/50.
  const auto variant = open_variant(plan.variants.front(), "cpu", "tiny.toml");
  for (const Item& item : variant->items) {
    if (item.stage == Stage::tuned && item.place == "partial/50/0") {
      EXPECT_EQ(item.rows.size(), 6U * 5);
    }
    if (item.stage == Stage::tuned && item.place == "retrained/0") {
      EXPECT_TRUE(item.rows.empty());
    }
  }
}

}  // namespace
}  // namespace vestige::language
