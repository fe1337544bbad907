// Verdicts per erasure request: does a method still know the examples of one request better than
// models that never saw them? docs/practice/requests.md has the definitions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/result/row.h"

namespace vestige::result {

/// The verdict on one request in a word.
enum class RequestWord {
  traces_remain,
  no_trace_detected,  ///< a fully remembered request of this size would have been detected
  not_decided,        ///< tested; too few examples, or the power is not known
  not_tested          ///< something needed is missing
};
VESTIGE_NAMES(RequestWord, {RequestWord::traces_remain, "traces_remain"},
              {RequestWord::no_trace_detected, "no_trace_detected"},
              {RequestWord::not_decided, "not_decided"}, {RequestWord::not_tested, "not_tested"})

/// What is compared over the examples of a request.
enum class RequestSignal {
  none,         ///< nothing could be compared
  probability,  ///< probability of the true class
  likelihood    ///< mean log-probability of a token
};
VESTIGE_NAMES(RequestSignal, {RequestSignal::none, ""}, {RequestSignal::probability, "probability"},
              {RequestSignal::likelihood, "likelihood"})

/// By what two examples are nearly the same.
enum class Likeness { text, activations };
VESTIGE_NAMES(Likeness, {Likeness::text, "text"}, {Likeness::activations, "activations"})

struct RequestVerdict {
  std::string request{}, subject{}, date{};
  std::size_t examples = 0;
  RequestWord word = RequestWord::not_tested;
  /// Mean over its examples of (method - retrained) minus the same on unseen examples of the class.
  double difference = kUndefined;
  double share = kUndefined;     ///< of what the original memorised of the forget set
  double p = kUndefined;         ///< one-sided, by rank among draws of unseen examples
  double adjusted = kUndefined;  ///< over the requests (Benjamini and Hochberg)
  double power = kUndefined;     ///< that a fully remembered request of this size is detected

  static constexpr std::string_view kType = "RequestVerdict";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("request", &RequestVerdict::request, "name of the request");
    visit("subject", &RequestVerdict::subject, "person that it is about; may be empty");
    visit("date", &RequestVerdict::date, "date of the request; may be empty");
    visit("examples", &RequestVerdict::examples, "number of forget examples of the request");
    visit("word", &RequestVerdict::word, "the verdict in a word");
    visit("difference", &RequestVerdict::difference,
          "mean of method minus retrained, minus the same on unseen examples");
    visit("share", &RequestVerdict::share,
          "the difference as a share of the original-retrained difference");
    visit("p", &RequestVerdict::p, "one-sided p-value of no trace");
    visit("adjusted", &RequestVerdict::adjusted,
          "p-value adjusted over the requests (Benjamini and Hochberg)");
    visit("power", &RequestVerdict::power,
          "probability that a fully remembered request of this size is detected");
  }
};

struct MethodRequests {
  std::string method{};
  std::optional<std::size_t> examples_needed{};  ///< of a request, for the declared power
  Reason missing{};                              ///< why nothing could be tested
  std::vector<RequestVerdict> requests{};        ///< worst first

  static constexpr std::string_view kType = "MethodRequests";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("method", &MethodRequests::method, "unlearning method");
    visit("examples_needed", &MethodRequests::examples_needed,
          "examples that a request needs for the declared power; null where not known");
    visit("missing", &MethodRequests::missing, "why nothing could be tested");
    visit("requests", &MethodRequests::requests, "one verdict per request, worst first");
  }
};

/// A forget example with a retain example that is nearly the same: it cannot be forgotten while
/// that one stays.
struct NearDuplicate {
  std::size_t forget = 0, retain = 0;  ///< rows of the arrays
  double similarity = 0;               ///< 1: the same
  Likeness by = Likeness::activations;
  std::string layer{};  ///< of the activations

  static constexpr std::string_view kType = "NearDuplicate";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("forget", &NearDuplicate::forget, "row of the forget example");
    visit("retain", &NearDuplicate::retain, "row of the retain example");
    visit("similarity", &NearDuplicate::similarity, "similarity; 1 means equal");
    visit("by", &NearDuplicate::by, "what is similar: text or activations");
    visit("layer", &NearDuplicate::layer, "layer of the activations; empty for texts");
  }
};

struct Requests {
  RequestSignal signal = RequestSignal::none;
  Reason missing{};           ///< why nothing could be tested; empty if it could
  double level = kUndefined;  ///< declared share of false alarms among requests with traces
  double power = kUndefined;  ///< declared: below it a request without traces is not decided
  std::vector<MethodRequests> methods{};
  std::vector<NearDuplicate> near_duplicates{};  ///< at most one per forget example

  static constexpr std::string_view kType = "Requests";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("signal", &Requests::signal, "what was compared: probability or likelihood");
    visit("missing", &Requests::missing, "why nothing could be tested");
    visit("level", &Requests::level, "declared share of false alarms");
    visit("power", &Requests::power, "declared power");
    visit("methods", &Requests::methods, "verdicts by method");
    visit("near_duplicates", &Requests::near_duplicates,
          "forget examples that nearly equal a retain example");
  }
};

}  // namespace vestige::result
