// vestige verify DOSSIER: is it unchanged, who signed it, and are the numbers reproduced?
#include "vestige/practice/verify.h"

#include <fmt/format.h>

#include <memory>

#include "cli/gate_files.h"
#include "cli/verbs.h"

namespace vestige::cli {

void add_verify(CLI::App& app, Invocation& invocation) {
  struct Given {
    std::string dossier, key, evidence, ledger;
    std::vector<std::string> allow;
    int threads = 0;
    bool json = false;
  };
  auto given = std::make_shared<Given>();
  CLI::App* verb = app.add_subcommand(
      "verify", "Check a dossier: every byte, the signature, and the numbers computed again");
  verb->add_option("DOSSIER", given->dossier, "Folder or zip that vestige dossier wrote")
      ->required();
  verb->add_option(
      "--key", given->key,
      "The signer's public key or certificate in PEM (default: the key in the dossier, "
      "which does not say who signed)");
  verb->add_option("--evidence", given->evidence,
                   "What was audited, to compute the audit again (default: the evidence in the "
                   "dossier, if it is there)");
  verb->add_option("--ledger", given->ledger,
                   "The ledger whose head the dossier states (default: not checked)");
  add_list(*verb, "--allow-unchecked", given->allow,
           "Parts that may stay unchecked, such as signature, signer or numbers (default: what was "
           "not checked ends with exit code 3)");
  verb->add_flag("--json", given->json, kJsonText);
  verb->add_option("--threads", given->threads, kThreadsText);
  verb->callback([given, &invocation] {
    practice::VerifyOptions options;
    options.key = given->key;
    options.evidence = given->evidence;
    options.ledger = given->ledger;
    options.allow_unchecked = given->allow;
    options.context = Context({.threads = given->threads});
    const practice::Verification found = practice::verify(given->dossier, options);
    if (given->json) {
      fmt::print("{}\n", practice::verification_json(found).dump(1, ' ', false,
                                                                 Json::error_handler_t::replace));
    } else {
      fmt::print("{}", practice::verification_text(found));
    }
    invocation.exit_code = found.valid() ? 0 : kPolicyFailed;
  });
}

}  // namespace vestige::cli
