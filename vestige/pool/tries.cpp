// Notes of tries.
#include "vestige/pool/tries.h"

#include <fstream>

#include "vestige/base/file.h"
#include "vestige/base/json.h"
#include "vestige/base/nesting.h"
#include "vestige/base/platform/process.h"
#include "vestige/pool/process.h"

namespace vestige::pool {
namespace fs = std::filesystem;
namespace {

fs::path note_path(const fs::path& folder, const std::string& name) {
  return folder / (name + ".begun");
}

}  // namespace

std::size_t deaths_at(const fs::path& folder, const std::string& name, fs::file_time_type since) {
  const fs::path path = note_path(folder, name);
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(path, error);
  if (error) return 0;
  Json note;
  try {
    note = parse_json(read_file(path));
  } catch (const std::exception&) {  // vanished, or not text
    return 0;
  }
  if (!note.is_object()) return 0;
  const bool in_this_run = written >= since;
  const bool for_memory = note.value("machine", "") == machine() &&
                          platform::memory_kills() > note.value("memory_kills", std::size_t{0});
  return in_this_run || for_memory ? note.value("deaths", std::size_t{0}) + 1 : 0;
}

Try::Try(const fs::path& folder, const std::string& name, fs::file_time_type since)
    : path_(note_path(folder, name)), deaths_(deaths_at(folder, name, since)) {
  const Json note = {
      {"deaths", deaths_}, {"machine", machine()}, {"memory_kills", platform::memory_kills()}};
  // Not by way of a temporary name, which a death would leave behind: half a note counts for none.
  // Where it cannot be written, the work itself will say what is wrong with the folder.
  std::ofstream(path_) << note.dump(2, ' ', false, Json::error_handler_t::replace);
}

Try::~Try() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

void clear_tries(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  fs::remove(note_path(folder, name), ignored);
}

}  // namespace vestige::pool
