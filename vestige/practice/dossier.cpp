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
#include "vestige/practice/ledger.h"
#include "vestige/practice/policy.h"
#include "vestige/practice/statement.h"
#include "vestige/practice/verify_parts.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/page/html.h"
#include "vestige/report/page/spec_files.h"

namespace vestige::practice {
namespace {

namespace fs = std::filesystem;

/// Files of the dossier as they are added: name -> hash.
class Collected {
 public:
  Collected(const fs::path& out, bool force) : out_(out) {
    if (!is_archive_name(out)) {
      files_.emplace(out, force, FileSet::Others::refused);
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
  require(!results.inputs.empty(), "the results list no inputs: audit again");
  for (const Json& input : results.inputs) {
    const std::string path = report::text_of(input, "path");
    const auto found = now.find(path);
    require(found != now.end(),
            "{} has no {}, which the results were measured on: give the evidence "
            "of this audit",
            evidence.string(), path);
    require(found->second == report::text_of(input, "sha256"),
            "{} of {} differs from the file that the results were measured on: audit again", path,
            evidence.string());
  }
}

/// Tables, page and plots beside results.json.
void add_results(const fs::path& file, const report::Results& results, Collected& files) {
  files.add("results.json", read_file(file));
  const fs::path folder = file.parent_path();
  for (const char* name : {"samples.csv", "requests.csv", "report.html"}) {
    if (fs::exists(folder / name)) files.add(name, read_file(folder / name));
  }
  if (!fs::is_directory(folder / "plots")) return;
  // Plots of these results alone: an earlier audit may have left others in the folder.
  for (const report::SpecFile& plot : report::spec_files(results)) {
    const fs::path place = folder / "plots" / plot.name;
    if (fs::exists(place)) files.add("plots/" + plot.name, read_file(place));
  }
}

/// Only what the audit read: no other file of the folder is filed.
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

/// The policy's file and whether the results meet it; nothing without one.
std::optional<FiledPolicy> add_policy(const DossierOptions& options, const report::Results& results,
                                      Collected& files) {
  const std::string declared = results.gate ? results.gate->sha256 : std::string();
  if (options.policy.empty()) {
    require(declared.empty(), "the audit checked the policy {} (SHA-256 {}): give it with --policy",
            results.gate ? results.gate->policy : "", declared);
    return std::nullopt;
  }
  const std::string text = read_file(options.policy, kMostOfPolicy);
  FiledPolicy policy = filed_policy(text, options.policy.filename().string(), results);
  require(declared.empty() || declared == policy.sha256,
          "{} is not the policy that the audit checked: that one has SHA-256 {}",
          options.policy.string(), declared);
  if (!declared.empty() && results.gate->passed != policy.outcome.passed) {
    fail(
        "the results say that the policy {} {}, but it {}: the results were changed, or another "
        "version of the program checked it. Audit again",
        policy.outcome.name, results.gate->passed ? "passed" : "failed",
        policy.outcome.passed ? "passes" : "fails");
  }
  require(
      policy.as_in_results || results.tool != report::this_tool(),
      "the checks of the policy {} in the results do not follow from their numbers: the results "
      "were changed. Audit again",
      policy.outcome.name);
  files.add("policy.toml", text);
  files.add("gate.md", policy.table);
  return policy;
}

/// The ledger's head when the dossier is made; null without a ledger.
Json ledger_json(const DossierOptions& options, const std::string& results_sha256) {
  if (options.ledger.empty()) return nullptr;
  const Ledger ledger = read_ledger(options.ledger);
  require(entry_of(ledger, results_sha256) > 0,
          "{0} has no entry of these results: add them first with vestige ledger {0} --add {1}",
          options.ledger.string(), options.results.string());
  return {{"entry", ledger.entries.size()}, {"head", ledger.head}};
}

/// Words, page and policy outcome must follow from the numbers. Only the build that wrote the
/// results can tell.
void check_consistency(const fs::path& file, const std::string& text,
                       const report::Results& results) {
  if (results.tool != report::this_tool()) return;
  const std::vector<std::string> wrong = contradictions_in(Json::parse(text), results);
  require(
      wrong.empty(),
      "{} contradicts itself, so it was changed after the audit wrote it: audit again. The first "
      "of {} fields (stored -> follows from the numbers): {}",
      file.string(), wrong.size(), wrong.empty() ? "" : wrong.front());
  const fs::path page = file.parent_path() / "report.html";
  require(!fs::exists(page) || read_file(page) == report::html(results),
          "{} is not the page of {}: make it again with vestige report {} --html {} --force",
          page.string(), file.string(), file.string(), page.string());
  for (const report::SpecFile& plot : report::spec_files(results)) {
    const fs::path place = file.parent_path() / "plots" / plot.name;
    require(!fs::exists(place) || read_file(place) == plot.text,
            "{} is not a plot of {}: it was changed after the audit wrote it. Audit again",
            place.string(), file.string());
  }
}

}  // namespace

bool is_archive_name(const fs::path& path) { return path.extension() == ".zip"; }

Dossier write_dossier(const fs::path& out, const DossierOptions& options) {
  std::optional<SigningKey> key;
  if (!options.key.empty()) key = SigningKey::read(options.key);
  require(!key || !options.signer.empty(), "--key {}: say who signs with --signer \"Name, office\"",
          options.key.string());
  const fs::path file = results_file(options.results);
  const std::string text = read_file(file);
  const report::Results results = report::read_results(file);
  require(!results.bench,
          "{} is from an experiment. A dossier holds one audit: give the results of vestige audit",
          file.string());
  check_consistency(file, text, results);
  check_inputs(results, options.evidence);
  const Json ledger = ledger_json(options, sha256(std::as_bytes(std::span(text))));
  Collected files(out, options.force);
  add_results(file, results, files);
  const std::optional<FiledPolicy> policy = add_policy(options, results, files);
  if (options.with_evidence) add_evidence(options.evidence, results, files);
  const Statement statement =
      statement_of(results, policy,
                   {.signer = options.signer,
                    .filed = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
                    .evidence_inside = options.with_evidence,
                    .ledger = ledger});
  files.add(kLetterFile, statement.letter);
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
                                  {"predicate", statement.predicate}},
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
