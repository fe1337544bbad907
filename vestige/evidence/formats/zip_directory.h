// Where the members of a zip archive lie, which libzip does not tell: for views of stored members.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace vestige::evidence {

/// Name -> place of the first byte of the member's data. Empty if the archive is not understood;
/// a place is a proposal, the caller compares what lies there with what libzip reads.
std::map<std::string, std::size_t> zip_data_places(std::span<const std::byte> archive);

}  // namespace vestige::evidence
