// Listing the models of a variant.
#include "vestige/language/models.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/language/network.h"
#include "vestige/language/probes.h"
#include "vestige/language/registry.h"

namespace vestige::language {
namespace {

/// Raised when the same settings give other weights or answers than before.
constexpr int kCodeVersion = 1;

Json stage_json(const StageSettings& stage) {
  return {{"steps", stage.steps}, {"epochs", stage.epochs}, {"batch", stage.batch},
          {"rate", stage.rate},   {"warmup", stage.warmup}, {"weight_decay", stage.weight_decay},
          {"clip", stage.clip}};
}

std::uint64_t seed_of(std::uint64_t seed, const std::string& purpose, std::int64_t index) {
  return Stream(seed, "language/models/" + purpose, static_cast<std::uint64_t>(index))() >> 16;
}

/// Adds items one after the other.
class Lister {
 public:
  explicit Lister(Variant& variant) : variant_(variant), recipe_(variant.recipe) {}

  void list() {
    main_ = line(recipe_.main, variant_.main_text, false, 0);
    const auto all = forget_rows(1);
    for (std::int64_t index = 0; index < recipe_.pool.original; ++index) {
      Item original =
          tuned("original", index, all, index == 0 ? steps() : std::vector<std::int64_t>());
      originals_.push_back(original);
      add(original);
    }
    for (std::int64_t index = 0; index < recipe_.pool.retrained; ++index) {
      add(tuned("retrained", index, {}, {}));
    }
    for (const double share : recipe_.pool.partial_shares) {
      for (std::int64_t index = 0; index < recipe_.pool.partial; ++index) {
        add(tuned(fmt::format("partial/{:g}", share), index, forget_rows(1 - share / 100), {}));
      }
    }
    shadows();
    for (const MethodSettings& method : recipe_.methods) run_method(method);
    ask_all();
    for (const ProbeSettings& probe : recipe_.probes) run_probe(probe);
  }

 private:
  struct Line {
    std::string tokenizer, pretrained;
  };

  Json common() const {
    return {{"code", kCodeVersion},
            {"device", variant_.device},
            {"threads", recipe_.threads},
            {"precision", recipe_.precision},
            {"dataset", recipe_.data.kind}};
  }

  void add(Item item) { variant_.items.push_back(std::move(item)); }

  Line line(const LineSettings& settings, const std::string& text, bool shadow,
            std::int64_t index) {
    Item tokenizer{.stage = Stage::tokenizer, .shadow = shadow};
    tokenizer.identity = {fmt::format("tokenizer/{}", shadow ? "shadow" : "main"),
                          {{"kind", "language/tokenizer"},
                           {"code", kCodeVersion},
                           {"text", text},
                           {"vocabulary", settings.vocabulary}}};
    const std::string name = tokenizer.identity.name();
    if (index == 0) add(tokenizer);
    Item pretrained{.stage = Stage::pretrained, .shadow = shadow, .tokenizer = name};
    pretrained.seed = seed_of(recipe_.seed, shadow ? "shadow" : "pretrained", index);
    Json what = common();
    what.erase("dataset");
    what.update({{"kind", "language/pretrained"},
                 {"tokenizer", name},
                 {"text", text},
                 {"model", settings.model},
                 {"stage", stage_json(settings.pretrain)},
                 {"seed", pretrained.seed}});
    pretrained.identity = {fmt::format("pretrained/{}{}", shadow ? "shadow." : "", index), what};
    add(pretrained);
    return {name, pretrained.identity.name()};
  }

  /// Steps of the original's fine-tuning after which its weights are kept.
  std::vector<std::int64_t> steps() const {
    const StageSettings& stage = recipe_.main.finetune;
    const auto rows = static_cast<double>(variant_.corpus.part("forget").size() +
                                          variant_.corpus.part("retain").size());
    const double all = std::max(
        1.0, std::round(stage.epochs * rows / std::min(static_cast<double>(stage.batch), rows)));
    std::vector<std::int64_t> result;
    for (std::int64_t part = 1; part <= recipe_.checkpoints; ++part) {
      const std::int64_t step = std::llround(all * static_cast<double>(part) /
                                             static_cast<double>(recipe_.checkpoints + 1));
      if (step > 0 && (result.empty() || result.back() != step)) result.push_back(step);
    }
    return result;
  }

  /// A random share of the forget rows, by document; the same for every model.
  std::vector<std::size_t> forget_rows(double share) const {
    const auto& forget = variant_.corpus.part("forget");
    std::vector<std::string> documents;
    for (const Passage& passage : forget) {
      if (documents.empty() || documents.back() != passage.document) {
        documents.push_back(passage.document);
      }
    }
    const auto count =
        static_cast<std::size_t>(std::llround(share * static_cast<double>(documents.size())));
    std::vector<std::size_t> order =
        Stream(recipe_.seed, "language/partial").permutation(documents.size());
    std::vector<bool> kept(documents.size());
    for (std::size_t place = 0; place < count; ++place) kept[order[place]] = true;
    std::vector<std::size_t> rows;
    std::size_t document = 0;
    for (std::size_t row = 0; row < forget.size(); ++row) {
      if (row > 0 && forget[row].document != forget[row - 1].document) ++document;
      if (kept[document]) rows.push_back(row);
    }
    return rows;
  }

  Item tuned(const std::string& role, std::int64_t index, const std::vector<std::size_t>& rows,
             const std::vector<std::int64_t>& checkpoints) const {
    Item item{.stage = Stage::tuned,
              .tokenizer = main_.tokenizer,
              .start = main_.pretrained,
              .rows = rows,
              .seed = seed_of(recipe_.seed, role, index),
              .checkpoints = checkpoints,
              .place = fmt::format("{}/{}", role, index)};
    Json what = common();
    what.update({{"kind", "language/tuned"},
                 {"start", item.start},
                 {"model", recipe_.main.model},
                 {"corpus", variant_.corpus.sha256},
                 {"tokens", recipe_.data.tokens},
                 {"forget", rows},
                 {"stage", stage_json(recipe_.main.finetune)},
                 {"checkpoints", checkpoints},
                 {"seed", item.seed}});
    item.identity = {item.place, what};
    return item;
  }

  void shadows() {
    for (std::int64_t index = 0; index < recipe_.pool.shadow; ++index) {
      const Line own = line(recipe_.shadow, variant_.shadow_text, true, index);
      Item item{.stage = Stage::tuned,
                .shadow = true,
                .tokenizer = own.tokenizer,
                .start = own.pretrained,
                .seed = seed_of(recipe_.seed, "shadow tuned", index),
                .place = fmt::format("shadow/{}", index)};
      Json what = common();
      what.update({{"kind", "language/tuned"},
                   {"role", "shadow"},
                   {"start", item.start},
                   {"model", recipe_.shadow.model},
                   {"corpus", variant_.corpus.sha256},
                   {"cut", main_.tokenizer},
                   {"tokens", recipe_.data.tokens},
                   {"stage", stage_json(recipe_.shadow.finetune)},
                   {"seed", item.seed}});
      item.identity = {item.place, what};
      add(item);
    }
  }

  void run_method(const MethodSettings& method) {
    const Json options = options_in_force(method, variant_.recipe.name);
    for (std::size_t index = 0; index < originals_.size(); ++index) {
      const Item& original = originals_[index];
      Item item{.stage = Stage::unlearned,
                .tokenizer = main_.tokenizer,
                .start = original.identity.name(),
                .pretrained = main_.pretrained,
                .seed = seed_of(recipe_.seed, "method", static_cast<std::int64_t>(index)),
                .method = method,
                .options = options,
                .place = fmt::format("unlearned/{}/{}", method.label, index)};
      if (is_prefix(method.name)) {
        prefixed_.push_back(item);
        continue;
      }
      Json what = common();
      what.update({{"kind", "language/unlearned"},
                   {"start", item.start},
                   {"model", recipe_.main.model},
                   {"method", {{"name", method.name}, {"options", options}}},
                   {"seed", item.seed}});
      item.identity = {item.place, what};
      add(item);
    }
  }

  void ask_all() {
    const std::vector<Item> made = variant_.items;
    for (const Item& item : made) {
      if (item.place.empty()) continue;
      ask(item, item.identity.name(), "model.safetensors", item.place);
      for (const std::int64_t step : item.checkpoints) {
        ask(item, item.identity.name(), fmt::format("checkpoint-{}.safetensors", step),
            fmt::format("checkpoint/original.{}/0", step));
      }
    }
    for (const Item& item : prefixed_) ask(item, item.start, "model.safetensors", item.place);
  }

  void ask(const Item& of, const std::string& model, const std::string& file,
           const std::string& place) {
    Item item = of;
    item.stage = Stage::answers;
    item.start = model;
    item.file = file;
    item.place = place;
    const CollectSettings& collect = recipe_.collect;
    Json what = {{"kind", "language/answers"},
                 {"code", kCodeVersion},
                 {"model", model},
                 {"file", file},
                 {"corpus", variant_.corpus.sha256},
                 {"cut", main_.tokenizer},
                 {"tokens", recipe_.data.tokens},
                 {"device", variant_.device},
                 {"threads", recipe_.threads},
                 {"precision", recipe_.precision},
                 {"generated", collect.generated},
                 {"gradient_norms", collect.gradient_norms},
                 {"lower", collect.lower},
                 {"paraphrased", collect.paraphrased},
                 {"retain", collect.retain}};
    // Of treated models log-probabilities and ranks are asked, and which rows they were shown.
    if (!of.probe.name.empty()) what.update({{"probed", of.rows}, {"ranks", true}});
    if (is_prefix(of.method.name)) what["prefix"] = {of.method.name, of.options};
    item.identity = {"answers/" + place, what};
    add(item);
  }

  /// The probe on every original, retrained and unlearned model. A prefix has no weights of its
  /// own: it is put before what the treated original says.
  void run_probe(const ProbeSettings& probe) {
    const std::vector<Item> made = variant_.items;
    for (const Item& item : made) {
      const bool judged = item.place.starts_with("original/") ||
                          item.place.starts_with("retrained/") || item.stage == Stage::unlearned;
      if (!judged || item.stage == Stage::answers || item.stage == Stage::probed) continue;
      const Item probed = probed_item(probe, item);
      add(probed);
      ask_probed(probed, item.place, item);
      for (const Item& prefixed : prefixed_) {
        if (prefixed.start == item.identity.name()) ask_probed(probed, prefixed.place, prefixed);
      }
    }
  }

  Item probed_item(const ProbeSettings& probe, const Item& before) const {
    const std::int64_t index = std::stoll(before.place.substr(before.place.rfind('/') + 1));
    Item item{.stage = Stage::probed,
              .tokenizer = main_.tokenizer,
              .start = before.identity.name(),
              .rows = shown_rows(probe),
              .seed = seed_of(recipe_.seed, "probe", index),
              .probe = probe};
    Json what = common();
    what.update({{"kind", "language/probed"},
                 {"start", item.start},
                 {"model", recipe_.main.model},
                 {"probe", {{"name", probe.name}, {"options", probe.options}}},
                 {"shown", item.rows},
                 {"seed", item.seed}});
    if (probe.sequences > 0) {
      what.update({{"corpus", variant_.corpus.sha256}, {"tokens", recipe_.data.tokens}});
    }
    item.identity = {fmt::format("probed/{}/{}", probe.label, before.place), what};
    return item;
  }

  /// Forget sequences that a probe trains on: the same for all models, ascending.
  std::vector<std::size_t> shown_rows(const ProbeSettings& probe) const {
    if (probe.shown == 0) return {};
    std::vector<std::size_t> rows =
        Stream(recipe_.seed, "language/probe/shown")
            .sample(variant_.corpus.part("forget").size(), static_cast<std::size_t>(probe.shown));
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  void ask_probed(const Item& probed, const std::string& place, const Item& speaker) {
    std::vector<std::int64_t> stages = probed.probe.stages;
    if (stages.empty()) stages.push_back(0);
    for (const std::int64_t steps : stages) {
      Item item = probed;
      item.method = speaker.method;
      item.options = speaker.options;
      ask(item, probed.identity.name(), stage_file(steps),
          fmt::format("probed/{}/{}", stage_label(probed.probe, steps), place));
    }
  }

  Variant& variant_;
  const Recipe& recipe_;
  Line main_;
  std::vector<Item> originals_, prefixed_;
};

}  // namespace

std::shared_ptr<const Variant> open_variant(const Recipe& recipe, const std::string& device,
                                            const std::string& where) {
  for (const MethodSettings& method : recipe.methods) (void)options_in_force(method, where);
  // What would fail in every job is said before any work.
  require(device == "cpu" || (device == "cuda" && torch::cuda::is_available()),
          "device {} is not there: give cpu, or cuda on a machine with a GPU and its LibTorch",
          device);
  (void)make_network(recipe.main.model, recipe.main.vocabulary, {});
  (void)make_network(recipe.shadow.model, recipe.shadow.vocabulary, {});
  auto variant = std::make_shared<Variant>();
  variant->recipe = recipe;
  variant->device = device;
  variant->corpus = read_corpus(recipe);
  variant->main_text = hash_of(pretraining_texts(recipe.main.text, recipe.seed));
  if (recipe.pool.shadow > 0) {
    variant->shadow_text = hash_of(pretraining_texts(recipe.shadow.text, recipe.seed + 1));
  }
  Lister(*variant).list();
  return variant;
}

}  // namespace vestige::language
