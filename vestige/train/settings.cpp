// Reading [train] from a recipe.
#include "vestige/train/settings.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "vestige/base/error.h"
#include "vestige/base/text.h"

namespace vestige::train {
namespace {

double not_below(Options& options, const char* key, double fallback, double lowest) {
  const double value = options.number(key, fallback);
  if (!(value >= lowest)) {
    options.wrong(key, fmt::format("{} is too small: it must be at least {}", value, lowest));
  }
  return value;
}

std::int64_t count(Options& options, const char* key, std::int64_t fallback, std::int64_t lowest) {
  const std::int64_t value = options.integer(key, fallback);
  if (value < lowest) {
    options.wrong(key, fmt::format("{} is too small: it must be at least {}", value, lowest));
  }
  return value;
}

AugmentSettings read_augment(Options& options, const AugmentSettings& defaults) {
  AugmentSettings augment;
  augment.crop = count(options, "crop", defaults.crop, 0);
  augment.flip = options.boolean("flip", defaults.flip);
  augment.rotation = not_below(options, "rotation", defaults.rotation, 0);
  augment.shear = not_below(options, "shear", defaults.shear, 0);
  augment.scale_low = not_below(options, "scale_low", defaults.scale_low, 0.01);
  augment.scale_high = not_below(options, "scale_high", defaults.scale_high, augment.scale_low);
  augment.jitter = not_below(options, "jitter", defaults.jitter, 0);
  return augment;
}

/// The preset's values under the recipe's own, which win.
Json with_preset(Options& options, const Json& own) {
  const std::string name = options.text("preset", "");
  if (name.empty()) return own;
  std::vector<std::string> known;
  for (const Preset& preset : presets()) {
    known.push_back(preset.name);
    if (preset.name != name) continue;
    Json merged = preset.values;
    for (const auto& [key, value] : own.items()) merged[key] = value;
    return merged;
  }
  options.wrong("preset", fmt::format("'{}' is not known: did you mean '{}'? There are {}", name,
                                      nearest(name, known), fmt::join(known, ", ")));
}

}  // namespace

OptimizerSettings read_optimizer(Options& options, const OptimizerSettings& defaults) {
  OptimizerSettings optimizer;
  optimizer.kind = options.choice("optimizer", defaults.kind, {"sgd", "adam"});
  optimizer.rate = not_below(options, "rate", defaults.rate, 0);
  optimizer.momentum = not_below(options, "momentum", defaults.momentum, 0);
  optimizer.nesterov = options.boolean("nesterov", defaults.nesterov);
  optimizer.weight_decay = not_below(options, "weight_decay", defaults.weight_decay, 0);
  optimizer.beta1 = not_below(options, "beta1", defaults.beta1, 0);
  optimizer.beta2 = not_below(options, "beta2", defaults.beta2, 0);
  optimizer.epsilon = not_below(options, "epsilon", defaults.epsilon, 0);
  return optimizer;
}

ScheduleSettings read_schedule(Options& options, const ScheduleSettings& defaults) {
  ScheduleSettings schedule;
  schedule.kind = options.choice("schedule", defaults.kind,
                                 {"constant", "cosine", "multi_step", "one_cycle", "linear"});
  schedule.warmup_epochs = not_below(options, "warmup_epochs", defaults.warmup_epochs, 0);
  schedule.milestones = options.numbers("milestones", defaults.milestones);
  schedule.gamma = not_below(options, "gamma", defaults.gamma, 0);
  if (schedule.kind == "multi_step" && schedule.milestones.empty()) {
    options.wrong("milestones", "the schedule multi_step needs them: give a list of epochs");
  }
  if (schedule.kind == "multi_step") {
    schedule.first_epoch = options.number("first_epoch", defaults.first_epoch);
    if (schedule.first_epoch != 0 && schedule.first_epoch != 1) {
      options.wrong("first_epoch", "milestones count epochs from 0 or from 1");
    }
  }
  return schedule;
}

TrainSettings read_train(Options& given) {
  Options options(with_preset(given, given.all()), given.where());
  options.text("preset", "");
  TrainSettings settings;
  settings.epochs = not_below(options, "epochs", settings.epochs, 0);
  settings.batch = count(options, "batch", settings.batch, 1);
  settings.optimizer = read_optimizer(options);
  settings.schedule = read_schedule(options);
  settings.augment = read_augment(options, {});
  settings.class_weights =
      options.choice("class_weights", settings.class_weights, {"none", "reciprocal"});
  settings.checkpoints = options.numbers("checkpoints", {});
  for (const double fraction : settings.checkpoints) {
    if (!(fraction > 0 && fraction < 1)) {
      options.wrong("checkpoints", fmt::format("{} is not a fraction between 0 and 1", fraction));
    }
  }
  settings.fixed_batches = options.boolean("fixed_batches", false);
  settings.until_accuracy = not_below(options, "until_accuracy", 0, 0);
  settings.select = options.choice("select", settings.select, {"last", "best_validation"});
  settings.log_forget_updates = options.boolean("log_forget_updates", false);
  // Named only where they are given, so that models without them keep the names they had.
  if (options.has("history")) settings.history = options.boolean("history", false);
  if (options.has("average_halflife")) {
    settings.average_halflife = not_below(options, "average_halflife", 0, 0);
    settings.average_rampup = not_below(options, "average_rampup", settings.average_rampup, 0);
  }
  settings.threads = count(options, "threads", settings.threads, 1);
  settings.copies = count(options, "copies", settings.copies, 0);
  settings.precision = options.choice("precision", settings.precision, {"float32", "tf32", "bf16"});
  settings.deterministic = options.boolean("deterministic", settings.deterministic);
  options.finish();
  given.accept(options.used());
  return settings;
}

const std::vector<Preset>& presets() {
  static const Json kMiau = {{"batch", 256},
                             {"rate", 0.1},
                             {"momentum", 0.9},
                             {"weight_decay", 5e-4},
                             {"schedule", "multi_step"},
                             {"gamma", 0.2},
                             {"warmup_epochs", 1},
                             {"first_epoch", 1}};
  const auto miau = [](double epochs, std::vector<double> milestones, Json extra) {
    Json values = kMiau;
    values["epochs"] = epochs;
    values["milestones"] = milestones;
    for (const auto& [key, value] : extra.items()) values[key] = value;
    return values;
  };
  const Json cifar = {{"crop", 4}, {"flip", true}, {"rotation", 15}};
  const auto sde = [](double epochs, double rate, int batch) {
    return Json{{"epochs", epochs}, {"batch", batch},       {"rate", rate},
                {"momentum", 0.9},  {"weight_decay", 5e-4}, {"schedule", "cosine"}};
  };
  // Optimiser, batch and augmentation are not in IAM's text: the published code's.
  const auto iam = [](double rate, bool images, Json extra) {
    Json values = {{"epochs", 200},   {"batch", 128},         {"rate", rate},
                   {"momentum", 0.9}, {"weight_decay", 5e-4}, {"schedule", "cosine"}};
    if (images) values.update({{"crop", 4}, {"flip", true}});
    values.update(extra);
    return values;
  };
  // Karras et al. 2022: 200 million images, the rate rises over the first 10 million, weights are
  // averaged with a half-life of 0.5 million; as epochs of the whole data set.
  const auto edm = [](double epochs, int batch, double rate, double warmup) {
    return Json{{"epochs", epochs},          {"batch", batch},
                {"optimizer", "adam"},       {"rate", rate},
                {"schedule", "constant"},    {"warmup_epochs", warmup},
                {"average_halflife", 500000}};
  };
  static const std::vector<Preset> kPresets = {
      {"competition",
       "ResNet-18, 30 epochs, Adam 1e-4, weight decay 5e-3, cosine (published code)",
       {{"epochs", 30},
        {"optimizer", "adam"},
        {"rate", 1e-4},
        {"weight_decay", 5e-3},
        {"schedule", "cosine"},
        {"class_weights", "reciprocal"},
        {"batch", 64}}},
      {"competition_text",
       "The competition as the paper's text has it: SGD, momentum .9, rate 1e-4",
       {{"epochs", 30},
        {"rate", 1e-4},
        {"momentum", 0.9},
        {"weight_decay", 5e-3},
        {"class_weights", "reciprocal"},
        {"batch", 64}}},
      {"competition_femnist",
       "FEMNIST in the competition paper's A.7: SGD, 120 epochs, rate 5e-4",
       {{"epochs", 120},
        {"rate", 5e-4},
        {"momentum", 0.9},
        {"weight_decay", 1e-3},
        {"class_weights", "reciprocal"},
        {"batch", 64}}},
      {"miau_cifar10", "MIAU's Table 8, CIFAR-10", miau(20, {8, 12, 16}, cifar)},
      {"miau_cifar20", "MIAU's Table 8, CIFAR-20", miau(40, {15, 30, 35}, cifar)},
      {"miau_mnist", "MIAU's Table 8, MNIST", miau(5, {2, 3, 4}, {{"rotation", 10}})},
      {"miau_mucac", "MIAU's Table 8, MUCAC",
       miau(31, {10, 20},
            {{"flip", true},
             {"shear", 10},
             {"scale_low", 0.8},
             {"scale_high", 1.2},
             {"jitter", 0.2}})},
      {"miau_cifar10_vit", "MIAU's Table 8, CIFAR-10 with a ViT", miau(8, {7}, cifar)},
      {"sde_svhn", "SDE's Table 5, SVHN", sde(20, 0.01, 256)},
      {"sde_cifar10_allcnn", "SDE's Table 5, CIFAR-10 with All-CNN", sde(50, 0.1, 256)},
      {"sde_cifar10", "SDE's Table 5, CIFAR-10 with ResNet-18", sde(100, 0.1, 256)},
      {"sde_cifar100", "SDE's Table 5, CIFAR-100 and Tiny-ImageNet", sde(100, 0.1, 128)},
      {"sde_toy",
       "SDE's toy experiment: fixed batches of 64 for a 10-128 MLP",
       {{"epochs", 20}, {"batch", 64}, {"rate", 0.1}, {"momentum", 0}, {"fixed_batches", true}}},
      {"conformal",
       "The conformal paper's Appendix B, ResNet-18: 200 epochs, rate .1, cosine",
       {{"epochs", 200},
        {"batch", 64},
        {"rate", 0.1},
        {"momentum", 0.9},
        {"schedule", "cosine"},
        {"crop", 4},
        {"flip", true}}},
      {"conformal_vit",
       "The conformal paper's Appendix B, ViT: 15 epochs, rate .001, cosine",
       {{"epochs", 15},
        {"batch", 64},
        {"rate", 1e-3},
        {"momentum", 0.9},
        {"schedule", "cosine"},
        {"crop", 4},
        {"flip", true}}},
      {"iam", "IAM's C.3: 200 epochs, the epoch with the best validation accuracy",
       iam(0.1, true, {{"select", "best_validation"}})},
      {"iam_shadow", "IAM's C.3 for shadow models: until over 99 % on their own rows",
       iam(0.1, true, {{"until_accuracy", 0.99}})},
      {"iam_purchase", "IAM's C.3 for Purchase-100, rate .01 (published code)",
       iam(0.01, false, {{"select", "best_validation"}})},
      {"iam_purchase_shadow", "the same for shadow models",
       iam(0.01, false, {{"until_accuracy", 0.99}})},
      {"edm_cifar10", "EDM's published configuration: 200 million images, Adam 1e-3",
       edm(4000, 512, 1e-3, 200)},
      {"edm_afhqv2", "the same for AFHQv2 at 64 x 64: Adam 2e-4", edm(12656, 256, 2e-4, 633)},
      {"edm_ffhq", "the same for FFHQ at 64 x 64: Adam 2e-4", edm(2857, 256, 2e-4, 143)},
  };
  return kPresets;
}

}  // namespace vestige::train
