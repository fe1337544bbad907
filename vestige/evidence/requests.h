// requests.csv: which forget rows each erasure request is about.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

inline constexpr std::string_view kRequestsFile = "requests.csv";

struct ErasureRequest {
  std::string name;
  std::vector<std::size_t> rows;  ///< of forget, ascending, each once
  std::string subject;            ///< empty where the file does not say
  std::string date;               ///< as the file has it
};

/// From text with a header line: `request` and `row` (a place from 0, or an id where forget rows
/// have ids) or `subject` (all its forget rows), optionally `date`. In the order of their first
/// lines. InputError with the line for a row outside forget, an unknown subject or column, or no
/// rows.
std::vector<ErasureRequest> parse_requests(std::string_view text, const Evidence& evidence,
                                           std::size_t forget_rows);

/// Whether the evidence has the file.
bool has_requests(const Evidence& evidence);

/// Of the evidence on disk; none where it has no such file.
std::vector<ErasureRequest> read_requests(const Evidence& evidence, std::size_t forget_rows);

}  // namespace vestige::evidence
