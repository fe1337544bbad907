// Texts of reasons/dossier.def, and the letter of a dossier.
#include "vestige/words/dossier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/words/entry.h"
#include "vestige/words/headline.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::words {

using result::Code;

Entries dossier_words() {
  return {
      {Code::file_missing, "is missing"},
      {Code::file_changed, "was changed: its SHA-256 differs from the one in dossier.json"},
      {Code::file_added, "was added: it is not part of the dossier"},
      {Code::file_not_plain, "is a link, a pipe or a device: a dossier has plain files only"},
      {Code::files_match, "{matching} of {files#file} {matching?has/have} the stated SHA-256"},
      {Code::sums_disagree, "was changed: dossier.json and SHA256SUMS disagree"},
      {Code::no_signature,
       "the dossier is not signed. The files belong together, but nobody vouches for them"},
      {Code::signature_fits,
       "matches the key in the dossier, which does not show whose key that is"},
      {Code::signer_fits, "{signer}: the key {key} made the signature"},
      {Code::signer_not_checked,
       "the statement names {signer}, but anybody can make a key. Give the signer's own public key "
       "with --key"},
      {Code::signature_of_other_key,
       "does not match the key {key}: another key signed, or the statement was changed"},
      {Code::signature_broken,
       "does not match the key in the dossier: dossier.json or the key was changed"},
      {Code::archive_without_statement,
       "has no {file}: it is not a dossier, or its statement was removed"},
      {Code::archive_changed,
       "the zip was changed at byte {byte}: vestige dossier writes other bytes for these files"},
      {Code::evidence_file_missing,
       "{file} of {evidence}{-evidence}the evidence in the dossier{/} is missing"},
      {Code::evidence_file_changed,
       "{file} of {evidence}{-evidence}the evidence in the dossier{/} differs from what was "
       "audited"},
      {Code::evidence_files_match,
       "{matching} of {files#file} {matching?has/have} the stated SHA-256"},
      {Code::table_same_bytes, "computed again: the same bytes"},
      {Code::table_same,
       "computed again: {equal#cell} equal{+rounded}, {rounded} equal up to rounding{/}"},
      {Code::table_differs,
       "computed again: {cells#cell} {cells?differs/differ}, the first (line, column): {first}"},
      {Code::results_follow, "its words and sentences follow from its numbers"},
      {Code::results_contradict,
       "contradicts itself in {fields#field}: it was changed after the audit wrote it. The first "
       "(stored -> follows from the numbers): {first}"},
      {Code::results_of_other_build,
       "its words and sentences were not derived again, because another build of the program wrote "
       "it. Its SHA-256 matches"},
      {Code::plots_same_bytes, "{plots#file} made again from results.json: the same bytes"},
      {Code::plot_differs,
       "is not a plot of these results: it was changed before the dossier was made"},
      {Code::page_of_other_build,
       "not made again, because the results come from another build of the program. Its SHA-256 "
       "matches"},
      {Code::page_same_bytes, "made again from results.json: the same bytes"},
      {Code::page_differs,
       "is not the page of these results: it was changed before the dossier was made"},
      {Code::numbers_not_stated,
       "cannot be computed again: an older version wrote these results, and they do not state "
       "which metrics were selected"},
      {Code::numbers_not_computed,
       "not computed again: the evidence ({files#file}) is not in the dossier. Give it with "
       "--evidence"},
      {Code::numbers_same,
       "computed again from {evidence}{-evidence}the evidence in the dossier{/}: {equal#field} "
       "equal{+rounded}, {rounded} equal up to rounding{/}"},
      {Code::numbers_differ,
       "computed again from {evidence}{-evidence}the evidence in the dossier{/}: {different} of "
       "{fields#field} {different?differs/differ}, the first: {first}"},
      {Code::numbers_of_other_version,
       "computed again from {evidence}{-evidence}the evidence in the dossier{/}: {different#field} "
       "{different?differs/differ}, but version {made} made them and this is version {here}. Check "
       "with the version that made them. The first: {first}"},
      {Code::table_of_other_version,
       "computed again: {cells#cell} {cells?differs/differ}, but another version ({made}) made "
       "them. "
       "The first (line, column): {first}"},
      {Code::policy_follows, "policy.toml gives the outcome that results.json and gate.md state"},
      {Code::policy_contradicts,
       "policy.toml gives another outcome than results.json or gate.md: one of them was changed"},
      {Code::policy_missing,
       "the results were checked by a policy with the SHA-256 {sha256}, which is not in the "
       "dossier"},
      {Code::statement_follows, "made again from results.json: it says the same"},
      {Code::statement_contradicts,
       "dossier.json contradicts results.json in {key}: one of them was changed before the dossier "
       "was signed"},
      {Code::letter_same_bytes, "made again from results.json: the same bytes"},
      {Code::letter_differs,
       "is not the letter of these results: it was changed before the dossier was made"},
      {Code::ledger_not_given,
       "not read: the dossier names entry {entry} of a ledger, with the hash {head}. Give the "
       "ledger "
       "with --ledger"},
      {Code::ledger_has_entry,
       "{ledger} has entry {entry} with the stated hash{+later}, and {later#later entry/later "
       "entries}{/}"},
      {Code::ledger_lacks_entry,
       "{ledger} has no entry {entry} with the stated hash: lines were removed, or the ledger was "
       "replaced"},
      {Code::ledger_has_results, "entry {entry} of {ledger} holds these results"},
      {Code::ledger_lacks_results, "no entry of {ledger} holds these results"},
      {Code::dossier_valid,
       "the dossier is valid{+allowed}, without these parts, which were allowed to stay unchecked: "
       "{allowed}{/}"},
      {Code::dossier_incomplete,
       "the dossier is INCOMPLETE: nothing invalid was found, but these parts were not checked: "
       "{parts}. Give what each line asks for, or accept a part with --allow-unchecked NAME"},
      {Code::dossier_invalid, "the dossier is INVALID"},
  };
}

namespace {

/// Lines of at most 96 characters; `indent` before every line but the first.
std::string wrapped(const std::string& text, const std::string& indent = "") {
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

constexpr const char* kNotProven[] = {
    "It is about the models whose answers were recorded. It is not about copies elsewhere, "
    "backups, logs or the data itself.",
    "It cannot show that the recorded answers came from the model that is in use. Whoever recorded "
    "them vouches for that.",
    "\"Forgotten\" means: like a model that was trained without the data, within a margin that was "
    "declared beforehand. It does not mean that nothing could ever be found by other means.",
    "Failing to find a difference is not forgetting. Where the evidence was too small to decide, "
    "the verdict is \"not decided\"; where something was missing, it is \"not tested\".",
    "The signature shows who vouches for these files. It does not show that the audit was "
    "appropriate, nor when it was made: the date is stated by the signer."};

std::string verdicts_part(const std::vector<result::Verdict>& verdicts) {
  std::string text;
  std::vector<std::string> said;
  for (const result::Verdict& verdict : verdicts) {
    // Sentences begin with the method's name.
    text += wrapped(fmt::format("- {}: {}", word(verdict.word), sentence(verdict)), "  ");
    const std::string own = limits(verdict);
    if (!own.empty() && std::find(said.begin(), said.end(), own) == said.end()) said.push_back(own);
  }
  for (const std::string& limit : said) text += "\n" + wrapped("Limits: " + limit);
  return text;
}

std::string margins_part(const Letter& letter) {
  if (std::isnan(letter.margin)) return "The results do not state their margins.\n";
  return wrapped(fmt::format(
      "Margins: \"forgotten\" means within {:g} % of the difference between the original and the "
      "retrained models. Effects below {:g} % of it are not counted. Accuracy may be at most {:g} "
      "below that of the retrained models.",
      100 * letter.margin, 100 * letter.smallest_effect, letter.utility_margin));
}

std::string policy_part(const std::optional<LetterPolicy>& policy) {
  if (!policy) return "No acceptance criteria were declared.\n";
  return wrapped(
      fmt::format("Policy {} {}. The criteria are in policy.toml, each check is in gate.md. {}",
                  policy->name, policy->passed ? "passed" : "FAILED",
                  policy->in_results ? "It was checked during the audit, and the results name it."
                                     : "It was checked after the audit."));
}

}  // namespace

std::string dossier_letter(const Letter& letter) {
  std::string text = "UNLEARNING AUDIT: DOSSIER\n\n";
  text += wrapped(
      "This folder holds the audit of machine-learning models from which data was to be removed "
      "(\"unlearning\"). The audit asks: do the models still know the removed data better than a "
      "model that never saw it?");
  text += "\nTHE ANSWER\n\n" + wrapped(letter.answer + ".");
  text += verdicts_part(*letter.verdicts);
  text += "\n" + wrapped(evidence_quality(letter.grade, letter.grade_reason));
  text += margins_part(letter);
  text += policy_part(letter.policy);
  text += "\nWHAT THIS CANNOT PROVE\n\n";
  for (const char* limit : kNotProven) text += wrapped(std::string("- ") + limit, "  ");
  text += "\nWHO SIGNS\n\n";
  text += letter.signer.empty() ? "Nobody signed this dossier.\n" : letter.signer + "\n";
  text += fmt::format("Measured {}, filed {}, by {} {} ({}).\n", letter.measured, letter.filed,
                      letter.program, letter.version, letter.commit);
  text += "\nHOW TO CHECK IT\n\n";
  text += wrapped(
      "vestige verify FOLDER finds any change after filing. With --key and the signer's public "
      "key, received by another way than this folder, it also checks who signed. With --evidence "
      "and the recorded answers it computes the whole audit again and compares every number.");
  text += wrapped("Without this program: sha256sum -c SHA256SUMS compares the files.");
  text +=
      "\nFILES\n\n"
      "report.html    the report, to be read first\n"
      "results.json   every number, with what it was computed from\n"
      "samples.csv    numbers of single examples\n"
      "dossier.json   the statement: hashes of all files and of the evidence, and the signature\n"
      "SHA256SUMS     the hashes again, for sha256sum\n";
  return text + (letter.evidence_inside
                     ? "evidence/      what the models answered\n"
                     : "The evidence itself is not here; its hashes are in dossier.json.\n");
}

}  // namespace vestige::words
