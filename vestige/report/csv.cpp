// All rows, all fields.
#include "vestige/report/csv.h"

#include <fmt/format.h>

#include <cmath>

#include "vestige/report/read_results.h"

namespace vestige::report {
namespace {

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char character : text) {
    quoted += character;
    if (character == '"') quoted += '"';
  }
  return quoted + '"';
}

std::string csv(const Json& results) {
  check_results(results, "the results");
  const std::vector<study::StudyRow> rows = rows_of(results);
  const bool bench = results.contains("bench");
  std::string out = bench ? "arm,split_seed,audit,attack_seed," : "";
  out +=
      "metric,model,value,lower,upper,interval,n,direction,ideal,reference,status,note,control,"
      "params,seed\n";
  for (const study::StudyRow& row : rows) {
    const metrics::Row& own = row.row;
    if (bench) {
      out += fmt::format("{},{},{},{},", csv_field(row.arm), row.split_seed, csv_field(row.audit),
                         row.attack_seed);
    }
    const std::string params = own.params.dump(-1, ' ', false, Json::error_handler_t::replace);
    out +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(own.metric),
                    csv_field(own.model), number(own.value), number(own.lower), number(own.upper),
                    csv_field(own.interval), own.n, metrics::name(own.direction), number(own.ideal),
                    number(own.reference), metrics::name(own.status), csv_field(own.note),
                    metrics::name(own.control), csv_field(params), own.seed);
  }
  return out;
}

}  // namespace vestige::report
