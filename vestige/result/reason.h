// Why something is so, as data: a code and its arguments. The sentence is made last, by words/.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace vestige::result {

/// Every reason the program can give; reasons/*.def list them by topic, with their arguments.
enum class Code {
  none,  ///< no reason
#define REASON(code, arguments) code,
#include "vestige/result/reasons/all.def"
#undef REASON
};

/// What an argument is. `metric` and `metrics` are ids; words/ may show the plain name instead.
enum class Kind { number, count, text, texts, metric, metrics, reasons };

struct Parameter {
  std::string_view name;
  Kind kind;
};

/// Every code but `none`, in the order of the lists.
std::span<const Code> all_codes();
/// "few_calibration_examples"; empty for none.
std::string_view name(Code code);
/// The code of this name; none if there is no such code.
Code code_of(std::string_view name);
/// What the code's arguments are called, in order.
std::span<const Parameter> parameters(Code code);

struct Reason;
using Reasons = std::vector<Reason>;
using Argument = std::variant<double, std::int64_t, std::string, std::vector<std::string>, Reasons>;

struct Reason {
  Code code = Code::none;
  std::vector<Argument> arguments{};  ///< as parameters(code) lists them

  Reason() = default;
  Reason(Code its_code) : code(its_code) {}  // NOLINT: a code without arguments is a reason
  Reason(Code its_code, std::vector<Argument> its_arguments);

  bool empty() const { return code == Code::none; }
  bool operator==(const Reason&) const = default;
};

/// The argument of this name. Asserts that the code has it.
const Argument& argument(const Reason& reason, std::string_view name);

namespace detail {
template <typename Value>
Argument to_argument(Value&& value) {
  using Plain = std::decay_t<Value>;
  if constexpr (std::is_same_v<Plain, bool>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::is_integral_v<Plain>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::is_floating_point_v<Plain>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
    return std::string(std::string_view(value));
  } else if constexpr (std::is_same_v<Plain, Reason>) {
    return value.empty() ? Reasons{} : Reasons{std::forward<Value>(value)};
  } else if constexpr (std::is_same_v<Plain, std::vector<std::string_view>>) {
    return std::vector<std::string>(value.begin(), value.end());
  } else {
    return Argument(std::forward<Value>(value));
  }
}
}  // namespace detail

/// reason(Code::few_models, 3, 64): arguments in the order of the list. A wrong number or kind of
/// arguments is an internal error.
template <typename... Values>
Reason reason(Code code, Values&&... values) {
  std::vector<Argument> arguments;
  arguments.reserve(sizeof...(values));
  (arguments.push_back(detail::to_argument(std::forward<Values>(values))), ...);
  return Reason(code, std::move(arguments));
}

}  // namespace vestige::result
