// The list.
#include "vestige/language/registry.h"

#include "vestige/base/error.h"
#include "vestige/base/text.h"
#include "vestige/language/find_method.h"
#include "vestige/language/methods/methods.h"

namespace vestige::language {
namespace {

const std::vector<Method>& method_table() {
  static const std::vector<Method> all = {identity(),  retrain(),     finetune(), gradient_ascent(),
                                          grad_diff(), kl(),          npo(),      simnpo(),
                                          rmu(),       task_vector(), refusal(),  negative_label()};
  return all;
}

/// Reads all options of a method from the table, which then holds what is in force.
void read_options(const Method& method, Options& options) {
  if (method.prefix) {
    (void)method.prefix(options);
  } else {
    (void)method.prepare(options);
  }
  options.finish();
}

}  // namespace

const Method& find_method(const std::string& id, const std::string& where) {
  std::vector<std::string> known;
  for (const Method& method : method_table()) {
    if (method.id == id) return method;
    known.push_back(method.id);
  }
  fail("{}: there is no method '{}' for language models: the nearest is '{}'", where, id,
       nearest(id, known));
}

std::vector<MethodInfo> methods() {
  std::vector<MethodInfo> list;
  for (const Method& method : method_table()) {
    Options none(Json::object(), method.id);
    read_options(method, none);
    list.push_back({method.id, method.summary, method.source, none.used()});
  }
  return list;
}

bool is_prefix(const std::string& id) {
  for (const Method& method : method_table()) {
    if (method.id == id) return static_cast<bool>(method.prefix);
  }
  return false;
}

Json options_in_force(const MethodSettings& settings, const std::string& where) {
  const Method& method = find_method(settings.name, where);
  Options options(settings.options, where + ": method " + settings.label);
  read_options(method, options);
  return options.used();
}

}  // namespace vestige::language
