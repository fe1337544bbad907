// README.txt of a dossier: for people who file it and never saw a model.
#include <fmt/format.h>

#include "vestige/practice/dossier.h"
#include "vestige/report/json_fields.h"

namespace vestige::practice {
namespace {

using report::text_of;

/// Lines of at most 96 characters; `indent` before every line but the first.
std::string wrapped(const std::string& text, const std::string& indent) {
  std::string result, line;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (!line.empty() && line.size() + 1 + word.size() > 96) {
      result += line + "\n" + indent;
      line = word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
    start = end + 1;
  }
  return result + line + "\n";
}

constexpr const char* kLimits[] = {
    "It speaks of the models whose answers were recorded, not of copies elsewhere, backups, logs "
    "or "
    "the data itself.",
    "It cannot know whether the recorded answers came from the model that is in use: whoever "
    "recorded them vouches for that.",
    "\"Forgotten\" means: like a model that was trained without the data, within a margin that was "
    "declared beforehand. It does not mean that nothing could ever be found by other means.",
    "A difference that was not found is not the proof that there is none; where the evidence was "
    "too "
    "small to decide, it says \"not decided\".",
    "The signature says who vouches for these bytes. It does not say that the audit was wise, nor "
    "when it was made: the date is the signer's word."};

}  // namespace

std::string dossier_letter(const report::Results& results, const Json& predicate) {
  std::string text = "UNLEARNING AUDIT: DOSSIER\n\n";
  text += wrapped(
      "This folder holds the audit of machine-learning models from which data was to be removed "
      "(\"unlearning\"). The audit asks: do the models still know the removed data better than a "
      "model that never saw it?",
      "");
  text += "\nTHE ANSWER\n\n" + wrapped(text_of(predicate, "answer") + ".", "");
  for (const audit::Verdict& verdict : results.verdicts) {
    text += wrapped(
        fmt::format("- {}: {}. {}", verdict.method, audit::name(verdict.word), verdict.sentence),
        "  ");
    if (!verdict.cannot.empty()) text += "  " + wrapped("Limits: " + verdict.cannot, "  ");
  }
  text +=
      "\n" + wrapped(fmt::format("Grade of the evidence (A best, D least): {}, {}.",
                                 text_of(predicate, "grade"), text_of(predicate, "grade_reason")),
                     "");
  const Json& policy = report::list_of(predicate, "policy");
  if (policy.is_object()) {
    text += wrapped(
        fmt::format("Thresholds: {} (policy.toml), {}. The results {} them; gate.md has each rule.",
                    text_of(policy, "name"),
                    report::flag_of(policy, "in_results")
                        ? "fixed before the measurement ended and named in its results"
                        : "applied to the results afterwards",
                    report::flag_of(policy, "passed") ? "keep" : "DO NOT KEEP"),
        "");
  } else {
    text += "No thresholds were declared.\n";
  }
  text += "\nWHAT THIS CANNOT PROVE\n\n";
  for (const char* limit : kLimits) text += wrapped(std::string("- ") + limit, "  ");
  text += "\nWHO SIGNS\n\n";
  const std::string signer = text_of(predicate, "signer");
  text += signer.empty() ? "Nobody signed this dossier.\n" : signer + "\n";
  text +=
      fmt::format("Measured {}, filed {}, by {} {} ({}).\n", text_of(predicate, "measured"),
                  text_of(predicate, "created"), text_of(report::list_of(predicate, "by"), "name"),
                  text_of(report::list_of(predicate, "by"), "version"),
                  text_of(report::list_of(predicate, "by"), "commit"));
  text += "\nHOW TO CHECK IT\n\n";
  text += wrapped(
      "Any change after filing is found by: vestige verify FOLDER. With --key and the signer's "
      "public "
      "key, received by another way than this folder, it also checks who signed. With --evidence "
      "and "
      "the recorded answers it computes the whole audit again and compares every number.",
      "");
  text += wrapped("Without this program: sha256sum -c SHA256SUMS compares the files.", "");
  text += "\nWHAT LIES HERE\n\n";
  text +=
      "report.html    the page, to be read first\n"
      "results.json   every number, with what it was computed from\n"
      "samples.csv    numbers of single rows\n"
      "dossier.json   the statement: hashes of all files and of the evidence, and the signature\n"
      "SHA256SUMS     the hashes again, for sha256sum\n";
  return text + (report::flag_of(predicate, "evidence_inside")
                     ? "evidence/      what the models answered\n"
                     : "The evidence itself is not here; its hashes are in dossier.json.\n");
}

}  // namespace vestige::practice
