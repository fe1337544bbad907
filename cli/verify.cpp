// vestige verify DOSSIER: is it what was filed, who signed it, and do the numbers come out again?
#include "vestige/practice/verify.h"

#include <fmt/format.h>

#include <memory>

#include "cli/gate_files.h"
#include "cli/verbs.h"
#include "vestige/base/parallel.h"

namespace vestige::cli {

void add_verify(CLI::App& app, Context& context) {
  struct Given {
    std::string dossier, key, evidence;
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
  verb->add_flag("--json", given->json, kJsonText);
  verb->add_option("--threads", given->threads, kThreadsText);
  verb->callback([given, &context] {
    set_threads(given->threads);
    practice::VerifyOptions options;
    options.key = given->key;
    options.evidence = given->evidence;
    const practice::Verification found = practice::verify(given->dossier, options);
    if (given->json) {
      fmt::print("{}\n", practice::verification_json(found).dump(1, ' ', false,
                                                                 Json::error_handler_t::replace));
    } else {
      fmt::print("{}", practice::verification_text(found));
    }
    context.exit_code = found.sound() ? 0 : kGateClosed;
  });
}

}  // namespace vestige::cli
