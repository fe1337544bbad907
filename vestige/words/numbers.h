// Numbers and nouns as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::words {

/// 2400 -> "2,400".
std::string with_separators(std::int64_t count);
/// To two significant digits: 2383 -> 2400.
std::int64_t two_digits(std::int64_t count);
/// "1 example", "2 examples"; `noun` may give its plural: "index/indices".
std::string counted(std::int64_t count, std::string_view noun);
/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& items, std::string_view last = "and");
/// The first three: "a, b, c and 7 more".
std::string some_of(std::vector<std::string> items);
/// 0.123 -> "12 %"; one digit below 10 % and above 99 %. Never "0 %" or "100 %" for a value that is
/// not exactly that: "<0.1 %", ">99.9 %".
std::string percent(double share);
/// "45 s", "12 min", "3.4 h".
std::string duration(double seconds);

}  // namespace vestige::words
