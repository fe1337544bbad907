// The other program, vestige-lab: which verbs it has, where it is, and how it is started.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vestige::cli {

struct LabVerb {
  const char* name;
  const char* summary;  ///< as vestige-lab --help says it; a test compares the two
};

/// In the order of the help.
std::span<const LabVerb> lab_verbs();

/// Whether the first word is a verb of vestige-lab. `demo --evidence` is not: it trains nothing.
bool is_lab_command(int argc, char** argv);

/// vestige-lab beside this program, then on the PATH; nothing if it is in neither.
std::optional<std::filesystem::path> find_lab();

/// What to do where vestige-lab is missing, as the end of a sentence.
extern const char* const kHowToGetLab;

/// Becomes vestige-lab with the same arguments, so that signals and the exit code are its own.
/// Returns only if it cannot be started: says why and gives the exit code.
int start_lab(char** argv);

/// Runs vestige-lab and returns what it prints. InputError if it does not end with 0 or 1.
std::string output_of_lab(const std::filesystem::path& lab, std::vector<std::string> arguments);

}  // namespace vestige::cli
