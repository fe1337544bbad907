// Reading evidence: every file into its place, and everything that is wrong with it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

class Source;

/// What could be read, and what was found on the way. Arrays with an error are left out.
struct Reading {
  Evidence evidence;
  Findings findings;
};

struct ReadOptions {
  bool with_hashes = false;  ///< also compute the SHA-256 of every input
  bool keep_going = false;   ///< leave out a model that has an error, with a warning, and go on
  std::vector<std::string> methods = {};  ///< read these unlearned methods only; empty: all
  std::vector<std::string> exclude = {};  ///< and not these
};

/// Reads a folder, .npz or .safetensors file and checks it (checks.h). A model that stands twice in
/// its group is read once (same_models.h). Hashes and checks run on the context's threads. Throws
/// if there is nothing to read at all, or if the options name a method that is not there.
Reading read(const std::filesystem::path& path, const ReadOptions& options,
             const Context& context = {});
Reading read(const std::filesystem::path& path, bool with_hashes = false,
             const Context& context = {});

/// The same of an opened source (source.h).
Reading read(Source source, const ReadOptions& options, const Context& context = {});

/// Like read, but throws the first error; warnings and notes stay in the findings.
Reading load(const std::filesystem::path& path, const ReadOptions& options,
             const Context& context = {});
Reading load(Source source, const ReadOptions& options, const Context& context = {});
Reading load(const std::filesystem::path& path, bool with_hashes = false,
             const Context& context = {});

}  // namespace vestige::evidence
