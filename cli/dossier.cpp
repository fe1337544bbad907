// vestige dossier OUT --results DIR --evidence DIR: an audit as a folder or zip that can be filed.
#include "vestige/practice/dossier.h"

#include <fmt/format.h>

#include <memory>

#include "cli/verbs.h"

namespace vestige::cli {

void add_dossier(CLI::App& app, Invocation& invocation) {
  struct Given {
    std::string out, results, evidence, policy, key, ledger;
    practice::DossierOptions options;
  };
  auto given = std::make_shared<Given>();
  CLI::App* verb = app.add_subcommand(
      "dossier", "File an audit: results, page, hashes of the evidence, limits, signature");
  verb->add_option("OUT", given->out, "Folder to write, or one file: NAME.zip")->required();
  verb->add_option("--results", given->results, "Folder that the audit wrote")->required();
  verb->add_option("--evidence", given->evidence, "What the audit read")->required();
  verb->add_option("--policy", given->policy, "The policy file (default: none)");
  verb->add_option("--key", given->key,
                   "Private Ed25519 key in PEM to sign with (default: not signed)");
  verb->add_option("--signer", given->options.signer, "Who signs, as the dossier says it");
  verb->add_option("--ledger", given->ledger,
                   "The ledger that holds the audit; the dossier states its head (default: none)");
  verb->add_flag("--with-evidence", given->options.with_evidence,
                 "Put the evidence itself in (default: its hashes only)");
  verb->add_flag("--force", given->options.force,
                 "Write into a folder that is not empty, or replace a zip (default: refuse)");
  verb->callback([given, &invocation] {
    practice::DossierOptions options = given->options;
    options.results = given->results;
    options.evidence = given->evidence;
    options.policy = given->policy;
    options.key = given->key;
    options.ledger = given->ledger;
    const practice::Dossier dossier = practice::write_dossier(given->out, options);
    fmt::print("{}: {} files, {}\n", given->out, dossier.files.size(),
               dossier.is_signed ? "signed with the key " + dossier.key_id : "not signed");
    fmt::print("read README.txt in it; vestige verify {} checks it\n", given->out);
    invocation.exit_code = 0;
  });
}

}  // namespace vestige::cli
