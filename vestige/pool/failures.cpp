// Files of failures.
#include "vestige/pool/failures.h"

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"
#include "vestige/base/nesting.h"

namespace vestige::pool {
namespace fs = std::filesystem;
namespace {

fs::path path_of(const fs::path& folder, const std::string& name) {
  return folder / (name + ".failed");
}

}  // namespace

void note_failure(const fs::path& folder, const std::string& name, const Failure& failure) {
  const Json json = {{"label", failure.label}, {"why", failure.why}};
  try {
    write_file(path_of(folder, name), json.dump(2, ' ', false, Json::error_handler_t::replace));
  } catch (const InputError&) {
    // The reason is on stderr already.
  }
}

std::optional<Failure> find_failure(const fs::path& folder, const std::string& name,
                                    fs::file_time_type since) {
  const fs::path path = path_of(folder, name);
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(path, error);
  if (error || written < since) return std::nullopt;
  try {
    const Json json = parse_json(read_file(path));
    if (!json.is_object()) return std::nullopt;
    return Failure{json.value("label", ""), json.value("why", "")};
  } catch (const std::exception&) {  // vanished, or not text
    return std::nullopt;
  }
}

void clear_failure(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  fs::remove(path_of(folder, name), ignored);
}

}  // namespace vestige::pool
