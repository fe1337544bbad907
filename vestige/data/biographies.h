// Invented lives with questions, right answers in two wordings and wrong ones of the same form:
// texts whose every fact is known to be in no other data (in the manner of TOFU, Maini et al.
// 2024).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vestige::data {

struct Question {
  std::string question;
  std::string answer;
  std::string paraphrased;             ///< the answer in other words
  std::vector<std::string> perturbed;  ///< the answer's words with another value, all different
};

struct Biography {
  std::string name;  ///< nobody else's in the same draw
  std::string text;  ///< the answers one after the other
  std::vector<Question> questions;
};

/// The most lives that one draw can give: every name is used once.
std::size_t most_biographies();

/// `count` lives; names from the stream (seed, "biographies/names"), the facts of life i from
/// (seed, "biographies/facts", i), so that life i is the same however many are drawn. InputError
/// for more lives than names, or more wrong answers than there are other values.
std::vector<Biography> biographies(std::size_t count, std::uint64_t seed,
                                   std::size_t perturbed = 3);

}  // namespace vestige::data
