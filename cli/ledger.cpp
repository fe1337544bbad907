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
#include "vestige/report/json/read_results.h"
#include "vestige/result/codec.h"
#include "vestige/words/words.h"

namespace vestige::cli {
namespace {

struct LedgerOptions {
  std::string file;
  std::vector<std::string> add;
  std::string head;
  std::string html;
  bool fix = false;
  bool mend = false;  ///< the earlier name of --fix
  bool json = false;
  bool force = false;
};

int run_ledger(const LedgerOptions& options) {
  std::error_code ignored;
  require(options.html.empty() || options.force || !std::filesystem::exists(options.html, ignored),
          "{} exists: give --force to replace it, or --html with another name", options.html);
  require(!options.mend, "--mend is now --fix: vestige ledger {} --fix", options.file);
  if (options.fix) {
    const std::string removed = practice::fix_ledger(options.file);
    fmt::print("{}: removed an incomplete last line of {} bytes\n", options.file, removed.size());
  }
  // Before anything is added: what comes after a removed line would hide that it is missing.
  std::size_t known = 0;
  if (!options.head.empty()) {
    known = practice::entry_with_head(practice::read_ledger(options.file), options.head);
    require(
        known > 0,
        "{} has no line with the hash {}: lines at its end were removed, or the whole ledger was "
        "replaced (or --head is not a head that vestige ledger printed)",
        options.file, options.head);
  }
  std::vector<practice::AddedEntry> added;
  for (const std::string& given : options.add) {
    const std::string file = std::filesystem::is_directory(given, ignored)
                                 ? (std::filesystem::path(given) / "results.json").string()
                                 : given;
    const std::string text = read_file(file);
    added.push_back(practice::append_to_ledger(options.file, report::read_results(file),
                                               sha256(std::as_bytes(std::span(text)))));
    if (!options.json) {
      fmt::print("{}\n", words::text(result::reason(result::Code::ledger_added, added.back().entry,
                                                    added.back().head)));
    }
  }
  const practice::Ledger ledger = practice::read_ledger(options.file);
  if (!options.html.empty()) write_file(options.html, practice::ledger_page(ledger, options.file));
  if (options.json) {
    Json json = {{"head", ledger.head},
                 {"remarks", result::json_of(practice::ledger_remarks(ledger))},
                 {"added", Json::array()},
                 {"entries", ledger.entries}};
    for (const practice::AddedEntry& own : added) {
      json["added"].push_back({{"entry", own.entry}, {"head", own.head}});
    }
    words::add_texts(json["remarks"]);
    fmt::print("{}\n", json.dump(1));
  } else {
    fmt::print("{}", practice::ledger_text(ledger, options.file));
    if (known > 0) {
      fmt::print("{}\n", words::text(result::reason(result::Code::ledger_head_found, known,
                                                    ledger.entries.size() - known)));
    }
  }
  return 0;
}

}  // namespace

void add_ledger(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<LedgerOptions>();
  CLI::App* verb = app.add_subcommand("ledger", "Keep and check the history of audits");
  verb->add_option("FILE", options->file, "The ledger, e.g. ledger.jsonl")->required();
  add_list(*verb, "--add", options->add,
           "Append these results.json, or folders that hold one (default: only check and show)");
  verb->add_option("--head", options->head,
                   "A head that was printed earlier: refuse a ledger from which that line is "
                   "missing (default: not checked)");
  verb->add_option("--html", options->html, "A page with the history (default: not written)");
  verb->add_flag("--fix", options->fix,
                 "Remove an incomplete last line (default: refuse the ledger)");
  verb->add_flag("--mend", options->mend)->group("");
  verb->add_flag("--json", options->json, kJsonText);
  verb->add_flag("--force", options->force, "Replace a page that exists (default: refuse)");
  verb->callback([options, &invocation] { invocation.exit_code = run_ledger(*options); });
}

}  // namespace vestige::cli
