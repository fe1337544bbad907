// vestige import FORMAT PATH --out DIR: evidence from the logs of other programs.
#include "vestige/import/import.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <set>

#include "cli/verbs.h"
#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/json.h"
#include "vestige/result/codec.h"
#include "vestige/words/words.h"

namespace vestige::cli {
namespace {

struct ImportVerb {
  std::string path;
  std::string out;
  importing::ImportOptions choice;
  std::string name;
  std::string direction;
  bool strict = false;
  bool json = false;
  bool force = false;
  bool add = false;
  std::size_t threads = 0;
};

std::string number(double value) { return std::isnan(value) ? "-" : fmt::format("{:.6g}", value); }

void print_text(const importing::Imported& imported, const ImportVerb& options) {
  std::set<std::string> models;
  for (const importing::ImportedSplit& split : imported.splits) {
    fmt::print("{} -> {} -> {} -> {}\n", split.file, split.model, split.split, split.examples);
    models.insert(split.model);
  }
  bool agree = !imported.recomputed.empty();
  std::size_t compared = 0;
  for (const importing::Recomputed& total : imported.recomputed) {
    fmt::print("{} {} {} (log: {})\n", total.model, total.key, number(total.value),
               number(total.said));
    agree = agree && total.agrees;
    if (!std::isnan(total.said)) ++compared;
  }
  if (agree && compared > 0) {
    fmt::print("{}\n", words::text(result::reason(result::Code::totals_agree, compared)));
  }
  for (const result::Reason& remark : imported.remarks) fmt::print("{}\n", words::text(remark));
  const result::Code done = options.add ? result::Code::import_added : result::Code::import_done;
  fmt::print("{}\n", words::text(result::reason(done, models.size(), options.out)));
}

void print_json(const importing::Imported& imported) {
  Json json = {{"splits", Json::array()}, {"recomputed", Json::array()}};
  for (const importing::ImportedSplit& split : imported.splits) {
    json["splits"].push_back({{"file", split.file},
                              {"model", split.model},
                              {"split", split.split},
                              {"examples", split.examples}});
  }
  for (const importing::Recomputed& total : imported.recomputed) {
    json["recomputed"].push_back({{"model", total.model},
                                  {"key", total.key},
                                  {"value", json_number(total.value)},
                                  {"log", json_number(total.said)},
                                  {"agrees", total.agrees}});
  }
  json["remarks"] = result::json_of(imported.remarks);
  words::add_texts(json["remarks"]);
  fmt::print("{}\n", json.dump(1));
}

void finish(const importing::Imported& imported, const ImportVerb& options) {
  for (const importing::Recomputed& total : imported.recomputed) {
    require(!options.strict || total.agrees,
            "{}: {} is {} in the log and {} from its values per example; without --strict the log "
            "is imported with a remark",
            total.model, total.key, number(total.said), number(total.value));
  }
  if (options.add) {
    imported.draft.add(options.out, options.force);
  } else {
    imported.draft.write(options.out, options.force);
  }
  if (options.json) {
    print_json(imported);
  } else {
    print_text(imported, options);
  }
}

CLI::App* add_format(CLI::App& verb, const char* name, const char* help, const char* path,
                     ImportVerb& options) {
  CLI::App* format = verb.add_subcommand(name, help);
  format->add_option("PATH", options.path, path)->required();
  format->add_option("--out", options.out, "Folder of the evidence to write")->required();
  format->add_flag("--json", options.json, kJsonText);
  format->add_flag("--force", options.force,
                   "Replace files of a folder that exists (default: refuse)");
  return format;
}

}  // namespace

void add_import(CLI::App& app, Invocation&) {
  auto options = std::make_shared<ImportVerb>();
  CLI::App* verb = app.add_subcommand("import", "Make evidence from the logs of other programs");
  verb->require_subcommand(1);
  CLI::App* open = add_format(*verb, "openunlearning", "Logs of OpenUnlearning (TOFU, MUSE)",
                              "OpenUnlearning's saves/, or a folder of it", *options);
  open->add_option("--map", options->choice.map,
                   "ROLE=PATH: the role of a log or of a folder of logs; ROLE is original, "
                   "retrained, shadow, unlearned/METHOD (each may end in /NAME) or skip");
  open->add_option("--model", options->choice.model,
                   "Which model, where there are logs of several");
  open->add_option("--forget", options->choice.forget,
                   "Which forget split, where there are logs of several: forget10");
  open->add_flag("--strict", options->strict,
                 "Refuse logs whose totals differ from their values (default: say so)");
  open->add_option("--threads", options->threads, kThreadsText);
  open->callback([options] {
    const Context context({.threads = static_cast<int>(options->threads)});
    finish(context.run([&] { return importing::openunlearning(options->path, options->choice); }),
           *options);
  });
  CLI::App* harness =
      add_format(*verb, "lm-eval", "Sample logs of lm-evaluation-harness (WMDP, MMLU, ...)",
                 "Its --output_path, with a folder per model", *options);
  harness->add_option("--map", options->choice.map,
                      "ROLE=PATH: the role of a model's folder or of one log; ROLE is original, "
                      "retrained, unlearned/METHOD (each may end in /NAME) or skip");
  harness->add_option("--goal", options->choice.goal,
                      "TASK=GOAL: chance (nothing of it should be known), retrained (as for "
                      "retrained models; default), higher (should be kept) or lower; TASK may end "
                      "in *");
  harness->add_flag("--strict", options->strict,
                    "Refuse logs whose accuracy differs from their options (default: say so)");
  harness->add_flag("--add", options->add, "Add to the models of evidence that exists at --out");
  harness->callback(
      [options] { finish(importing::lm_eval(options->path, options->choice), *options); });
  CLI::App* margins =
      add_format(*verb, "easydub", "Pools of margins of EasyDUB, for KLOM and verdicts",
                 "EasyDUB's folder, with margins/ and forget_sets/", *options);
  margins->add_option("--forget-set", options->choice.forget, "Number of the forget set: 1")
      ->required();
  margins->add_option("--map", options->choice.map,
                      "unlearned/METHOD=PATH: a folder with forget/, retain/ and val/, whose files "
                      "are named like EasyDUB's (id_0_epoch_23.npy)");
  margins->add_option("--models", options->choice.models,
                      "Import the first so many models of each kind (default: all)");
  margins->callback(
      [options] { finish(importing::easydub(options->path, options->choice), *options); });
  CLI::App* scores =
      add_format(*verb, "scores", "Scores of examples by another program, from a CSV file",
                 "CSV file with the columns model, split, example and score", *options);
  scores->add_option("--name", options->name, "Name of the score: judge")->required();
  scores
      ->add_option("--direction", options->direction,
                   "Which way is good: higher, lower or match (as for retrained models)")
      ->required();
  scores->add_flag("--add", options->add,
                   "Add the scores to the models of evidence that exists at --out");
  scores->callback([options] {
    finish(importing::scores(options->path, options->name, options->direction), *options);
  });
}

}  // namespace vestige::cli
