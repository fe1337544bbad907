// All rows, all fields.
#include "vestige/report/tables/csv.h"

#include <fmt/format.h>

#include <cmath>

#include "vestige/report/page/escape.h"
#include "vestige/study/method_lines.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

std::string csv_number(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

std::string csv_table(const Json& json) {
  return csv_field(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::string csv(const Results& results) {
  const bool bench = results.bench.has_value();
  std::string out = bench ? "variant,split_seed,audit,attack_seed," : "";
  out +=
      "metric,model,role,method,name,value,lower,upper,interval,n,direction,ideal,reference,status,"
      "note,control,settings,facts,seed\n";
  // The models, then the methods' lines over models.
  std::vector<study::StudyRow> rows = results.rows;
  for (study::StudyRow& line : lines_over_models(results.rows)) rows.push_back(std::move(line));
  for (const study::StudyRow& row : rows) {
    const metrics::Row& own = row.row;
    if (bench) {
      out += fmt::format("{},{},{},{},", csv_field(row.variant), row.split_seed,
                         csv_field(row.audit), row.attack_seed);
    }
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(own.metric),
        csv_field(own.subject.id()), csv_field(own.subject.role), csv_field(own.subject.method),
        csv_field(own.subject.name), csv_number(own.value), csv_number(own.lower),
        csv_number(own.upper), csv_field(words::text(own.interval)), own.n,
        metrics::name(own.direction), csv_number(own.ideal), csv_number(own.reference),
        metrics::name(own.status), csv_field(words::text(own.notes)), metrics::name(own.control),
        csv_table(own.settings), csv_table(own.facts), own.seed);
  }
  // Verdicts have no number: word and reason are the note.
  for (const audit::Verdict& verdict : results.verdicts) {
    if (bench) out += csv_field(verdict.variant) + ",,,,";
    out += fmt::format(
        "verdict,{},{},{},,,,,,,,,,,{},,,,\n", csv_field(verdict.subject.id()),
        csv_field(verdict.subject.role), csv_field(verdict.method),
        csv_field(fmt::format("{}: {}", words::word(verdict.word), words::why(verdict))));
  }
  return out;
}

}  // namespace vestige::report
