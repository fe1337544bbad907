// Collects, hashes, states and signs.
#include "vestige/practice/dossier.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <optional>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/sha256.h"
#include "vestige/evidence/reader.h"
#include "vestige/practice/archive.h"
#include "vestige/practice/envelope.h"
#include "vestige/practice/gate.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/read_results.h"
#include "vestige/report/strip.h"

namespace vestige::practice {
namespace {

namespace fs = std::filesystem;

/// Files of the dossier as they are added: name -> hash.
class Collected {
 public:
  Collected(const fs::path& out, bool force) : out_(out) {
    if (!is_archive_name(out)) {
      files_.emplace(out, force);
      return;
    }
    std::error_code ignored;
    require(force || !fs::exists(out, ignored),
            "{} exists: give --force to replace it, or another name", out.string());
  }

  void add(const std::string& name, std::string_view content) {
    check_interrupt();
    if (files_) {
      files_->add(name, content);
    } else {
      inside_.emplace(name, content);
    }
    hashes_[name] = sha256(std::as_bytes(std::span(content)));
  }
  const std::map<std::string, std::string>& hashes() const { return hashes_; }
  void commit() {
    if (files_) {
      files_->commit();
    } else {
      write_file(out_, packed_archive(inside_));
    }
  }

 private:
  fs::path out_;
  std::optional<FileSet> files_;  ///< of a folder
  Contents inside_;               ///< of a zip
  std::map<std::string, std::string> hashes_;
};

fs::path results_file(const fs::path& given) {
  std::error_code ignored;
  return fs::is_directory(given, ignored) ? given / "results.json" : given;
}

/// The evidence must be, byte by byte, what the results were measured on.
void check_inputs(const report::Results& results, const fs::path& evidence) {
  std::map<std::string, std::string> now;
  const evidence::Reading reading = evidence::read(evidence, true);
  for (const evidence::Input& input : reading.evidence.inputs) now[input.path] = input.sha256;
  require(!results.inputs.empty(), "the results name no inputs: audit again");
  for (const Json& input : results.inputs) {
    const std::string path = report::text_of(input, "path");
    const auto found = now.find(path);
    require(found != now.end(),
            "{} has no {}, which the results were measured on: give the evidence "
            "of this audit",
            evidence.string(), path);
    require(found->second == report::text_of(input, "sha256"),
            "{} of {} has other bytes than those that the results were measured on: audit again",
            path, evidence.string());
  }
}

/// Tables, page and plots that lie beside results.json.
void add_results(const fs::path& file, Collected& files) {
  files.add("results.json", read_file(file));
  const fs::path folder = file.parent_path();
  for (const char* name : {"samples.csv", "requests.csv", "report.html"}) {
    if (fs::exists(folder / name)) files.add(name, read_file(folder / name));
  }
  if (!fs::is_directory(folder / "plots")) return;
  std::vector<fs::path> plots;
  for (const auto& entry : fs::directory_iterator(folder / "plots")) {
    if (entry.is_regular_file()) plots.push_back(entry.path());
  }
  std::sort(plots.begin(), plots.end());
  for (const fs::path& plot : plots) {
    files.add("plots/" + plot.filename().string(), read_file(plot));
  }
}

/// Only what the audit read: nothing else that lies in the folder leaves it.
void add_evidence(const fs::path& evidence, const report::Results& results, Collected& files) {
  if (!fs::is_directory(evidence)) {
    files.add("evidence/" + evidence.filename().string(), read_file(evidence));
    return;
  }
  for (const Json& input : results.inputs) {
    const std::string path = report::text_of(input, "path");
    files.add("evidence/" + path, read_file(evidence / path));
  }
}

/// The policy's file and how the results stand to it; null without one.
Json add_policy(const DossierOptions& options, const report::Results& results, Collected& files) {
  const std::string declared = report::text_of(results.gate, "sha256");
  if (options.policy.empty()) {
    require(declared.empty(),
            "the results were held against the policy {} (SHA-256 {}): give it with --policy",
            report::text_of(results.gate, "policy"), declared);
    return nullptr;
  }
  const std::string text = read_file(options.policy);
  const Policy policy = parse_policy(text, options.policy.filename().string());
  require(declared.empty() || declared == policy.sha256,
          "{} is not the policy that the results were held against: that one has SHA-256 {}",
          options.policy.string(), declared);
  const Gate outcome = gate(results, policy);
  files.add("policy.toml", text);
  files.add("gate.md", gate_markdown(outcome, results));
  return {{"name", policy.name},
          {"sha256", policy.sha256},
          {"in_results", !declared.empty()},
          {"passed", outcome.passed()}};
}

Json predicate_of(const report::Results& results, const DossierOptions& options,
                  const Json& policy) {
  Json verdicts = Json::array();
  for (const audit::Verdict& verdict : results.verdicts) {
    verdicts.push_back({{"arm", verdict.arm},
                        {"method", verdict.method},
                        {"word", audit::name(verdict.word)},
                        {"sentence", verdict.sentence},
                        {"cannot", verdict.cannot}});
  }
  Json inputs = Json::array();
  for (const Json& input : results.inputs) {
    inputs.push_back(
        {{"path", report::text_of(input, "path")}, {"sha256", report::text_of(input, "sha256")}});
  }
  return {{"created", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
          {"signer", options.signer},
          {"measured", results.run.started},
          {"by", results.tool},
          {"answer", report::answer(report::strips_of(results), results.verdicts)},
          {"grade", report::text_of(results.evidence, "grade")},
          {"grade_reason", report::text_of(results.evidence, "grade_reason")},
          {"verdicts", verdicts},
          {"policy", policy},
          {"evidence_inside", options.with_evidence},
          {"evidence", inputs}};
}

}  // namespace

bool is_archive_name(const fs::path& path) { return path.extension() == ".zip"; }

Dossier write_dossier(const fs::path& out, const DossierOptions& options) {
  std::optional<SigningKey> key;
  if (!options.key.empty()) key = SigningKey::read(options.key);
  require(!key || !options.signer.empty(), "--key {}: say who signs with --signer \"Name, office\"",
          options.key.string());
  const fs::path file = results_file(options.results);
  const report::Results results = report::read_results(file);
  require(results.bench.is_null(),
          "{} is of an experiment: a dossier holds one audit; give the results of vestige audit",
          file.string());
  check_inputs(results, options.evidence);
  Collected files(out, options.force);
  add_results(file, files);
  const Json policy = add_policy(options, results, files);
  if (options.with_evidence) add_evidence(options.evidence, results, files);
  const Json predicate = predicate_of(results, options, policy);
  files.add("README.txt", dossier_letter(results, predicate));
  Dossier dossier;
  if (key) {
    const std::string pem = key->public_pem();
    files.add(kPublicKeyFile, pem);
    dossier.is_signed = true;
    dossier.key_id = CheckingKey::parse(pem, kPublicKeyFile).id();
  }
  Json subjects = Json::array();
  for (const auto& [name, hash] : files.hashes()) {
    subjects.push_back({{"name", name}, {"digest", {{"sha256", hash}}}});
  }
  files.add(kDossierFile, sealed({{"_type", kStatementType},
                                  {"subject", subjects},
                                  {"predicateType", kPredicateType},
                                  {"predicate", predicate}},
                                 key ? &*key : nullptr));
  std::string sums;
  for (const auto& [name, hash] : files.hashes()) {
    sums += hash + "  " + name + "\n";
    dossier.files.push_back(name);
  }
  files.add(kSumsFile, sums);
  dossier.files.emplace_back(kSumsFile);
  files.commit();
  return dossier;
}

}  // namespace vestige::practice
