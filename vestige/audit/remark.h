// What a reader must know before the numbers, with its cause: the same words for the same cause, so
// that views can group by it.
#pragma once

#include <string>
#include <vector>

namespace vestige::audit {

struct Remark {
  std::string cause;  ///< one of those below; empty where it is not known (older results)
  std::vector<std::string> metrics;  ///< ids that it is about, or a family's name; may be empty
  std::string text;                  ///< the whole sentence, naming metric and setting

  bool operator==(const Remark&) const = default;
};

inline constexpr const char* kAboutEvidence = "About the evidence";
inline constexpr const char* kCannotTell = "Cannot tell original from retrained here";
inline constexpr const char* kWrongWay = "Rates the original better than retrained here";
inline constexpr const char* kConstantAsGood = "A constant predictor scores as well as retrained";
inline constexpr const char* kRoom = "All that a method can gain";
inline constexpr const char* kUnreliable = "Unreliable, as the metric itself found";
inline constexpr const char* kWithCare = "To be read with care";

}  // namespace vestige::audit
