// Which files a shell command runs or reads, and their hashes: an edited script is another method.
#pragma once

#include <string>
#include <vector>

#include "vestige/base/json.h"

namespace vestige::unlearn {

/// path -> SHA-256 of every word of `command` that names a file ("~", "$HOME" and NAME=FILE are
/// understood; compiled programs are left out, so that a new interpreter is not a new method), and
/// of `files`, which may be folders. Relative words are seen from the working directory. InputError
/// for one of `files` that does not exist or cannot be read.
Json script_hashes(const std::string& command, const std::vector<std::string>& files);

}  // namespace vestige::unlearn
