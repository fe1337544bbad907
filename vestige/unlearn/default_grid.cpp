// One or two options of each method, with values around the default.
#include "vestige/unlearn/default_grid.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "vestige/models/kinds.h"
#include "vestige/unlearn/table.h"

namespace vestige::unlearn {
namespace {

/// Values of one option: the default times `factors`, or `values` as they stand. Either has the
/// default in it.
struct Axis {
  std::string option{};
  std::vector<double> factors{};
  std::vector<double> values{};
};

const std::vector<double> kTens = {0.1, 1, 10};
const std::vector<double> kDoubles = {0.5, 1, 2};

Axis rate() { return {.option = "rate", .factors = kTens}; }
Axis epochs() { return {.option = "epochs", .factors = kDoubles}; }
Axis tens(const char* option) { return {.option = option, .factors = kTens}; }
Axis doubles(const char* option) { return {.option = option, .factors = kDoubles}; }
Axis values(const char* option, std::vector<double> list) {
  return {.option = option, .values = std::move(list)};
}

/// The option that a method's page names as its strength first.
const std::map<std::string, std::vector<Axis>>& axes() {
  const Axis lambda = values("lambda", {0.2, 0.5, 1});  // the conformal paper's three
  static const std::map<std::string, std::vector<Axis>> kAxes = {
      {"finetune", {rate(), epochs()}},
      {"gradient_ascent", {rate(), values("epochs", {1, 3, 10})}},
      {"neggrad_plus", {rate(), values("a", {0.9, 0.999, 0.99999})}},
      {"random_label", {rate(), values("repair_epochs", {1, 2, 4})}},
      {"random_targets", {rate(), values("repair_epochs", {0.5, 1, 2})}},
      {"salun", {rate(), values("fraction", {0.3, 0.5, 0.7})}},
      {"l1_sparse", {rate(), tens("alpha")}},
      {"scrub", {rate(), values("epochs", {1, 2, 3})}},
      {"ssd", {tens("lambda"), values("alpha", {2, 10, 50})}},
      {"amnesiac", {rate(), epochs()}},
      {"amnesiac_log", {values("epochs", {0, 0.5, 1, 1.5, 2, 3, 4, 6, 8})}},
      {"bad_teacher", {rate(), epochs()}},
      // 0: the original's rate.
      {"unroll", {values("rate", {0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3})}},
      {"sfron", {rate(), values("forget_weight", {5, 25, 125})}},
      {"conformal_retrain", {lambda, tens("delta")}},
      {"conformal_finetune", {rate(), lambda}},
      {"conformal_random_label", {rate(), lambda}},
      {"cw", {rate(), lambda}},
      {"fisher", {{.option = "alpha", .factors = {1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000, 1e4}}}},
      {"forsaken", {rate(), tens("penalty")}},
      {"lcodec", {tens("scale"), tens("damping")}},
      {"boundary_shrink", {rate(), epochs()}},
      {"boundary_expand", {rate(), epochs()}},
      {"fanchuan", {rate(), tens("contrast_rate")}},
      {"kookmin", {rate(), values("share", {0.1, 0.3, 0.5})}},
      {"seif", {rate(), doubles("noise")}},
      {"sebastian", {rate(), values("share", {0.9, 0.99, 0.999})}},
      {"amnesiacs", {rate(), tens("distil_rate")}},
      {"sun", {rate(), tens("noise")}},
      {"forget", {rate(), values("share", {0.1, 0.3, 0.5})}},
  };
  return kAxes;
}

/// Six digits are enough, and make tables and files readable.
double rounded(double value) {
  if (value == 0) return 0;
  const double scale = std::pow(10, 5 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

/// An option's values, with their distance in steps from the default.
struct Step {
  Json value;
  int away;
};
std::vector<Step> steps_of(const Axis& axis, const Json& standard) {
  std::vector<double> list = axis.values;
  for (const double factor : axis.factors) {
    list.push_back(factor == 1 ? standard.get<double>() : rounded(factor * standard.get<double>()));
  }
  int middle = 0;
  for (std::size_t place = 0; place < list.size(); ++place) {
    if (list[place] == standard.get<double>()) middle = static_cast<int>(place);
  }
  std::vector<Step> steps;
  for (std::size_t place = 0; place < list.size(); ++place) {
    const int away = std::abs(static_cast<int>(place) - middle);
    steps.push_back({away == 0 ? standard : Json(list[place]), away});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& left, const Step& right) { return left.away < right.away; });
  return steps;
}

}  // namespace

std::vector<Json> default_grid(const MethodInfo& method, std::size_t points) {
  const auto found = axes().find(method.id);
  if (found == axes().end()) return {};
  struct Point {
    Json options;
    int order;
  };
  std::vector<Point> grid = {{Json::object(), 0}};
  int weight = 1;
  for (const Axis& axis : found->second) {
    std::vector<Point> longer;
    for (const Point& point : grid) {
      for (const Step& step : steps_of(axis, method.defaults.at(axis.option))) {
        Point next = point;
        next.options[axis.option] = step.value;
        // Along the first option 1, along the second 10, at corners 11 and more.
        next.order += weight * step.away;
        longer.push_back(std::move(next));
      }
    }
    grid = std::move(longer);
    weight *= 10;
  }
  std::stable_sort(grid.begin(), grid.end(),
                   [](const Point& left, const Point& right) { return left.order < right.order; });
  std::vector<Json> result;
  for (const Point& point : grid) {
    if (result.size() < points) result.push_back(point.options);
  }
  return result;
}

std::string missing_need(const std::string& method, const train::Recipe& recipe) {
  const Needs needs = find_method(method).needs;
  const Json split = recipe.table.value("split", Json::object());
  const Json forget = recipe.table.value("forget", Json::object());
  const std::string model = recipe.model.value("name", "");
  if (needs.validation && split.value("validation", 0.0) == 0) {
    return "validation examples: give [split] validation a number";
  }
  if (needs.class_forgetting && forget.value("kind", "random") != "class") {
    return "class forgetting: [forget] kind = \"class\"";
  }
  if (needs.training_log && !recipe.train.log_forget_updates) {
    return "a training log: set [train] log_forget_updates = true";
  }
  if (needs.convolutions && (model == "mlp" || model == "vit")) return "convolutions";
  if (needs.denoiser && !models::is_denoiser(model)) return "a denoiser (unet)";
  if (!needs.denoiser && needs.logits && models::is_denoiser(model)) {
    return "a classifier, and " + model + " takes noise away";
  }
  return {};
}

}  // namespace vestige::unlearn
