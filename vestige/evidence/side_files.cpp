// accuracy.json and text files.
#include "vestige/evidence/side_files.h"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <tuple>

#include "vestige/base/error.h"
#include "vestige/base/json.h"
#include "vestige/base/nesting.h"
#include "vestige/evidence/layout.h"
#include "vestige/evidence/requests.h"

namespace vestige::evidence {
namespace {

constexpr char kAccuracyFile[] = "accuracy.json";

// {"original": {"retain": [0.99, ...], "test": [...]}, "finetune": {...}}; one number stands for
// a list of one.
void read_accuracy(const Json& json, Evidence& evidence) {
  require(json.is_object(),
          "{} must be an object of roles or methods: {{\"original\": {{\"test\": "
          "[0.9]}}}}",
          kAccuracyFile);
  for (const auto& [group, splits] : json.items()) {
    require(splits.is_object(), "{}: \"{}\" must be an object of splits: {{\"test\": [0.9]}}",
            kAccuracyFile, group);
    for (const auto& [split, values] : splits.items()) {
      std::vector<double>& target = evidence.accuracy[group][split];
      const Json list = values.is_array() ? values : Json::array({values});
      for (const Json& value : list) {
        require(value.is_number(), "{}: \"{}\", split \"{}\" holds {}: accuracies are numbers",
                kAccuracyFile, group, split, value.dump());
        const double accuracy = value.get<double>();
        require(accuracy >= 0 && accuracy <= 1,
                "{}: \"{}\", split \"{}\" holds {}: accuracies are shares between 0 and 1, not per "
                "cent",
                kAccuracyFile, group, split, accuracy);
        target.push_back(accuracy);
      }
    }
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

bool is_text(const std::string& file) {
  return file.starts_with("text/") && file.ends_with(".txt");
}

constexpr std::string_view kSampleEnding = ".samples.jsonl";

bool is_generated(const std::string& file) {
  const std::size_t ending = file.ends_with(kSampleEnding) ? kSampleEnding.size() : 4;
  return (file.ends_with(".txt") || file.ends_with(kSampleEnding)) &&
         file.find("/generated/") != std::string::npos &&
         place_of(file.substr(0, file.size() - ending)).part == Part::generated;
}

/// A line per prompt: the JSON list of its samples. Nothing, with a finding, if it is none.
std::vector<std::vector<std::string>> samples_of(const std::string& text, const std::string& file,
                                                 const std::string& model, Findings& findings) {
  std::vector<std::vector<std::string>> prompts;
  for (const std::string& line : lines_of(text)) {
    const Json list = Json::parse(line, nullptr, false);
    std::vector<std::string> samples;
    bool good = list.is_array() && !list.empty();
    for (std::size_t i = 0; good && i < list.size(); ++i) {
      good = list[i].is_string();
      if (good) samples.push_back(list[i].get<std::string>());
    }
    if (!good) {
      findings.push_back({Severity::error, file,
                          reason(Code::samples_malformed, prompts.size() + 1), "E-TOKENS", model});
      return {};
    }
    prompts.push_back(std::move(samples));
  }
  return prompts;
}

}  // namespace

bool is_side_file(const std::string& file) {
  return file == "evidence.toml" || file == kAccuracyFile || file == kRequestsFile ||
         is_text(file) || is_generated(file);
}

/// The models that have texts, where no model has arrays.
static void add_models_of_texts(const Source& source, Evidence& evidence) {
  std::map<std::tuple<int, std::string, std::string>, Place> places;  // in order of the roles
  for (const std::string& file : source.files()) {
    if (!is_generated(file)) continue;
    const std::size_t ending = file.ends_with(kSampleEnding) ? kSampleEnding.size() : 4;
    const Place place = place_of(file.substr(0, file.size() - ending));
    places.try_emplace({role_order(place.role), place.method, place.name}, place);
  }
  for (const auto& [key, place] : places) {
    if (evidence.groups.empty() || evidence.groups.back().role != place.role ||
        evidence.groups.back().method != place.method) {
      evidence.groups.push_back({place.role, place.method, {}});
    }
    Model model;
    model.role = place.role;
    model.method = place.method;
    model.name = place.name;
    model.folder = model.id();
    evidence.groups.back().models.push_back(std::move(model));
  }
}

void read_generated(const Source& source, Evidence& evidence, Findings& findings) {
  if (evidence.groups.empty()) add_models_of_texts(source, evidence);
  for (const std::string& file : source.files()) {
    if (!is_generated(file)) continue;
    const bool drawn = file.ends_with(kSampleEnding);
    const Place place = place_of(file.substr(0, file.size() - (drawn ? kSampleEnding.size() : 4)));
    Model* found = nullptr;
    for (Group& group : evidence.groups) {
      if (group.role != place.role || group.method != place.method) continue;
      for (Model& model : group.models) {
        if (model.name == place.name) found = &model;
      }
    }
    if (found != nullptr && drawn) {
      auto samples = samples_of(source.read(file), file, found->id(), findings);
      if (!samples.empty()) found->samples[place.split] = std::move(samples);
      continue;
    }
    if (found != nullptr) {
      found->generated[place.split] = lines_of(source.read(file));
      continue;
    }
    if (place.role == "unlearned" && evidence.find("unlearned", place.method) == nullptr) continue;
    findings.push_back({Severity::warning, file, Code::generated_without_model, "W-NOT-READ"});
  }
}

void read_side_files(const Source& source, Evidence& evidence, Findings& findings) {
  for (const std::string& file : source.files()) {
    try {
      if (file == kAccuracyFile) {
        const std::string text = source.read(file);
        require(!json_too_deep(text),
                "{} is nested too deeply: write it as docs/reference/evidence.md says", file);
        read_accuracy(Json::parse(text), evidence);
      } else if (is_text(file)) {
        const std::string split = file.substr(5, file.size() - 9);
        evidence.text[split] = lines_of(source.read(file));
      }
    } catch (const Json::exception& error) {
      findings.push_back({Severity::error, file,
                          reason(Code::invalid_json, reason(Code::message, error.what())),
                          "E-SETTINGS"});
    } catch (const InputError& error) {
      evidence.accuracy.clear();
      findings.push_back({Severity::error, "", reason(Code::message, error.what()), "E-SETTINGS"});
    }
  }
}

void check_accuracy(const Evidence& evidence, Findings& findings) {
  for (const auto& [key, splits] : evidence.accuracy) {
    const Group* group = nullptr;
    for (const Group& candidate : evidence.groups) {
      if (candidate.id() == key || (!key.empty() && candidate.method == key)) group = &candidate;
    }
    if (group == nullptr) {
      findings.push_back(
          {Severity::warning, kAccuracyFile, reason(Code::accuracy_not_used, key), "W-NOT-USED"});
      continue;
    }
    for (const auto& [split, values] : splits) {
      if (values.size() == group->models.size()) continue;
      findings.push_back(
          {Severity::error, kAccuracyFile,
           reason(Code::accuracy_count, values.size(), key, split, group->models.size()),
           "E-SETTINGS"});
    }
  }
}

}  // namespace vestige::evidence
