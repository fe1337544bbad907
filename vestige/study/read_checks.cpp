// Reading [[checks]] of a recipe, and refusing those that cannot be answered.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/options.h"
#include "vestige/base/text.h"
#include "vestige/metrics/family.h"
#include "vestige/study/paper_checks.h"
#include "vestige/study/row_query.h"

namespace vestige::study {
namespace {

const std::vector<std::string> kKinds = {"left", "ordered", "over", "ranks_agree", "unreliable"};

void check_metric(const Options& table, const std::string& key, const std::string& id) {
  if (metrics::find_metric(id) != nullptr) return;
  const std::string now = metrics::renamed(id);
  if (!now.empty()) table.wrong(key, fmt::format("'{}' is called '{}' now", id, now));
  std::vector<std::string> known;
  for (const metrics::Family& family : metrics::families()) {
    for (const metrics::MetricInfo& info : family.metrics) known.emplace_back(info.id);
  }
  table.wrong(key, fmt::format("'{}' is no metric: did you mean '{}'?", id, nearest(id, known)));
}

/// The query in a table; `with_metric` false: the metric is named elsewhere.
RowQuery read_query(Options& table, bool with_metric = true) {
  RowQuery query;
  if (with_metric) {
    if (!table.has("metric")) table.wrong("metric", "it is missing: name the metric's id");
    query.metric = table.text("metric", "");
    check_metric(table, "metric", query.metric);
  }
  query.method = table.text("method", "*");
  query.variant = table.text("variant", "");
  query.audit = table.text("audit", "");
  if (table.has("split_seed")) {
    const std::int64_t seed = table.integer("split_seed", 0);
    if (seed < 0) table.wrong("split_seed", "it must not be negative");
    query.split_seed = static_cast<std::uint64_t>(seed);
  }
  query.params = table.table("params").all();
  if (query.metric.starts_with("returns.") && query.params.contains("probe")) {
    fail("{}: params: 'probe' is now 'recovery_test'", table.where());
  }
  query.gap = table.choice("of", "value", {"value", "gap"}) == "gap";
  return query;
}

CheckSide read_side(const Json& value, const std::string& where) {
  CheckSide side;
  if (value.is_number()) {
    side.number = value.get<double>();
    return side;
  }
  Options table(value, where);
  side.query = read_query(table);
  table.finish();
  return side;
}

void read_compare(Options& table, Check& check) {
  check.kind = CheckKind::compare;
  if (!table.has("is")) table.wrong("is", "it is missing: above, below or near");
  check.is = table.choice("is", "", {"above", "below", "near"});
  if (!table.has("right")) table.wrong("right", "it is missing: a selection or a number");
  check.sides.push_back(read_side(table.raw("left"), table.where() + ": left"));
  check.sides.push_back(read_side(table.raw("right"), table.where() + ": right"));
  if (check.sides[0].number) table.wrong("left", "it is a number: only right may be one");
  if ((check.is == "near") != table.has("margin")) {
    table.wrong("margin", check.is == "near" ? "it is missing: near needs the largest difference"
                                             : "it goes with is = \"near\" only");
  }
  if (check.is == "near" && table.has("by")) table.wrong("by", "near takes margin instead");
}

void read_ordered(Options& table, Check& check) {
  check.kind = CheckKind::ordered;
  if (!table.has("is")) table.wrong("is", "it is missing: rising or falling");
  check.is = table.choice("is", "", {"rising", "falling"});
  const Json list = table.raw("ordered");
  if (!list.is_array() || list.size() < 2) {
    table.wrong("ordered", "it must be a list of two selections or more");
  }
  for (std::size_t place = 0; place < list.size(); ++place) {
    check.sides.push_back(
        read_side(list[place], fmt::format("{}: ordered {}", table.where(), place + 1)));
    if (check.sides.back().number) table.wrong("ordered", "its entries must be selections");
  }
}

void read_trend(Options& table, Check& check) {
  check.kind = CheckKind::trend;
  if (!table.has("is")) table.wrong("is", "it is missing: rising or falling");
  check.is = table.choice("is", "", {"rising", "falling"});
  check.over = table.text("over", "");
  if (!table.has("values")) table.wrong("values", "it is missing: the selection to follow");
  check.sides.push_back(read_side(table.raw("values"), table.where() + ": values"));
  if (check.sides[0].number) table.wrong("values", "it is a number: it must be a selection");
  const Json points = table.raw("at");
  if (!points.is_array() || points.size() < 3) {
    table.wrong("at", "it must be a list of three points or more, in order");
  }
  const RowQuery& values = check.sides[0].query;
  const bool named = check.over == "variant" || check.over == "audit";
  if ((check.over == "variant" && !values.variant.empty()) ||
      (check.over == "audit" && !values.audit.empty()) || values.params.contains(check.over)) {
    table.wrong("values", fmt::format("it fixes {}, which the check goes over", check.over));
  }
  for (const Json& point : points) {
    if (named ? !point.is_string() : !(point.is_number() || point.is_string())) {
      table.wrong("at",
                  named ? "its entries must be names" : "its entries must be numbers or texts");
    }
    check.at.push_back(point);
  }
}

void read_agreement(Options& outer, Check& check) {
  check.kind = CheckKind::ranks_agree;
  Options table = outer.table("ranks_agree");
  check.over = table.choice("over", "variant", {"variant", "audit", "split_seed", "metric"});
  const bool over_metrics = check.over == "metric";
  if (over_metrics && table.has("metric")) {
    table.wrong("metric", "over = \"metric\" names both metrics in between");
  }
  CheckSide side;
  side.query = read_query(table, !over_metrics);
  check.sides.push_back(side);
  const Json between = table.raw("between");
  if (!between.is_array() || between.size() != 2) {
    table.wrong("between", fmt::format("it must name two of {}", check.over));
  }
  for (const Json& end : between) {
    const bool seed = check.over == "split_seed";
    if (seed ? !end.is_number_unsigned() && !(end.is_number_integer() && end.get<int>() >= 0)
             : !end.is_string()) {
      table.wrong("between", seed ? "its entries must be seeds" : "its entries must be names");
    }
    if (over_metrics) check_metric(table, "between", end.get<std::string>());
    check.at.push_back(end);
  }
  check.least = table.number("least", 0.6);
  if (!(check.least > -1 && check.least < 1)) {
    table.wrong("least", fmt::format("{} is no tau inside (-1, 1)", check.least));
  }
  table.finish();
}

void read_unreliable(Options& outer, Check& check) {
  check.kind = CheckKind::unreliable;
  check.sides.push_back(read_side(outer.raw("unreliable"), outer.where() + ": unreliable"));
  if (check.sides[0].number) outer.wrong("unreliable", "it is a number: it must be a selection");
}

/// Keys that this kind of check does not take are refused, not ignored.
void refuse_strangers(Options& table, CheckKind kind) {
  const bool differences = kind == CheckKind::compare || kind == CheckKind::ordered;
  const auto refuse = [&](const char* key, bool allowed) {
    if (!allowed && table.has(key)) table.wrong(key, "this kind of check does not take it");
  };
  refuse("by", differences);
  refuse("margin", kind == CheckKind::compare);
  refuse("right", kind == CheckKind::compare);
  refuse("values", kind == CheckKind::trend);
  refuse("at", kind == CheckKind::trend);
  refuse("is", differences || kind == CheckKind::trend);
  refuse("exact", differences || kind == CheckKind::ranks_agree);
}

/// What is claimed: exactly one kind of check with the keys that it takes.
void read_claim(Options& table, Check& check) {
  std::vector<std::string> kinds;
  for (const std::string& kind : kKinds) {
    if (table.has(kind)) kinds.push_back(kind);
  }
  for (const char* key : {"is", "right", "by", "margin", "exact", "values", "at"}) table.has(key);
  table.finish();
  require(kinds.size() == 1, "{} ('{}') has {} of {}: give exactly one of them", table.where(),
          check.finding, kinds.empty() ? "none" : fmt::format("{}", fmt::join(kinds, " and ")),
          fmt::join(kKinds, ", "));
  if (kinds[0] == "left") read_compare(table, check);
  if (kinds[0] == "ordered") read_ordered(table, check);
  if (kinds[0] == "over") read_trend(table, check);
  if (kinds[0] == "ranks_agree") read_agreement(table, check);
  if (kinds[0] == "unreliable") read_unreliable(table, check);
  refuse_strangers(table, check.kind);
  check.exact = table.boolean("exact", false);
  check.by = table.number("by", 0);
  if (table.has("margin")) {
    check.margin = table.number("margin", 0);
    if (!(check.margin > 0)) table.wrong("margin", "it must be above 0");
  }
  if (!(check.by >= 0)) table.wrong("by", "it must not be negative: turn `is` around instead");
}

Check read_check(const Json& json, const std::string& where) {
  Options table(json, where);
  Check check;
  check.finding = table.text("finding", "");
  if (check.finding.empty())
    table.wrong("finding", "it is missing: say in one sentence what is claimed");
  check.source = table.text("source", "");
  check.control = table.boolean("control", false);
  if (table.has("given")) {
    Options condition = table.table("given");
    Check given;
    given.finding = "the condition of: " + check.finding;
    read_claim(condition, given);
    check.given.push_back(std::move(given));
  }
  read_claim(table, check);
  return check;
}

void must_be_among(const Check& check, const char* what, const std::string& name,
                   const std::vector<std::string>& names) {
  if (names.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  fail("check '{}': the experiment has no {} '{}': did you mean '{}'?", check.finding, what, name,
       nearest(name, names));
}

void must_have_seed(const Check& check, std::uint64_t seed, const StudyNames& names) {
  const auto& seeds = names.split_seeds;
  if (seeds.empty() || std::find(seeds.begin(), seeds.end(), seed) != seeds.end()) return;
  fail("check '{}': the experiment has no split seed {}: it has {}", check.finding, seed,
       fmt::join(seeds, ", "));
}

void check_names(const Check& check, const RowQuery& query, const StudyNames& names) {
  if (!query.variant.empty()) must_be_among(check, "variant", query.variant, names.variants);
  if (!query.audit.empty()) must_be_among(check, "audit", query.audit, names.audits);
  if (query.method != "*") must_be_among(check, "method", query.method, names.methods);
  if (query.split_seed) must_have_seed(check, *query.split_seed, names);
}

const metrics::Family* family_of(const std::string& id) {
  for (const metrics::Family& family : metrics::families()) {
    for (const metrics::MetricInfo& info : family.metrics) {
      if (info.id == id) return &family;
    }
  }
  return nullptr;
}

/// Some audit of some variant must measure what is asked for: each name alone may exist, and yet
/// not together.
void must_be_measured(const Check& check, const RowQuery& query, const StudyNames& names) {
  if (names.places.empty()) return;
  const metrics::Family* family = family_of(query.metric);
  const auto fits = [](const std::string& wanted, const std::string& own) {
    return wanted.empty() || wanted == own;
  };
  const auto has = [](const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  // Roles are no method of any variant and are not looked for.
  const bool is_method =
      std::any_of(names.places.begin(), names.places.end(),
                  [&](const StudyPlace& place) { return has(place.methods, query.method); });
  bool variant_has_audit = false, measured = false;
  for (const StudyPlace& place : names.places) {
    if (!fits(query.variant, place.variant) || !fits(query.audit, place.audit)) continue;
    variant_has_audit = true;
    if (family != nullptr && !place.metrics.has(*family, query.metric)) continue;
    measured = true;
    if (!is_method || has(place.methods, query.method)) return;
  }
  if (!variant_has_audit) {
    fail("check '{}': audit '{}' is not made of variant '{}': name the variant in its `variants`",
         check.finding, query.audit, query.variant);
  }
  const std::string place =
      fmt::format("{}{}", query.variant.empty() ? "" : " in variant " + query.variant,
                  query.audit.empty() ? "" : " by audit " + query.audit);
  if (!measured) fail("check '{}': {} is not measured{}", check.finding, query.metric, place);
  fail("check '{}': method {} is not run{}", check.finding, query.method, place);
}

}  // namespace

std::vector<Check> read_checks(const Json& checks, const std::string& where) {
  std::vector<Check> result;
  if (checks.is_null()) return result;
  require(checks.is_array(), "{}: checks is a {}: write each check as a [[checks]] table", where,
          checks.type_name());
  for (std::size_t place = 0; place < checks.size(); ++place) {
    result.push_back(read_check(checks[place], fmt::format("{}: [[checks]] {}", where, place + 1)));
  }
  return result;
}

void check_findings(const std::vector<Check>& checks, const StudyNames& names) {
  for (const Check& check : checks) {
    check_findings(check.given, names);
    for (const CheckSide& side : check.sides) {
      if (!side.number) check_names(check, side.query, names);
    }
    for (const Json& point : check.at) {
      if (check.over == "variant") must_be_among(check, "variant", point, names.variants);
      if (check.over == "audit") must_be_among(check, "audit", point, names.audits);
      if (check.over == "split_seed" && check.kind == CheckKind::ranks_agree) {
        must_have_seed(check, point.get<std::uint64_t>(), names);
      }
    }
    for (const RowQuery& query : asked_queries(check)) must_be_measured(check, query, names);
  }
}

}  // namespace vestige::study
