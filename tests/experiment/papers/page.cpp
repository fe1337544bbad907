// The pages of docs/validation/papers.
#include <fmt/format.h>

#include <map>

#include "tests/experiment/papers/items.h"

namespace vestige::papers {
namespace {

std::string cell(std::string text) {
  for (std::size_t place = 0; (place = text.find('|', place)) != std::string::npos; place += 2) {
    text.replace(place, 1, "\\|");
  }
  return text;
}

std::string value_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return cell(value.get<std::string>());
  if (value.is_object()) return cell("`" + value.dump() + "`");
  return cell(value.dump());
}

/// Where a value comes from: the paper, its authors' code or log, or nowhere.
std::string source_text(const std::string& source) {
  if (source.starts_with("not stated")) {
    return source.find("code") == std::string::npos ? "none" : "authors' code";
  }
  if (source.find("published code") != std::string::npos || source.starts_with("authors' code") ||
      source.find("public code") != std::string::npos) {
    return "authors' code";
  }
  if (source.starts_with("authors' log")) return "authors' log";
  return "paper";
}

std::string state(const Item& item) {
  if (!item.paper.differs.empty()) return "differs: " + item.paper.differs;
  if (!item.needs.empty()) return "needs data: " + item.needs;
  return source_text(item.paper.source) == "none" ? "our choice" : "same";
}

std::string counted(std::size_t count, const char* one, const char* more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

void add_table(std::string& text, const std::vector<Item>& items) {
  std::string section;
  for (const Item& item : items) {
    if (item.section != section) {
      section = item.section;
      text += fmt::format(
          "\n## {}\n\n| item | paper | ours | source | where | state "
          "|\n|---|---|---|---|---|---|\n",
          section);
    }
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", cell(item.key),
                        value_text(item.paper.value), value_text(item.ours),
                        source_text(item.paper.source), cell(item.paper.source), cell(state(item)));
  }
}

}  // namespace

std::string page(const std::string& paper) {
  const Json& tables = all_papers().at(paper);
  std::vector<Item> items = recipe_items(paper);
  for (Item& item : effective_items(paper)) items.push_back(std::move(item));
  for (Item& item : preset_items(paper)) items.push_back(std::move(item));
  std::map<std::string, std::size_t> counts;
  for (const Item& item : items) {
    const std::string said = state(item);
    ++counts[said.substr(0, said.find(':'))];
  }
  const Json notes = tables.value("notes", Json::object());
  counts["differs"] += notes.size();
  std::string text = fmt::format("# {}, item by item\n\n", tables.value("title", paper));
  text += fmt::format(
      "`make papers` writes this page from `tests/reference/papers.toml`; a test compares it. "
      "Every value of the paper was typed by hand with its place, and is compared with "
      "`recipes/{}.toml --size paper`, with the presets, and with what the plan comes to.\n\n"
      "{} the same, {} with a reason, {} the same and need data that is not at hand, {} left open "
      "by "
      "the paper and our choice.\n",
      paper, counted(counts["same"], "item is", "items are"),
      counted(counts["differs"], "differs", "differ"), counted(counts["needs data"], "is", "are"),
      counted(counts["our choice"], "is", "are"));
  if (!notes.empty()) {
    text +=
        "\n## What differs, and what the paper leaves odd\n\n| item | paper | ours | where | "
        "why |\n|---|---|---|---|---|\n";
    for (const auto& [key, note] : notes.items()) {
      text += fmt::format("| {} | {} | {} | {} | {} |\n", cell(key), value_text(note.at(0)),
                          value_text(note.at(2)), value_text(note.at(1)), value_text(note.at(3)));
    }
  }
  add_table(text, items);
  return text;
}

}  // namespace vestige::papers
