// Who wrote something into the pool, and whether that process still lives.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace vestige::pool {

/// Host name and a tag of boot and process-id space ("node7-3fa9c2d1"): two processes with the same
/// text see each other's process ids. Machines or containers of the same name differ in the tag.
const std::string& machine();

/// True if the process surely is no more: it ran on this machine and its id is free, or belongs to
/// a process with another platform::process_start (`start` empty: not compared).
bool process_gone(std::string_view host, pid_t pid, std::string_view start);

/// Now, in seconds, by the clock that stamps files in `folder`: on a network file system the
/// server's, so that the machines' own clocks do not matter. Looked up at most every ten seconds.
double file_system_now(const std::filesystem::path& folder);

/// A name that no other process uses: ".tmp.NAME.HOST.PID.COUNT".
std::string temporary_name(std::string_view name);

/// Removes what dead processes left: .tmp.* of this machine's dead processes, and of any process
/// after an hour without change.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace vestige::pool
