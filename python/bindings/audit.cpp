// Evidence, inspections and audits for Python: the same calls as the command line's verbs.
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>

#include "python/bindings/arrays.h"
#include "python/bindings/audit_views.h"
#include "python/bindings/module.h"
#include "vestige/audit/metric_options.h"
#include "vestige/base/context.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/evidence/requests.h"
#include "vestige/evidence/source.h"
#include "vestige/practice/gate.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/web_files.h"
#include "vestige/report/requests_views.h"
#include "vestige/report/tables/samples_csv.h"
#include "vestige/report/terminal/inspection.h"

namespace vestige::python {
namespace {

/// Keeps a Python object alive from threads that do not hold the interpreter's lock.
std::shared_ptr<const void> kept(py::object object) {
  return {new py::object(std::move(object)), [](const void* pointer) {
            const py::gil_scoped_acquire lock;
            delete static_cast<const py::object*>(pointer);
          }};
}

/// The array behind a numpy array of plain numbers, without a copy.
std::optional<evidence::Array> plain_array(const py::array& array) {
  using evidence::DType;
  static const std::map<std::string, DType> types{
      {"float16", DType::float16}, {"float32", DType::float32}, {"float64", DType::float64},
      {"int8", DType::int8},       {"int16", DType::int16},     {"int32", DType::int32},
      {"int64", DType::int64},     {"uint8", DType::uint8},     {"uint16", DType::uint16},
      {"uint32", DType::uint32},   {"uint64", DType::uint64},   {"bool", DType::boolean}};
  const auto type = types.find(py::str(array.dtype()).cast<std::string>());
  if (type == types.end() || (array.flags() & py::array::c_style) == 0) return std::nullopt;
  std::vector<std::size_t> shape(array.shape(), array.shape() + array.ndim());
  const std::span<const std::byte> bytes{static_cast<const std::byte*>(array.data()),
                                         static_cast<std::size_t>(array.nbytes())};
  return evidence::Array(type->second, std::move(shape), bytes, kept(array),
                         static_cast<std::size_t>(array.itemsize()));
}

/// Values of the dictionary are numpy arrays of plain numbers in C order, or the bytes of a .npy
/// file for everything else (texts).
evidence::Source source_of(const std::string& name, const py::dict& arrays,
                           const std::map<std::string, std::string>& files) {
  std::map<std::string, evidence::Array> found;
  for (const auto& [key_object, value] : arrays) {
    const auto key = key_object.cast<std::string>();
    if (py::isinstance<py::bytes>(value)) {
      char* start = nullptr;
      py::ssize_t size = 0;
      if (PyBytes_AsStringAndSize(value.ptr(), &start, &size) != 0) throw py::error_already_set();
      found.emplace(key, evidence::parse_npy({reinterpret_cast<const std::byte*>(start),
                                              static_cast<std::size_t>(size)},
                                             kept(py::reinterpret_borrow<py::object>(value)), key));
      continue;
    }
    std::optional<evidence::Array> array = plain_array(py::cast<py::array>(value));
    require(array.has_value(), "{} is no array of plain numbers in C order", key);
    found.emplace(key, *std::move(array));
  }
  return evidence::memory_source(name, found, files);
}

Json parsed_options(const std::string& text) {
  return audit::checked_options(Json::parse(text), "options");
}

struct AuditSettings {
  std::string command;
  std::vector<std::string> metrics;
  std::string options;
  std::string title;
  std::vector<std::string> methods;
  std::vector<std::string> exclude;
  std::string policy;                ///< a file
  std::vector<std::string> fail_on;  ///< conditions of verdicts instead
  std::uint64_t seed = 1;
  int threads = 0;
  double memory = kDefaultMemory;  ///< gigabytes
  bool keep_going = false;
  bool progress = true;
  bool interruptible = false;
};

report::Audited run(evidence::Source source, const AuditSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  const Context context(
      {.threads = settings.threads,
       .memory = settings.memory,
       .progress = settings.progress ? ProgressStyle::automatic : ProgressStyle::quiet});
  // Refuse before the work, not after it.
  std::optional<practice::Policy> policy;
  if (!settings.policy.empty()) policy = practice::read_policy(settings.policy);
  if (!settings.fail_on.empty()) policy = practice::policy_of_words(settings.fail_on);
  const std::string requests_file(evidence::kRequestsFile);
  const evidence::ReadOptions reading_options{.with_hashes = true,
                                              .keep_going = settings.keep_going,
                                              .methods = settings.methods,
                                              .exclude = settings.exclude};
  report::AuditRun run{
      settings.command,
      {settings.metrics, settings.seed, parsed_options(settings.options), context},
      settings.title,
      reading_options,
      source.has_file(requests_file) ? std::optional(source.read(requests_file)) : std::nullopt};
  if (policy) run.before = [&](const auto& found) { practice::check_methods(*policy, found); };
  const std::shared_lock registry(registry_lock());
  std::optional<InterruptScope> scope;
  if (settings.interruptible) scope.emplace();
  evidence::Reading reading = evidence::load(std::move(source), reading_options, context);
  report::Audited audited =
      report::run_audit(std::move(reading.evidence), std::move(reading.findings), run, start);
  if (policy) {
    audited.results.gate = practice::gate(audited.results, *policy);
  }
  return audited;
}

void save(const report::Audited& audited, const std::string& folder, bool force) {
  FileSet files(folder, force, FileSet::Others::refused);
  report::add_files(audited, files);
  files.commit();
}

/// Values of single models behind rows of groups, which results.json leaves out: a JSON list.
std::string values_by_model(const report::Audited& audited) {
  Json all = Json::array();
  for (const metrics::Row& row : audited.measured.rows) {
    const evidence::Group* group = audited.evidence.find(row.subject.role, row.subject.method);
    if (group == nullptr || row.by_model.size() != group->models.size()) continue;
    Json values = Json::object();
    for (std::size_t i = 0; i < row.by_model.size(); ++i) {
      values[group->models[i].name] = row.by_model[i];
    }
    all.push_back({{"metric", row.metric},
                   {"role", row.subject.role},
                   {"method", row.subject.method},
                   {"settings", row.settings},
                   {"values", std::move(values)}});
  }
  return all.dump();
}

void add_audited(py::module_& module) {
  using report::Audited;
  const auto text = [](auto write) {
    return [write](const Audited& audited) { return unlocked([&] { return write(audited); }); };
  };
  py::class_<Audited> type(module, "Audited",
                           "A finished audit and all that can be written about it.");
  type.def("results_text", text([](const Audited& a) { return report::results_text(a.results); }),
           "The text of results.json.")
      .def("samples_text", text([](const Audited& a) {
             return report::samples_csv(a.evidence, a.measured.columns);
           }),
           "The text of samples.csv.")
      .def("requests_text", text([](const Audited& a) {
             return a.results.requests ? report::requests_csv(*a.results.requests) : std::string();
           }),
           "The text of requests.csv; empty without requests.")
      .def("models_text", text([](const Audited& a) { return values_by_model(a); }),
           "Values of single models behind rows of groups, as JSON.")
      .def(
          "text",
          [](const Audited& a) {
            return report::audit_table(a.evidence, a.findings, a.results, true);
          },
          "Every number as a table of text.")
      .def(
          "save",
          [](const Audited& a, const std::string& folder, bool force) {
            unlocked([&] { save(a, folder, force); });
          },
          py::arg("folder"), py::arg("force"),
          "Writes results.json, samples.csv, report.html and plots/, all or nothing.");
  add_views(type);
}

}  // namespace

void add_audit(py::module_& module) {
  using evidence::Source;
  py::class_<Source>(module, "Source", "Evidence as arrays by key, before it is checked.")
      .def_static(
          "open",
          [](const std::string& path) {
            return unlocked([&] { return evidence::open_source(path); });
          },
          py::arg("path"), "A folder, .npz or .safetensors file.")
      .def_static("memory", &source_of, py::arg("name"), py::arg("arrays"), py::arg("files"),
                  "Arrays in memory, which are not copied.")
      .def("add", &Source::add, py::arg("other"),
           "Takes in the arrays and files of another source; of what both have, the other's.")
      .def("keys", &Source::keys, "Keys of all arrays, in order.")
      .def("files", &Source::files, "Files that are not arrays, in order.")
      .def(
          "npy",
          [](const Source& source, const std::string& key) {
            return py::bytes(unlocked([&] { return evidence::write_npy(source.load(key)); }));
          },
          py::arg("key"), "An array as the bytes of a .npy file.")
      .def(
          "read",
          [](const Source& source, const std::string& file) {
            return py::bytes(source.read(file));
          },
          py::arg("file"), "The bytes of a file that is no array.");
  module.def(
      "inspect",
      [](const Source& source, int threads, double memory) {
        return unlocked([&] {
          const std::shared_lock registry(registry_lock());
          const Context context({.threads = threads, .memory = memory});
          const report::Inspection inspection =
              report::inspect(evidence::read(source, {}, context), context);
          return std::pair(report::inspection_json(inspection).dump(),
                           report::inspection_text(inspection));
        });
      },
      py::arg("source"), py::arg("threads") = 0, py::arg("memory") = kDefaultMemory,
      "What `vestige inspect` says, as JSON and as text.");
  module.def(
      "run_audit",
      [](const Source& source, const std::string& command, const std::vector<std::string>& metrics,
         const std::string& options, const std::string& title,
         const std::vector<std::string>& methods, const std::vector<std::string>& exclude,
         const std::string& policy, const std::vector<std::string>& fail_on, std::uint64_t seed,
         int threads, double memory, bool keep_going, bool progress, bool interruptible) {
        const AuditSettings settings{command, metrics,    options,  title,        methods,
                                     exclude, policy,     fail_on,  seed,         threads,
                                     memory,  keep_going, progress, interruptible};
        return unlocked([&] { return run(source, settings); });
      },
      py::arg("source"), py::kw_only(), py::arg("command"), py::arg("metrics"), py::arg("options"),
      py::arg("title"), py::arg("methods"), py::arg("exclude"), py::arg("policy"),
      py::arg("fail_on"), py::arg("seed"), py::arg("threads"), py::arg("memory"),
      py::arg("keep_going"), py::arg("progress"), py::arg("interruptible"),
      "Loads, checks and measures; options is a JSON object by key.");
  module.def(
      "page_style", [] { return std::string(report::web_style()); },
      "The style sheet of the page.");
  add_audited(module);
}

}  // namespace vestige::python
