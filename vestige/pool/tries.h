// Tries of which nobody heard the end: a note beside the models says that a job was begun, and
// whoever finds it when it claims the job knows that the process before it died at it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace vestige::pool {

/// Processes that died at a job, by the note of its last try: one that began after `since`, that is
/// in this run, or since which the kernel has killed for memory on this machine. Whoever stops a
/// whole run and starts it again is not taken for a lack of memory: the same models come out.
std::size_t deaths_at(const std::filesystem::path& folder, const std::string& name,
                      std::filesystem::file_time_type since);

/// One try of a job whose lock this process holds. The note goes with the object, and stays where
/// the process is killed.
class Try {
 public:
  Try(const std::filesystem::path& folder, const std::string& name,
      std::filesystem::file_time_type since);
  ~Try();
  Try(const Try&) = delete;
  Try& operator=(const Try&) = delete;

  /// How many processes have died at this job.
  std::size_t deaths() const { return deaths_; }

 private:
  std::filesystem::path path_;
  std::size_t deaths_ = 0;
};

/// Removes the note of a job that is done.
void clear_tries(const std::filesystem::path& folder, const std::string& name);

}  // namespace vestige::pool
