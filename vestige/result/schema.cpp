// The reference page of results.json.
#include "vestige/result/schema.h"

namespace vestige::result {
namespace {

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::number:
      return "number";
    case Kind::count:
      return "whole number";
    case Kind::text:
      return "text";
    case Kind::texts:
      return "list of text";
    case Kind::metric:
      return "metric id";
    case Kind::metrics:
      return "list of metric ids";
    case Kind::reasons:
      return "list of reason";
  }
  return "";
}

}  // namespace

std::string schema_markdown(const Schema& schema) {
  std::string page;
  for (const StructInfo& own : schema.structs()) {
    page += fmt::format("## {}\n\n| field | type | meaning |\n|---|---|---|\n", own.name);
    for (const FieldInfo& field : own.fields) {
      page += fmt::format("| `{}` | {} | {} |\n", field.name, field.type, field.text);
    }
    page += "\n";
  }
  page += "## Reasons\n\n| code | arguments |\n|---|---|\n";
  for (const Code code : all_codes()) {
    std::string arguments;
    for (const Parameter& parameter : parameters(code)) {
      arguments += fmt::format("{}`{}` ({})", arguments.empty() ? "" : ", ", parameter.name,
                               kind_name(parameter.kind));
    }
    page += fmt::format("| `{}` | {} |\n", name(code), arguments);
  }
  return page;
}

}  // namespace vestige::result
