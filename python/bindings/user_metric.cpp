// Metrics that are Python functions: each becomes a metric group of this process.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

#include "python/bindings/arrays.h"
#include "python/bindings/module.h"
#include "vestige/metrics/mean_family.h"

namespace vestige::python {
namespace {

using metrics::Code;
using metrics::Comparison;
using metrics::reason;
using metrics::Row;

/// As registered; texts stay where they are, because the family views them.
struct UserMetric {
  std::string id, name, what, function, source;
  std::string direction;
  double ideal = metrics::kUndefined;
  std::vector<std::string> needs;
  /// (model, kind, {split: {"outputs", "labels", "losses"}}) -> what `Answer` reads. Never
  /// released: the interpreter may be gone when statics are destroyed.
  PyObject* call = nullptr;
};

/// What a call gave.
struct Answer {
  std::string kind;  ///< "number", "terms", or what went wrong: "raised", "not_finite", ...
  double number = metrics::kUndefined;
  std::vector<double> terms;
  std::string text;       ///< of an error, or the shape
  std::size_t count = 0;  ///< values that are not finite
};

/// A read-only view that keeps the array's bytes; every example of a constant predictor is one row.
py::array view_of(const evidence::Array& array) {
  const auto item = static_cast<py::ssize_t>(array.item_size());
  std::vector<py::ssize_t> shape(array.shape().begin(), array.shape().end());
  std::vector<py::ssize_t> strides(shape.size(), item);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  if (array.bytes().size() < array.size() * array.item_size()) strides[0] = 0;
  auto kept = std::make_unique<evidence::Array>(array);
  const void* bytes = kept->bytes().data();
  const py::capsule owner(kept.release(),
                          [](void* pointer) { delete static_cast<evidence::Array*>(pointer); });
  py::array view(py::dtype(std::string(name(array.dtype()))), shape, strides, bytes, owner);
  view.attr("setflags")(py::arg("write") = false);
  return view;
}

bool can_read(const evidence::Array& array) {
  return array.dtype() != evidence::DType::bfloat16 && array.dtype() != evidence::DType::text;
}

py::object numbers_of(const evidence::Array& array) {
  if (can_read(array)) return view_of(array);
  return view_of(evidence::Array::from_doubles(array.doubles(), array.shape()));
}

bool has_split(const evidence::Evidence& evidence, const evidence::Model& model,
               const std::string& split) {
  return (model.has(split) && evidence.find_labels(model, split) != nullptr) ||
         model.losses.count(split) > 0;
}

metrics::Reason lacking(const UserMetric& metric, const std::string& model) {
  return reason(
      Code::needs_outputs_and_labels, metric.needs,
      fmt::format("{}/{}.npy", model,
                  metric.needs.size() == 1 ? metric.needs[0]
                                           : fmt::format("{{{}}}", fmt::join(metric.needs, ","))));
}

py::dict inputs_of(const UserMetric& metric, const evidence::Evidence& evidence,
                   const evidence::Model& model) {
  py::dict splits;
  for (const std::string& split : metric.needs) {
    py::dict parts;
    if (model.has(split)) parts["outputs"] = numbers_of(model.outputs.at(split));
    if (const auto losses = model.losses.find(split); losses != model.losses.end()) {
      parts["losses"] = numbers_of(losses->second);
    }
    if (const auto* labels = evidence.find_labels(model, split)) {
      parts["labels"] = view_of(evidence::Array::from_integers(*labels, {labels->size()}));
    }
    splits[py::str(split)] = parts;
  }
  return splits;
}

/// Called without the interpreter's lock, from any thread.
Answer answer_of(const UserMetric& metric, const Comparison& comparison) {
  const py::gil_scoped_acquire lock;
  const evidence::Model& model = *comparison.candidate.front();
  const auto given = py::reinterpret_borrow<py::object>(metric.call)(
                         model.id(), std::string(name(comparison.evidence->kind)),
                         inputs_of(metric, *comparison.evidence, model))
                         .cast<py::tuple>();
  Answer answer;
  answer.kind = given[0].cast<std::string>();
  if (answer.kind == "number") {
    answer.number = given[1].cast<double>();
  } else if (answer.kind == "terms") {
    const auto terms = given[1].cast<Doubles>();
    answer.terms.assign(terms.data(), terms.data() + terms.size());
  } else if (answer.kind == "not_finite") {
    answer.count = given[1].cast<std::size_t>();
  } else if (answer.kind != "writes") {
    answer.text = given[1].cast<std::string>();
  }
  return answer;
}

double value_of(const Answer& answer) {
  if (answer.kind != "terms") return answer.number;
  double sum = 0;
  for (const double term : answer.terms) sum += term;
  return sum / static_cast<double>(answer.terms.size());
}

metrics::Reason failure_of(const UserMetric& metric, const Comparison& comparison,
                           const Answer& answer) {
  const evidence::Model& model = *comparison.candidate.front();
  if (answer.kind == "raised") {
    return reason(Code::user_metric_raised, metric.function, model.id(), answer.text);
  }
  if (answer.kind == "not_finite") {
    return reason(Code::user_metric_not_finite, metric.function, model.id(), answer.count);
  }
  if (answer.kind == "writes") {
    return reason(Code::user_metric_writes, metric.function, model.id());
  }
  const std::string& split = metric.needs.front();
  const auto* labels = comparison.evidence->find_labels(model, split);
  const std::size_t examples = labels != nullptr ? labels->size() : model.losses.at(split).rows();
  return reason(Code::user_metric_shape, metric.function, model.id(), answer.text, split, examples);
}

/// The first model that has everything was asked about twice.
struct AskedTwice {
  const Comparison* about = nullptr;
  Answer answer;           ///< the second one
  metrics::Reason random;  ///< empty if both agree
};

Row measured(const UserMetric& metric, const Comparison& comparison,
             const metrics::Request& request, const AskedTwice& asked) {
  Row row = metrics::make_row(metric.id, comparison, request);
  row.settings["source"] = metric.source.substr(0, 12);
  const evidence::Model& model = *comparison.candidate.front();
  for (const std::string& split : metric.needs) {
    if (has_split(*comparison.evidence, model, split)) continue;
    row.status = metrics::Status::skipped;
    row.notes = {lacking(metric, model.id())};
    return row;
  }
  Answer answer = asked.about == &comparison ? asked.answer : answer_of(metric, comparison);
  if (answer.kind == "terms") {
    metrics::set_mean(row, std::move(answer.terms));
  } else if (answer.kind == "number") {
    row.value = answer.number;
    row.n = comparison.evidence->find_labels(model, metric.needs.front()) != nullptr
                ? comparison.evidence->find_labels(model, metric.needs.front())->size()
                : model.losses.at(metric.needs.front()).rows();
  } else {
    row.status = metrics::Status::undefined;
    row.notes = {failure_of(metric, comparison, answer)};
    return row;
  }
  if (!asked.random.empty()) {
    row.status = metrics::Status::unreliable;
    row.notes = {asked.random};
  }
  return row;
}

AskedTwice ask_twice(const UserMetric& metric, const metrics::Preparation& from) {
  for (const Comparison& comparison : from.comparisons) {
    const evidence::Model& model = *comparison.candidate.front();
    const bool complete = std::all_of(
        metric.needs.begin(), metric.needs.end(),
        [&](const std::string& split) { return has_split(from.evidence, model, split); });
    if (!complete) continue;
    const Answer first = answer_of(metric, comparison);
    AskedTwice asked{&comparison, answer_of(metric, comparison), {}};
    const Answer& second = asked.answer;
    const auto has_numbers = [](const Answer& answer) {
      return answer.kind == "number" || answer.kind == "terms";
    };
    const bool same =
        first.kind == second.kind &&
        (first.kind == "number" ? first.number == second.number : first.terms == second.terms);
    if (has_numbers(first) && has_numbers(second) && !same) {
      asked.random = reason(Code::user_metric_random, metric.function, model.id(), value_of(first),
                            value_of(second));
    }
    return asked;
  }
  return {};
}

metrics::Family family_of(const UserMetric& metric) {
  metrics::Family family;
  family.name = metric.id;
  family.summary = metric.what;
  family.metrics = {{.id = metric.id,
                     .direction = metric.direction == "lower"    ? metrics::Direction::lower
                                  : metric.direction == "higher" ? metrics::Direction::higher
                                                                 : metrics::Direction::match,
                     .ideal = metric.ideal,
                     .name = metric.name,
                     .what = metric.what,
                     .shows_forgetting = true}};
  family.support = [&metric](const evidence::Evidence& evidence) -> metrics::Support {
    for (const evidence::Group& group : evidence.groups) {
      const bool complete =
          std::all_of(metric.needs.begin(), metric.needs.end(), [&](const std::string& split) {
            return has_split(evidence, group.models.front(), split);
          });
      if (complete) {
        return {true, reason(Code::metric_of_user, metric.id, metric.function, metric.source)};
      }
    }
    return {false, lacking(metric, "MODEL")};
  };
  family.prepare = [&metric](const metrics::Preparation& from) -> metrics::Measure {
    // With a number for each example samples.csv has a column of them.
    return [&metric, asked = std::make_shared<const AskedTwice>(ask_twice(metric, from)),
            &request = from.request](const Comparison& comparison,
                                     Progress&) -> metrics::Measurements {
      metrics::Measurements found;
      found.rows.push_back(measured(metric, comparison, request, *asked));
      const std::vector<double>& terms = found.rows.front().terms;
      if (!terms.empty()) {
        found.columns.push_back(
            {metric.id + "." + comparison.short_name, metric.needs.front(), terms, {}});
      }
      return found;
    };
  };
  return family;
}

struct Registered {
  explicit Registered(UserMetric given) : metric(std::move(given)), family(family_of(metric)) {}
  UserMetric metric;
  metrics::AddedFamily family;
};

/// Never destroyed: families of it may be asked for until the process ends.
std::map<std::string, std::unique_ptr<Registered>>& registered() {
  static auto* all = new std::map<std::string, std::unique_ptr<Registered>>;
  return *all;
}

/// The registry may not change while an audit reads it.
std::unique_lock<std::shared_mutex> without_audits() {
  std::unique_lock lock(registry_lock(), std::try_to_lock);
  require(lock.owns_lock(),
          "metrics cannot be added or removed while an audit runs: do it before or after");
  return lock;
}

void add(UserMetric metric) {
  const auto lock = without_audits();
  const auto before = registered().find(metric.id);
  require(before != registered().end() || metrics::find_metric(metric.id) == nullptr,
          "the metric '{}' is one of Vestige: give yours another id, for example 'my_{}'",
          metric.id, metric.id);
  for (const metrics::Family& family : metrics::families()) {
    require(before != registered().end() || family.name != metric.id,
            "'{}' is a metric group of Vestige: give your metric another id, for example 'my_{}'",
            metric.id, metric.id);
  }
  if (before != registered().end()) registered().erase(before);
  const std::string id = metric.id;
  registered().emplace(id, std::make_unique<Registered>(std::move(metric)));
}

}  // namespace

std::shared_mutex& registry_lock() {
  static std::shared_mutex lock;
  return lock;
}

void add_user_metrics(py::module_& module) {
  module.def(
      "add_metric",
      [](const std::string& id, const std::string& direction, double ideal, const std::string& name,
         const std::string& what, const std::string& function, const std::string& source,
         const std::vector<std::string>& needs, py::function call) {
        add({id, name, what, function, source, direction, ideal, needs, call.release().ptr()});
      },
      py::arg("id"), py::kw_only(), py::arg("direction"), py::arg("ideal"), py::arg("name"),
      py::arg("what"), py::arg("function"), py::arg("source"), py::arg("needs"), py::arg("call"),
      "Adds a Python function to the metrics of this process.");
  module.def(
      "remove_metric",
      [](const std::string& id) {
        const auto lock = without_audits();
        require(registered().erase(id) > 0, "there is no metric '{}' of the user", id);
      },
      py::arg("id"), "Takes a Python function out of the metrics of this process.");
  module.def(
      "metric_ids",
      [] {
        std::vector<std::string> ids;
        for (const metrics::Family& family : metrics::families()) {
          for (const metrics::MetricInfo& info : family.metrics) ids.emplace_back(info.id);
        }
        return ids;
      },
      "Ids of all metrics, in the order of reports.");
}

}  // namespace vestige::python
