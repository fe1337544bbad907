// The words that results.json uses.
#include "vestige/metrics/result.h"

namespace vestige::metrics {

std::string_view name(Direction direction) {
  switch (direction) {
    case Direction::lower:
      return "lower";
    case Direction::higher:
      return "higher";
    case Direction::match:
      return "match";
  }
  return "";
}

std::string_view name(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::undefined:
      return "undefined";
    case Status::skipped:
      return "skipped";
    case Status::unreliable:
      return "unreliable";
  }
  return "";
}

std::string_view name(Control control) {
  switch (control) {
    case Control::none:
      return "";
    case Control::floor:
      return "floor";
    case Control::ceiling:
      return "ceiling";
    case Control::collapsed:
      return "collapsed";
    case Control::graded:
      return "graded";
    case Control::checkpoint:
      return "checkpoint";
  }
  return "";
}

}  // namespace vestige::metrics
