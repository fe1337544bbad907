// A method that is somebody else's program.
#include <stdlib.h>

#include <algorithm>
#include <optional>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/nesting.h"
#include "vestige/models/clone.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/models/weights/safetensors.h"
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/command.h"
#include "vestige/unlearn/parts/limits.h"
#include "vestige/unlearn/parts/script_files.h"

namespace vestige::unlearn {
namespace fs = std::filesystem;
namespace {

struct ExternalSettings {
  std::string command;
  std::vector<std::string> files;
  double limit_seconds = 0;
  bool data = false;
  bool keep = false;
  Json options;
};

ExternalSettings read_external(Options& options) {
  ExternalSettings settings;
  settings.command = options.text("command", "");
  settings.files = options.texts("files", {});
  settings.limit_seconds = read_positive(options, "limit_seconds", 3600);
  settings.data = options.boolean("data", false);
  settings.keep = options.boolean("keep", false);
  settings.options = options.raw("options");
  if (settings.options.is_null()) settings.options = Json::object();
  if (!settings.options.is_object()) options.wrong("options", "it must be a table");
  return settings;
}

/// A folder for one run; goes away with all it holds unless it is to be kept.
class Folder {
 public:
  explicit Folder(bool keep) : keep_(keep) {
    std::string name = (fs::temp_directory_path() / "vestige-external-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr,
            "no folder can be made in {}: free some space there or set TMPDIR",
            fs::temp_directory_path().string());
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!keep_) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const char* name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  bool keep_;
  fs::path path_;
};

/// inputs [n, ...] normalised float32, labels [n], rows [n]: retain, forget, validation in turn.
std::string data_file(const Problem& problem) {
  constexpr std::size_t kBatch = 1024;
  train::Rows rows = problem.retain;
  rows.insert(rows.end(), problem.forget.begin(), problem.forget.end());
  rows.insert(rows.end(), problem.validation.begin(), problem.validation.end());
  std::vector<torch::Tensor> inputs, labels;
  for (std::size_t start = 0; start < rows.size(); start += kBatch) {
    check_interrupt();
    const train::Batch batch = problem.samples.batch(
        std::span(rows).subspan(start, std::min(kBatch, rows.size() - start)));
    inputs.push_back(batch.inputs[0].cpu());
    labels.push_back(batch.labels[0].cpu());
  }
  return models::to_safetensors({{"inputs", torch::cat(inputs)},
                                 {"labels", torch::cat(labels)},
                                 {"rows", problem.samples.index(rows).cpu()}});
}

void write_inputs(const Problem& problem, const ExternalSettings& settings, const Folder& folder) {
  write_file(folder / "original.safetensors", models::save(problem.network, 0));
  const Json split = {
      {"retain", problem.retain}, {"forget", problem.forget}, {"validation", problem.validation}};
  write_file(folder / "split.json", split.dump() + "\n");
  const Json options = {{"options", settings.options},
                        {"seed", problem.seed},
                        {"model", problem.model},
                        {"classes", problem.samples.classes()},
                        {"shape", problem.samples.shape()}};
  write_file(folder / "options.json", options.dump(2) + "\n");
  if (settings.data) write_file(folder / "data.safetensors", data_file(problem));
}

/// What the command said last, for the end of an error.
std::string said(const Folder& folder, bool keep) {
  std::error_code ignored;
  const std::string line = fs::exists(folder / "log.txt", ignored)
                               ? last_line(read_file(folder / "log.txt"))
                               : std::string();
  return fmt::format(
      "{}{}",
      line.empty() ? "it printed nothing" : fmt::format("the last line it printed is '{}'", line),
      keep ? fmt::format(" (all is in {})", folder.path().string()) : "");
}

/// Into a network of its own first, so that an error leaves the problem's as it was.
void read_result(Problem& problem, const ExternalSettings& settings, const Folder& folder) {
  const fs::path path = folder / "unlearned.safetensors";
  require(fs::is_regular_file(path),
          "external: '{}' wrote no unlearned.safetensors into its folder: {}", settings.command,
          said(folder, settings.keep));
  const models::NetworkPointer network = problem.make_network();
  models::load(*network, 0, read_file(path), "external: unlearned.safetensors");
  const auto check = [](const std::string& name, const torch::Tensor& tensor) {
    require(torch::isfinite(tensor).all().item<bool>(),
            "external: unlearned.safetensors: the tensor {} holds values that are not finite: "
            "correct the command",
            name);
  };
  for (const auto& item : network->named_parameters()) check(item.key(), item.value());
  for (const auto& item : network->named_buffers()) check(item.key(), item.value());
  models::copy_weights(*network, 0, problem.network, 0);
}

/// A number of cost.json that is 0 or more; nothing if it is not there.
std::optional<double> read_cost(const Json& cost, const char* key) {
  if (!cost.contains(key)) return std::nullopt;
  require(cost[key].is_number() && cost[key].get<double>() >= 0,
          "external: cost.json: {} is {}: it must be a number from 0 on", key, cost[key].dump());
  return cost[key].get<double>();
}

/// What the command says that it cost, over what the clock says.
void read_costs(const Folder& folder, Outcome& outcome) {
  const fs::path path = folder / "cost.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return;
  const Json cost = parse_json(read_file(path));
  require(cost.is_object(), "external: cost.json must be like {{\"seconds\": 12.5}}: correct it");
  if (const auto seconds = read_cost(cost, "seconds")) {
    outcome.seconds = outcome.cost.seconds = *seconds;
  }
  if (const auto steps = read_cost(cost, "steps")) {
    outcome.cost.steps = static_cast<std::int64_t>(*steps);
  }
  if (const auto samples = read_cost(cost, "samples")) {
    outcome.cost.samples = static_cast<std::int64_t>(*samples);
  }
}

Outcome run_external(Problem& problem, const ExternalSettings& settings) {
  require(!settings.command.empty(),
          "external: no command is given: set command = \"...\" in its [[methods]] table");
  const Folder folder(settings.keep);
  write_inputs(problem, settings, folder);
  const CommandResult result =
      run_command(settings.command, folder.path(), settings.limit_seconds, [&] {
        check_interrupt();
        // The caller may have a time limit of its own, and looks at it here.
        if (problem.watch.report) {
          problem.watch.report({problem.watch.images_before, problem.watch.total_images, 0, 0});
        }
      });
  require(!result.timed_out,
          "external: '{}' ran over limit_seconds = {:g} and was stopped: raise it, or {}",
          settings.command, settings.limit_seconds,
          "make the command faster; " + said(folder, settings.keep));
  require(result.code == 0, "external: '{}' ended with code {}: correct it; {}", settings.command,
          result.code, said(folder, settings.keep));
  read_result(problem, settings, folder);
  Outcome outcome;
  outcome.cost.seconds = result.seconds;
  outcome.facts = {{"command", settings.command}, {"command_seconds", result.seconds}};
  read_costs(folder, outcome);
  if (settings.keep) outcome.facts["folder"] = folder.path().string();
  return outcome;
}

}  // namespace

Method external() {
  return {.id = "external",
          .summary = "your own program: files in, a command, weights out",
          .source = "yours",
          .needs = {},
          .presets = {},
          .prepare = [](Options& options) -> Run {
            const ExternalSettings settings = read_external(options);
            return [settings](Problem& problem) { return run_external(problem, settings); };
          },
          .depends =
              [](const Json& given) {
                Options options(given, "external");
                const ExternalSettings settings = read_external(options);
                return script_hashes(settings.command, settings.files);
              }};
}

}  // namespace vestige::unlearn
