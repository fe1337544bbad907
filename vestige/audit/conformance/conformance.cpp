// Reading, running and judging conformance cases.
#include "vestige/audit/conformance/conformance.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/nesting.h"
#include "vestige/evidence/formats/npy.h"

namespace vestige::audit {
namespace {

using evidence::Array;

double number_of(const Json& json, const std::string& where) {
  if (json.is_number()) return json.get<double>();
  if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
  if (json.is_null() || json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  fail("{}: {} is no number", where, json.dump());
}

void flatten(const Json& json, const std::string& where, std::vector<double>& values,
             std::vector<std::size_t>& shape, std::size_t depth) {
  if (!json.is_array()) {
    values.push_back(number_of(json, where));
    return;
  }
  if (shape.size() == depth) shape.push_back(json.size());
  for (const Json& item : json) flatten(item, where, values, shape, depth + 1);
}

bool is_error_name(const Json& json) {
  return json.is_string() && json != "nan" && json != "inf" && json != "-inf";
}

Array array_of(const Json& json, const std::filesystem::path& folder, const std::string& where) {
  if (json.is_object() && json.contains("file")) {
    return evidence::read_npy(folder / json["file"].get<std::string>());
  }
  std::vector<double> values;
  std::vector<std::size_t> shape;
  flatten(json, where, values, shape, 0);
  if (shape.empty()) shape.push_back(1);
  std::size_t size = 1;
  for (const std::size_t dimension : shape) size *= dimension;
  require(size == values.size(), "{}: the nested lists have different lengths", where);
  return Array::from_doubles(std::move(values), std::move(shape));
}

bool close(double actual, double expected, double absolute, double relative) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(expected)) return actual == expected;
  return std::abs(actual - expected) <= absolute + relative * std::abs(expected);
}

/// Empty if the field is met, else the first mismatch.
std::string mismatch(const ConformanceCase& test_case, const std::string& field,
                     const std::vector<double>& actual) {
  const std::vector<double> expected = test_case.expected.at(field).doubles();
  if (expected.size() != actual.size()) {
    return fmt::format("{}: {} values, expected {}", field, actual.size(), expected.size());
  }
  for (std::size_t index = 0; index < expected.size(); ++index) {
    if (!close(actual[index], expected[index], test_case.absolute, test_case.relative)) {
      return fmt::format("{}[{}] = {}, expected {} (tolerance {:g} absolute, {:g} relative)", field,
                         index, actual[index], expected[index], test_case.absolute,
                         test_case.relative);
    }
  }
  return {};
}

bool is_informative(const ConformanceRunner& runner, const std::string& field) {
  for (const std::string_view name : runner.informative) {
    if (name == field) return true;
  }
  return false;
}

std::string first_problem(const ConformanceCase& test_case, const ConformanceRunner& runner) {
  ConformanceValues values;
  try {
    values = runner.run(test_case);
  } catch (const InputError& error) {
    // A case that expects an error in every field is met by a clear error.
    if (test_case.expected.empty() && !test_case.expected_errors.empty()) return {};
    return error.what();
  } catch (const std::out_of_range&) {
    return "the case lacks an input that its metric needs";
  }
  for (const auto& [field, array] : test_case.expected) {
    const auto found = values.find(field);
    if (found == values.end()) {
      if (is_informative(runner, field)) continue;
      return fmt::format("{} was not computed", field);
    }
    const std::string problem = mismatch(test_case, field, found->second);
    if (!problem.empty()) return problem;
  }
  for (const auto& [field, error] : test_case.expected_errors) {
    const auto found = values.find(field);
    if (is_informative(runner, field)) continue;
    if (found == values.end()) return fmt::format("{} was not computed", field);
    // Without an exception the outcome for "no answer" is NaN.
    for (const double value : found->second) {
      if (!std::isnan(value)) {
        return fmt::format("{} = {}, expected {} or undefined", field, value, error);
      }
    }
  }
  return {};
}

ConformanceCase case_of(const Json& json, const std::filesystem::path& case_json) {
  const std::string where = case_json.string();
  for (const char* field : {"metric", "inputs", "expected"}) {
    require(json.is_object() && json.contains(field), "{} has no \"{}\"", where, field);
  }
  ConformanceCase result;
  result.metric = json["metric"].get<std::string>();
  result.name = json.value("case", case_json.parent_path().filename().string());
  result.params = json.value("params", Json::object());
  const std::filesystem::path folder = case_json.parent_path();
  for (const auto& [name, input] : json["inputs"].items()) {
    if (!input.is_object() || !input.contains("file")) result.literals[name] = input;
    if (is_error_name(input) || (input.is_object() && !input.contains("file"))) continue;
    result.inputs[name] = array_of(input, folder, where);
  }
  for (const auto& [name, expected] : json["expected"].items()) {
    if (is_error_name(expected)) {
      result.expected_errors[name] = expected.get<std::string>();
    } else {
      result.expected[name] = array_of(expected, folder, where);
    }
  }
  if (json.contains("tolerance")) {
    result.absolute = json["tolerance"].value("abs", 0.0);
    result.relative = json["tolerance"].value("rel", 0.0);
  }
  return result;
}

}  // namespace

bool ConformanceCase::has(std::string_view input) const {
  return inputs.count(std::string(input)) > 0;
}

std::vector<double> ConformanceCase::numbers(std::string_view input) const {
  require(has(input), "{}/{}: the case has no input \"{}\"", metric, name, input);
  return inputs.at(std::string(input)).doubles();
}

std::vector<std::int64_t> ConformanceCase::integers(std::string_view input) const {
  require(has(input), "{}/{}: the case has no input \"{}\"", metric, name, input);
  return inputs.at(std::string(input)).integers();
}

Matrix ConformanceCase::matrix(std::string_view input) const {
  require(has(input), "{}/{}: the case has no input \"{}\"", metric, name, input);
  const Array& array = inputs.at(std::string(input));
  Matrix result(array.rows(), array.cols());
  array.read(0, result.values());
  return result;
}

double ConformanceCase::parameter(std::string_view key, double fallback) const {
  const auto found = params.find(std::string(key));
  return found == params.end() ? fallback : number_of(*found, metric + "/" + name);
}

ConformanceCase read_case(const std::filesystem::path& case_json) {
  const std::string where = case_json.string();
  try {
    const std::string text = read_file(case_json);
    require(!json_too_deep(text), "{} is nested too deeply: it is no case", where);
    return case_of(Json::parse(text), case_json);
  } catch (const Json::parse_error& error) {
    fail("{} is no valid JSON: {}", where, error.what());
  } catch (const Json::exception& error) {
    fail("{} is no case: {}; tests/reference/README.md describes them", where, error.what());
  }
}

ConformanceOutcome run_case(const ConformanceCase& test_case,
                            std::span<const ConformanceRunner> runners, const Context& context) {
  ConformanceOutcome outcome{
      test_case.metric, test_case.name, ConformanceOutcome::Verdict::skipped, {}};
  for (const ConformanceRunner& runner : runners) {
    if (runner.metric != test_case.metric) continue;
    outcome.detail = context.run([&] { return first_problem(test_case, runner); });
    outcome.verdict = outcome.detail.empty() ? ConformanceOutcome::Verdict::passed
                                             : ConformanceOutcome::Verdict::failed;
    return outcome;
  }
  outcome.detail = "this build has no such metric";
  return outcome;
}

}  // namespace vestige::audit
