// Reading evidence: every file into its place, and everything that is wrong with it.
#pragma once

#include <filesystem>

#include "vestige/evidence/evidence.h"
#include "vestige/evidence/finding.h"

namespace vestige::evidence {

/// What could be read, and what was found on the way. Arrays with an error are left out.
struct Reading {
  Evidence evidence;
  Findings findings;
};

/// Reads a folder, .npz or .safetensors file and checks it (checks.h). Throws only if there is
/// nothing to read at all. `with_hashes` also computes the SHA-256 of every input.
Reading read(const std::filesystem::path& path, bool with_hashes = false);

/// Like read, but throws the first error; warnings and notes stay in the findings.
Reading load(const std::filesystem::path& path, bool with_hashes = false);

}  // namespace vestige::evidence
