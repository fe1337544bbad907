// A recipe of the language lab (kind = "language"): texts, split, tokenizer, architecture, stages
// of training, models, methods, and how they are measured. No LibTorch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/base/options.h"

namespace vestige::language {

/// One stage of training: AdamW, warm-up, then half a cosine down to nothing.
struct StageSettings {
  std::int64_t steps = 0;      ///< of pretraining
  double epochs = 3;           ///< of fine-tuning, where steps = 0
  std::int64_t batch = 32;     ///< sequences
  double rate = 1e-3;          ///< the highest
  double warmup = 0.1;         ///< share of the steps
  double weight_decay = 0.01;  ///< of matrices
  double clip = 1;             ///< longest gradient (Euclidean norm)
};
StageSettings read_stage(Options& options, const StageSettings& defaults);

/// Texts to pretrain on.
struct TextSettings {
  std::vector<std::string> paths;  ///< dictd, text or jsonl (data/documents.h)
  std::int64_t documents = 0;      ///< most of them, drawn at random; 0: all
};

/// [data]: what is fine-tuned on, forgotten and tested with.
struct DataSettings {
  std::string kind = "articles";  ///< or "biographies"
  std::string text;               ///< of articles
  std::int64_t words = 60;        ///< of a piece of an article, before it is cut to `tokens`
  std::int64_t tokens = 48;       ///< most tokens of an article, or of each of its pieces
  std::int64_t pieces = 1;     ///< most pieces of `words` words of an article; 0: as many as it has
  std::int64_t perturbed = 3;  ///< wrong answers of a question
};

/// [split]: documents (articles or lives) of each part.
struct SplitSettings {
  std::int64_t forget = 0, retain = 0, test = 0, shadow = 0;
};

/// One kind of network with its tokenizer and its training.
struct LineSettings {
  Json model;  ///< name, width, layers, heads, context
  std::int64_t vocabulary = 1024;
  TextSettings text;
  StageSettings pretrain, finetune;
};

struct PoolSettings {
  std::filesystem::path folder = "pool";
  std::int64_t original = 1, retrained = 2, shadow = 1, partial = 0;
  std::vector<double> partial_shares = {25, 50, 75};  ///< per cent of forget that is left out
};

struct CollectSettings {
  std::int64_t generated = 16;  ///< tokens of a greedy continuation; 0: none
  bool gradient_norms = false;  ///< one backward pass per sequence
  bool lower = true;            ///< the lower-cased text too
  bool paraphrased = false;     ///< right answers in other words; else the answer itself is right
  std::int64_t retain = 0;      ///< most retain sequences; 0: all
};

/// A method with its label and options.
struct MethodSettings {
  std::string name, label;
  Json options;  ///< without name and label
};

/// A probe with its options settled: what an entry of `probes` means (language/probes.h).
struct ProbeSettings {
  std::string name, label;
  Json options;                        ///< in force
  std::vector<std::int64_t> stages{};  ///< steps at which models are kept; empty: at the end
  std::int64_t shown = 0;              ///< forget sequences that it trains on
  double sequences = 0;                ///< seen by steps
};

/// A recipe with one variant's changes.
struct Recipe {
  Json table;
  std::string name = "main";  ///< of the variant
  std::uint64_t seed = 0;
  DataSettings data;
  SplitSettings split;
  LineSettings main, shadow;
  PoolSettings pool;
  CollectSettings collect;
  std::int64_t checkpoints = 0;  ///< of the first original, evenly over its fine-tuning
  std::vector<MethodSettings> methods;
  std::vector<ProbeSettings> probes;
  std::int64_t threads = 1;
  std::string precision = "float32";  ///< or tf32 or bf16, for matrix products on CUDA
  std::vector<std::string> metrics;   ///< of the audit; empty: all
  Json metric_options = Json::object();
};

struct Plan {
  std::filesystem::path path;
  std::string name, size, notes;
  std::vector<Recipe> variants;
  Json checks = Json::array();
};

/// What the command line adds.
struct PlanRequest {
  std::string size{};
  std::vector<std::string> settings{};
  std::string pool{};
};

/// True if the table is a recipe of this lab.
bool is_language(const Json& table);

/// Reads and checks a recipe: unknown keys, sizes, methods and their options are InputErrors.
Plan make_plan(Json table, const std::filesystem::path& path, const PlanRequest& request);

}  // namespace vestige::language
