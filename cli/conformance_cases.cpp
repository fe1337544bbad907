// Finding cases, running them, and their outcomes as JSON.
#include "cli/conformance_cases.h"

#include <algorithm>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"

namespace vestige::cli {
namespace {

namespace fs = std::filesystem;
using audit::ConformanceOutcome;
using Verdict = ConformanceOutcome::Verdict;

constexpr std::pair<Verdict, const char*> kVerdicts[] = {
    {Verdict::passed, "passed"}, {Verdict::failed, "failed"}, {Verdict::skipped, "skipped"}};

std::vector<fs::path> find_cases(const fs::path& folder) {
  std::error_code error;
  require(fs::is_directory(folder, error), "{} is no folder: give the folder of the cases",
          folder.string());
  std::vector<fs::path> cases;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename() == "case.json") cases.push_back(entry->path());
  }
  require(!error, "cannot read {}: {}", folder.string(), error.message());
  require(!cases.empty(), "{} holds no case.json: give the folder of the cases", folder.string());
  std::sort(cases.begin(), cases.end());
  return cases;
}

}  // namespace

const char* verdict_word(Verdict verdict) {
  return std::ranges::find_if(kVerdicts, [&](const auto& known) { return known.first == verdict; })
      ->second;
}

std::vector<CaseOutcome> run_cases(const fs::path& folder,
                                   std::span<const audit::ConformanceRunner> runners) {
  std::vector<CaseOutcome> outcomes;
  for (const fs::path& path : find_cases(folder)) {
    check_interrupt();
    try {
      outcomes.push_back({path, audit::run_case(audit::read_case(path), runners)});
    } catch (const InputError& error) {
      outcomes.push_back({path,
                          {path.parent_path().parent_path().filename().string(),
                           path.parent_path().filename().string(), Verdict::failed, error.what()}});
    }
  }
  return outcomes;
}

Json cases_json(std::span<const CaseOutcome> outcomes) {
  Json json = Json::array();
  for (const auto& [path, outcome] : outcomes) {
    json.push_back(Json{{"case", path.string()},
                        {"metric", outcome.metric},
                        {"name", outcome.name},
                        {"verdict", verdict_word(outcome.verdict)},
                        {"detail", outcome.detail}});
  }
  return json;
}

std::vector<CaseOutcome> read_cases_json(const Json& json) {
  std::vector<CaseOutcome> outcomes;
  for (const Json& entry : json) {
    const auto word = entry.at("verdict").get<std::string>();
    const auto* verdict =
        std::ranges::find_if(kVerdicts, [&](const auto& known) { return known.second == word; });
    require(verdict != std::end(kVerdicts), "verdict {} of a case is not known", word);
    outcomes.push_back(
        {entry.at("case").get<std::string>(),
         {entry.at("metric"), entry.at("name"), verdict->first, entry.at("detail")}});
  }
  return outcomes;
}

}  // namespace vestige::cli
