// vestige ledger FILE: the history of audits, checked line by line; --add appends to it.
#include "vestige/practice/ledger.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <span>

#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/sha256.h"
#include "vestige/report/read_results.h"

namespace vestige::cli {
namespace {

struct LedgerOptions {
  std::string file;
  std::vector<std::string> add;
  std::string html;
  bool mend = false;
  bool json = false;
  bool force = false;
};

int run_ledger(const LedgerOptions& options) {
  std::error_code ignored;
  require(options.html.empty() || options.force || !std::filesystem::exists(options.html, ignored),
          "{} exists: give --force to replace it, or --html with another name", options.html);
  if (options.mend) {
    const std::string torn = practice::mend_ledger(options.file);
    fmt::print("{}: took {} bytes of a torn line off\n", options.file, torn.size());
  }
  for (const std::string& given : options.add) {
    const std::string file = std::filesystem::is_directory(given, ignored)
                                 ? (std::filesystem::path(given) / "results.json").string()
                                 : given;
    const std::string text = read_file(file);
    practice::append_to_ledger(options.file, report::read_results(file),
                               sha256(std::as_bytes(std::span(text))));
  }
  const practice::Ledger ledger = practice::read_ledger(options.file);
  if (!options.html.empty()) write_file(options.html, practice::ledger_page(ledger, options.file));
  if (options.json) {
    fmt::print("{}\n", Json{{"head", ledger.head}, {"entries", ledger.entries}}.dump(1));
  } else {
    fmt::print("{}", practice::ledger_text(ledger, options.file));
  }
  return 0;
}

}  // namespace

void add_ledger(CLI::App& app, Context& context) {
  auto options = std::make_shared<LedgerOptions>();
  CLI::App* verb =
      app.add_subcommand("ledger", "Keep and check the history of audits, one line each");
  verb->add_option("FILE", options->file, "The ledger, e.g. ledger.jsonl")->required();
  add_list(*verb, "--add", options->add,
           "Append these results.json, or folders that hold one (default: only check and show)");
  verb->add_option("--html", options->html, "A page with the history (default: not written)");
  verb->add_flag("--mend", options->mend,
                 "Take off a last line that was not written whole (default: refuse the ledger)");
  verb->add_flag("--json", options->json, kJsonText);
  verb->add_flag("--force", options->force, "Replace a page that exists (default: refuse)");
  verb->callback([options, &context] { context.exit_code = run_ledger(*options); });
}

}  // namespace vestige::cli
