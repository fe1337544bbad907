// Items of the pool as jobs: tokenizers, pretraining, fine-tuning, unlearning, answers.
#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/language/find_method.h"
#include "vestige/language/loop.h"
#include "vestige/language/probes.h"
#include "vestige/language/treatment.h"
#include "vestige/language/workshop.h"
#include "vestige/train/training.h"

namespace vestige::language {
namespace {

using ReportFunction = std::function<void(const pool::Report&)>;

pool::Product train_the_tokenizer(Workshop& workshop, const Item& item) {
  const std::string model = train_tokenizer(workshop.texts(item), workshop.line(item).vocabulary);
  return {{{"tokenizer.model", model}}, {{"pieces", Tokenizer(model, item.identity.label).size()}}};
}

Json facts_of(const Network& network, const Cost& cost) {
  return {{"seconds", cost.seconds},
          {"steps", cost.steps},
          {"samples", cost.sequences},
          {"parameters", network.values().size(0)},
          {"engine", train::engine_name()}};
}

void check_finite(const Network& network, const Item& item) {
  require(torch::isfinite(network.values()).all().item<bool>(),
          "{} diverged: its weights are not finite; lower the rate", item.identity.label);
}

pool::Product pretrain(Workshop& workshop, const Item& item, const ReportFunction& report) {
  const LineSettings& line = workshop.line(item);
  NetworkPointer network = workshop.network(item);
  network->initialise(item.seed);
  const auto length = static_cast<std::size_t>(network->window());
  const std::vector<Sequence> windows =
      windows_of(workshop.tokenizer(item.tokenizer), workshop.texts(item), length);
  Watch watch{report, 0, static_cast<double>(line.pretrain.steps * line.pretrain.batch)};
  const Cost cost = fit(*network, windows, line.pretrain, item.seed, "language/pretrain", watch);
  check_finite(*network, item);
  Json facts = facts_of(*network, cost);
  facts["windows"] = windows.size();
  return {{{"model.safetensors", network->save()}}, facts};
}

/// What a tuned model learns: the shadows their own part, others retain and their part of forget.
std::vector<Sequence> lessons(Workshop& workshop, const Item& item) {
  if (item.shadow) return workshop.sequences(item, "shadow");
  std::vector<Sequence> learnt = workshop.sequences(item, "retain");
  const std::vector<Sequence> forget = workshop.sequences(item, "forget");
  for (const std::size_t row : item.rows) learnt.push_back(forget[row]);
  return learnt;
}

pool::Product tune(Workshop& workshop, const Item& item, const ReportFunction& report) {
  const StageSettings& stage = workshop.line(item).finetune;
  NetworkPointer network = workshop.network(item, item.start, "model.safetensors");
  const std::vector<Sequence> learnt = lessons(workshop, item);
  pool::Product product;
  Cost cost;
  if (!learnt.empty() && stage.epochs > 0) {
    Watch watch{report, 0, stage.epochs * static_cast<double>(learnt.size())};
    cost =
        fit(*network, learnt, stage, item.seed, "language/finetune", watch, [&](std::int64_t step) {
          const auto& kept = item.checkpoints;
          if (std::find(kept.begin(), kept.end(), step) == kept.end()) return;
          product.files[fmt::format("checkpoint-{}.safetensors", step)] = network->save();
        });
  }
  check_finite(*network, item);
  product.files["model.safetensors"] = network->save();
  product.facts = facts_of(*network, cost);
  return product;
}

pool::Product unlearn(Workshop& workshop, const Item& item, const ReportFunction& report) {
  NetworkPointer network = workshop.network(item, item.start, "model.safetensors");
  const std::vector<Sequence> forget = workshop.sequences(item, "forget");
  const std::vector<Sequence> retain = workshop.sequences(item, "retain");
  Watch watch{report, 0, 1};
  Problem problem{
      .network = *network,
      .forget = forget,
      .retain = retain,
      .finetune = workshop.line(item).finetune,
      .seed = item.seed,
      .make_network = [&] { return workshop.network(item); },
      .pretrained = [&] { return workshop.store().read(item.pretrained, "model.safetensors"); },
      .watch = watch};
  Options options(item.method.options, item.identity.label);
  const Run run = find_method(item.method.name, item.identity.label).prepare(options);
  const Cost cost = run(problem);
  check_finite(*network, item);
  return {{{"model.safetensors", network->save()}}, facts_of(*network, cost)};
}

pool::Product probe(Workshop& workshop, const Item& item, const ReportFunction& report) {
  NetworkPointer network = workshop.network(item, item.start, "model.safetensors");
  std::vector<Sequence> retain, shown;
  if (item.probe.sequences > 0) {
    const std::vector<Sequence> forget = workshop.sequences(item, "forget");
    for (const std::size_t row : item.rows) shown.push_back(forget[row]);
    if (item.rows.empty()) retain = workshop.sequences(item, "retain");
  }
  Watch watch{report, 0, item.probe.sequences};
  Patient patient{*network, retain, shown, item.seed, watch};
  pool::Product product;
  const Cost cost = treat(item.probe, patient, [&](std::int64_t steps) {
    product.files[stage_file(steps)] = network->save();
  });
  check_finite(*network, item);
  // The end of a probe with stages is its last stage.
  if (item.probe.stages.empty()) product.files[stage_file(0)] = network->save();
  product.facts = facts_of(*network, cost);
  return product;
}

pool::Product make_item(Workshop& workshop, const Item& item, const ReportFunction& report) {
  train::prepare_engine(workshop.variant().device, workshop.recipe().threads);
  switch (item.stage) {
    case Stage::tokenizer:
      return train_the_tokenizer(workshop, item);
    case Stage::pretrained:
      return pretrain(workshop, item, report);
    case Stage::tuned:
      return tune(workshop, item, report);
    case Stage::unlearned:
      return unlearn(workshop, item, report);
    case Stage::probed:
      return probe(workshop, item, report);
    case Stage::answers:
      return answer(workshop, item);
  }
  fail("{} is of no known stage", item.identity.label);
}

/// Sequences that a job will look at, for the time left.
double size_of(const Workshop& workshop, const Item& item) {
  const LineSettings& line = workshop.line(item);
  const Corpus& corpus = workshop.variant().corpus;
  const auto retain = static_cast<double>(corpus.part("retain").size());
  switch (item.stage) {
    case Stage::tokenizer:
      return 500;
    case Stage::pretrained:
      return static_cast<double>(line.pretrain.steps * line.pretrain.batch);
    case Stage::tuned:
      return line.finetune.epochs * (retain + static_cast<double>(item.rows.size()));
    case Stage::unlearned:
      return line.finetune.epochs * retain;
    case Stage::probed:
      return std::max(1.0, item.probe.sequences);
    case Stage::answers:
      return retain;
  }
  return 0;
}

}  // namespace

std::vector<pool::Job> jobs_of(const std::shared_ptr<const Variant>& variant,
                               const std::shared_ptr<pool::Store>& store) {
  auto workshop = std::make_shared<Workshop>(variant, store);
  std::vector<pool::Job> jobs;
  for (const Item& item : variant->items) {
    pool::Job job;
    job.models = {item.identity};
    job.images = size_of(*workshop, item);
    for (const std::string* need : {&item.tokenizer, &item.start, &item.pretrained}) {
      if (!need->empty()) job.needs.push_back(*need);
    }
    // Articles are cut by the main tokenizer for all.
    if (item.stage != Stage::tokenizer) {
      job.needs.push_back(variant->items.front().identity.name());
    }
    job.make = [workshop, item](const ReportFunction& report) {
      return std::vector<pool::Product>{make_item(*workshop, item, report)};
    };
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace vestige::language
