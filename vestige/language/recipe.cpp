// Reading recipes of the language lab.
#include "vestige/language/recipe.h"

#include <algorithm>

#include "vestige/audit/metric_options.h"
#include "vestige/audit/selection.h"
#include "vestige/base/error.h"
#include "vestige/base/text.h"
#include "vestige/experiment/experiment_plan.h"
#include "vestige/language/probes.h"

namespace vestige::language {
namespace {

std::int64_t at_least(Options& options, const char* key, std::int64_t fallback,
                      std::int64_t least) {
  const std::int64_t value = options.integer(key, fallback);
  if (value < least) options.wrong(key, fmt::format("it must be at least {}", least));
  return value;
}

double positive(Options& options, const char* key, double fallback) {
  const double value = options.number(key, fallback);
  if (!(value > 0)) options.wrong(key, "it must be above 0");
  return value;
}

DataSettings read_data(Options options) {
  DataSettings data;
  data.kind = options.choice("kind", data.kind, {"articles", "biographies"});
  if (data.kind == "articles") {
    data.text = options.text("text", "");
    if (data.text.empty()) options.wrong("text", "give a file, folder or dictionary of articles");
    data.words = at_least(options, "words", data.words, 2);
    data.tokens = at_least(options, "tokens", data.tokens, 2);
    data.pieces = at_least(options, "pieces", data.pieces, 0);
  } else {
    data.perturbed = at_least(options, "perturbed", data.perturbed, 1);
  }
  options.finish();
  return data;
}

SplitSettings read_split(Options options) {
  SplitSettings split;
  split.forget = at_least(options, "forget", 0, 1);
  split.retain = at_least(options, "retain", 0, 1);
  split.test = at_least(options, "test", 0, 1);
  split.shadow = at_least(options, "shadow", 0, 0);
  options.finish();
  return split;
}

/// [model], [tokenizer], [pretrain] and [finetune] of one line of models; the shadows' stand below
/// [shadow] and begin with the main ones' values.
LineSettings read_line(const Json& table, const std::string& where, const LineSettings& defaults,
                       bool is_shadow) {
  LineSettings line = defaults;
  if (table.contains("model")) line.model = table.at("model");
  Options tokenizer(table.value("tokenizer", Json::object()), where + "[tokenizer]");
  line.vocabulary = at_least(tokenizer, "vocabulary", line.vocabulary, 300);
  tokenizer.finish();
  Options pretrain(table.value("pretrain", Json::object()), where + "[pretrain]");
  line.text.paths = pretrain.texts("text", line.text.paths);
  if (line.text.paths.empty()) pretrain.wrong("text", "give files or dictionaries to pretrain on");
  line.text.documents = at_least(pretrain, "documents", line.text.documents, 0);
  line.pretrain.steps = at_least(pretrain, "steps", line.pretrain.steps, 1);
  line.pretrain = read_stage(pretrain, line.pretrain);
  pretrain.finish();
  Options finetune(table.value("finetune", Json::object()), where + "[finetune]");
  // A shadow of 0 epochs is the pretrained model as it stands: the IAM paper's CroissantLLM.
  line.finetune.epochs = finetune.number("epochs", line.finetune.epochs);
  if (!(line.finetune.epochs >= 0)) finetune.wrong("epochs", "it must not be negative");
  if (!is_shadow && line.finetune.epochs == 0) finetune.wrong("epochs", "it must be above 0");
  line.finetune = read_stage(finetune, line.finetune);
  (void)finetune.integer("checkpoints", 0);
  finetune.finish();
  return line;
}

PoolSettings read_pool(Options options) {
  PoolSettings pool;
  pool.folder = options.text("folder", pool.folder.string());
  pool.original = at_least(options, "original", pool.original, 1);
  pool.retrained = at_least(options, "retrained", pool.retrained, 0);
  pool.shadow = at_least(options, "shadow", pool.shadow, 0);
  pool.partial = at_least(options, "partial", pool.partial, 0);
  pool.partial_shares = options.numbers("partial_shares", pool.partial_shares);
  for (const double share : pool.partial_shares) {
    if (!(share > 0 && share < 100)) {
      options.wrong("partial_shares", "per cent between 0 and 100, both left out");
    }
  }
  options.finish();
  return pool;
}

CollectSettings read_collect(Options options) {
  CollectSettings collect;
  collect.generated = at_least(options, "generated", collect.generated, 0);
  collect.gradient_norms = options.boolean("gradient_norms", collect.gradient_norms);
  collect.lower = options.boolean("lower", collect.lower);
  collect.paraphrased = options.boolean("paraphrased", collect.paraphrased);
  collect.retain = at_least(options, "retain", collect.retain, 0);
  options.finish();
  return collect;
}

std::vector<MethodSettings> read_methods(const Json& list, const std::string& where) {
  std::vector<MethodSettings> methods;
  require(list.is_array(), "{}: write methods as [[methods]] tables", where);
  for (const Json& entry : list) {
    require(entry.is_object() && entry.contains("name") && entry.at("name").is_string(),
            "{}: every method is a table with a name", where);
    MethodSettings method{entry.at("name"), "", entry};
    method.label = entry.value("label", method.name);
    method.options.erase("name");
    method.options.erase("label");
    for (const MethodSettings& other : methods) {
      require(other.label != method.label, "{}: two methods are called {}: give one a label", where,
              method.label);
    }
    methods.push_back(std::move(method));
  }
  return methods;
}

Recipe read_variant(Json table, const std::string& name, const std::string& where) {
  Recipe recipe;
  recipe.table = table;
  recipe.name = name;
  Options top(table, where);
  const auto section = [&](const char* key) {
    return Options(top.raw(key), fmt::format("{}: [{}]", where, key));
  };
  for (const char* known :
       {"kind", "name", "notes", "tokenizer", "model", "pretrain", "finetune"}) {
    (void)top.raw(known);
  }
  recipe.seed = static_cast<std::uint64_t>(at_least(top, "seed", 1, 0));
  recipe.data = read_data(section("data"));
  recipe.split = read_split(section("split"));
  recipe.main = read_line(table, where + ": ", {}, false);
  require(recipe.main.model.is_object(), "{}: [model] is missing: name = \"gpt\" or \"lstm\"",
          where);
  const Json shadow = top.raw("shadow");
  recipe.shadow = read_line(shadow.is_object() ? shadow : Json::object(),
                            where + ": shadow: ", recipe.main, true);
  recipe.pool = read_pool(section("pool"));
  recipe.collect = read_collect(section("collect"));
  recipe.checkpoints =
      table.value("finetune", Json::object()).value("checkpoints", std::int64_t{0});
  const Json methods = top.raw("methods");
  recipe.methods = read_methods(methods.is_null() ? Json::array() : methods, where);
  const Json probes = top.raw("probes");
  recipe.probes = read_probes(probes.is_null() ? Json::array() : probes, where + ": probes");
  for (const ProbeSettings& probe : recipe.probes) {
    require(
        probe.shown == 0 || probe.shown + 2 <= recipe.split.forget,
        "{}: recovery test {} trains on {} of {} forget documents: leave at least two to measure",
        where, probe.label, probe.shown, recipe.split.forget);
  }
  Options engine = section("engine");
  recipe.threads = at_least(engine, "threads", recipe.threads, 1);
  recipe.precision = engine.choice("precision", recipe.precision, {"float32", "tf32", "bf16"});
  engine.finish();
  Options bench = section("bench");
  recipe.metrics = bench.texts("metrics", {});
  const Json options = bench.raw("options");
  recipe.metric_options = audit::checked_options(options.is_object() ? options : Json::object(),
                                                 bench.where() + ": options");
  bench.finish();
  (void)audit::Selection(recipe.metrics);
  top.finish();
  return recipe;
}

/// Checks with `sizes` are left out of the other sizes.
Json checks_for(const Json& all, const std::string& size) {
  Json checks = Json::array();
  for (Json check : all) {
    const Json sizes = check.value("sizes", Json::array({size}));
    check.erase("sizes");
    if (std::find(sizes.begin(), sizes.end(), Json(size)) != sizes.end()) {
      checks.push_back(std::move(check));
    }
  }
  return checks;
}

}  // namespace

StageSettings read_stage(Options& options, const StageSettings& defaults) {
  StageSettings stage = defaults;
  stage.batch = at_least(options, "batch", stage.batch, 1);
  stage.rate = positive(options, "rate", stage.rate);
  stage.warmup = options.number("warmup", stage.warmup);
  if (!(stage.warmup >= 0 && stage.warmup <= 1)) options.wrong("warmup", "a share between 0 and 1");
  stage.weight_decay = options.number("weight_decay", stage.weight_decay);
  if (!(stage.weight_decay >= 0)) options.wrong("weight_decay", "it must not be negative");
  stage.clip = positive(options, "clip", stage.clip);
  return stage;
}

bool is_language(const Json& table) {
  return table.is_object() && table.contains("kind") && table.at("kind") == "language";
}

Plan make_plan(Json table, const std::filesystem::path& path, const PlanRequest& request) {
  const std::string where = path.string();
  Plan plan;
  plan.path = path;
  plan.size = request.size.empty() ? "smoke" : request.size;
  const Json sizes = table.value("sizes", Json::object());
  table.erase("sizes");
  if (sizes.contains(plan.size)) {
    experiment::merge(table, sizes.at(plan.size));
  } else {
    std::vector<std::string> known = {"smoke"};
    for (const auto& [size, ignored] : sizes.items()) known.push_back(size);
    require(plan.size == "smoke", "{}: it has no size '{}': the nearest is '{}'", where, plan.size,
            nearest(plan.size, known));
  }
  for (const std::string& assignment : request.settings) set_option(table, assignment);
  plan.name = table.value("name", path.stem().string());
  plan.notes = table.value("notes", "");
  plan.checks = checks_for(table.value("checks", Json::array()), plan.size);
  const Json variants = table.value("variants", Json::array({Json{{"name", "main"}}}));
  table.erase("checks");
  table.erase("variants");
  for (const Json& entry : variants) {
    Options options(entry, where + ": [[variants]]");
    const std::string name = options.text("name", "");
    if (name.empty() || name.find_first_of("/\\") != std::string::npos) {
      options.wrong("name", "every variant needs a name without slashes");
    }
    const Json changes = options.raw("set");
    options.finish();
    Json own = table;
    if (changes.is_object()) experiment::merge(own, changes);
    plan.variants.push_back(read_variant(std::move(own), name, where));
    if (!request.pool.empty()) plan.variants.back().pool.folder = request.pool;
  }
  return plan;
}

}  // namespace vestige::language
