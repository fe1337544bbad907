// The waist: what models said, per model, split and row. Everything that is measured comes from
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/evidence/formats/array.h"

namespace vestige::evidence {

/// What the outputs are. Metrics never see raw outputs: they ask for log-probabilities or logits.
enum class OutputKind { logits, probabilities, log_probabilities };
std::string_view name(OutputKind kind);
/// The kind of that name; logits if there is none.
OutputKind kind_named(std::string_view name);

/// One model: role "original", "retrained", "unlearned", "partial", "checkpoint", "shadow",
/// "random" or "membership"; `method` only for unlearned ("finetune"), partial ("25": per cent of
/// forget removed) and checkpoint ("original.0.5": what was trained, and how far).
struct Model {
  std::string role;
  std::string method;
  std::string name;
  std::map<std::string, Array> outputs;                             ///< split -> [n, C]
  std::map<std::string, std::map<std::string, Array>> activations;  ///< layer -> split -> [n, d]
  std::map<std::string, Array> saliency;                            ///< split -> [n, d]
  std::map<std::string, Array> tokens;  ///< "forget", "forget.offsets", "forget.mean", ...
  std::map<std::string, Array> losses;  ///< "forget" [n], "forget.perturbed" [n, answers], ...
  std::map<std::string, Array> rouge;   ///< split -> [n], ROUGE-L recall by another program
  std::map<std::string, std::vector<std::string>> generated;  ///< split -> one continuation a row
  /// name -> split -> [n]: what a judge or another program says of each example
  std::map<std::string, std::map<std::string, Array>> scores;
  /// split -> prompt -> continuations that were drawn at random, as many for every prompt
  std::map<std::string, std::vector<std::vector<std::string>>> samples;
  /// name -> [n, options]: log-likelihood of every option of a multiple-choice question; labels are
  /// those of the split "choices.NAME"
  std::map<std::string, Array> choices;
  std::map<std::string, Array> members;   ///< split -> [n], 1: trained on the row; membership only
  std::map<std::string, Array> batches;   ///< split -> [n], its fixed batch; -1: not trained on
  std::map<std::string, Array> grad_cam;  ///< split -> [n, h, w] in [0, 1], of the pictures' size
  std::string folder;                     ///< where its files are: "original/pool"
  int stacked = -1;  ///< its place in a stacked pool [k, n, C]; -1: a file of its own

  /// "unlearned/finetune/0", "original/0"
  std::string id() const;
  bool has(std::string_view split) const { return outputs.count(std::string(split)) > 0; }
};

/// All models of one role and method, in name order, or in stacking order for a pool.
struct Group {
  std::string role;
  std::string method;
  std::vector<Model> models;

  /// "unlearned/finetune", "original"
  std::string id() const;
};

/// One file that was read, or one entry of an archive.
struct Input {
  std::string path;  ///< relative to the evidence folder, or the archive's key
  std::string sha256;
  std::vector<std::size_t> shape;
};

struct Evidence {
  std::filesystem::path path;
  OutputKind kind = OutputKind::logits;
  bool kind_declared = false;  ///< evidence.toml said it; otherwise it was detected
  std::size_t classes = 0;     ///< 0 if no model has outputs
  std::vector<Group> groups;   ///< in the order of the roles
  std::map<std::string, std::vector<std::int64_t>> labels;   ///< split -> [n]
  std::map<std::string, std::vector<std::string>> ids;       ///< split -> [n], optional
  std::map<std::string, std::vector<std::int64_t>> digests;  ///< split -> [n], of inputs, optional
  std::map<std::string, std::vector<std::string>> subjects;  ///< split -> [n], optional
  /// split -> [n], optional: what a row is within its class (CIFAR-20's fine labels)
  std::map<std::string, std::vector<std::string>> subclasses;
  std::map<std::string, std::vector<std::string>> text;  ///< split -> one sequence per line
  /// accuracy.json: group id ("original", "finetune") -> split -> one value per model.
  std::map<std::string, std::map<std::string, std::vector<double>>> accuracy;
  std::map<std::string, std::string> pairing;  ///< evidence.toml: unlearned id -> original id
  std::map<std::string, double> seconds;       ///< evidence.toml [seconds]: method or role -> time
  std::map<std::string, double>
      removed_fraction;  ///< partial method name -> share of forget removed
  /// checkpoint method name -> known membership of the training rows in it (IAM's ScoreUI)
  std::map<std::string, double> membership;
  std::map<std::string, Array> pictures;  ///< split -> uint8 [n, h, w] or [n, h, w, c], optional
  /// evidence.toml: forget rows are a random draw from the population that test rows come from
  bool exchangeable = false;
  std::string token_moments;     ///< evidence.toml: "weighted" or "uniform"; empty: not said
  bool sequence_losses = false;  ///< evidence.toml: losses are mean negative log-likelihoods
  /// evidence.toml [scores]: name -> "higher", "lower" or "match"
  std::map<std::string, std::string> score_directions;
  /// evidence.toml [choices]: name -> "chance", "retrained" or "higher"
  std::map<std::string, std::string> choice_goals;
  std::size_t vocabulary = 0;  ///< evidence.toml: tokens that language models know; 0: not said
  std::string notes;
  std::vector<Input> inputs;

  /// nullptr if there is none; `method` is empty for roles without methods.
  const Group* find(std::string_view role, std::string_view method = {}) const;
  /// Every unlearned group, in name order.
  std::vector<const Group*> unlearned() const;
  /// The original that `model` came from: by evidence.toml, else by name; nullptr if none.
  const Model* original_of(const Model& model) const;
  /// Labels of a split, nullptr if none.
  const std::vector<std::int64_t>* find_labels(std::string_view split) const;
  /// Labels of a model's split: labels/<split>.<name> where the model has rows of its own (each
  /// shadow its training rows), else labels/<split>; nullptr if neither exists.
  const std::vector<std::int64_t>* find_labels(const Model& model, std::string_view split) const;
  /// Accuracies of a group on a split from accuracy.json; nullptr if not given.
  const std::vector<double>* find_accuracy(const Group& group, std::string_view split) const;
};

/// Logits, probabilities or log-probabilities? Looks at up to 256 rows spread over the array: rows
/// in [0, 1] that sum to 1, or rows of values <= 0 whose exponentials do; anything else is logits.
OutputKind detect_kind(const Array& outputs);

/// Row `row` of a model's outputs as log-probabilities (natural log), summing to 1 in probability.
void log_probabilities(const Array& outputs, OutputKind kind, std::size_t row,
                       std::span<double> out);

/// All rows as log-probabilities / probabilities, [n, C].
Matrix log_probabilities(const Array& outputs, OutputKind kind);
Matrix probabilities(const Array& outputs, OutputKind kind);

/// Any array of rank >= 2 as an [n, d] matrix of doubles (activations, saliency, raw outputs).
Matrix matrix(const Array& array);

}  // namespace vestige::evidence
