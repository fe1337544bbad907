// vestige-lab: the verbs that need LibTorch or MPI; `vestige VERB` starts it.
#include "cli/program.h"
#include "vestige/base/blas_kernels.h"

namespace {

void add_verbs(CLI::App& app, vestige::cli::Context& context) {
  vestige::cli::add_split(app, context);
  vestige::cli::add_train(app, context);
  vestige::cli::add_unlearn(app, context);
  vestige::cli::add_methods(app, context);
  vestige::cli::add_probe(app, context);
  vestige::cli::add_collect(app, context);
  vestige::cli::add_models(app, context);
  vestige::cli::add_bench(app, context);
  vestige::cli::add_tune(app, context);
  vestige::cli::add_demo(app, context);
  vestige::cli::add_lab_conformance(app, context);
}

}  // namespace

int main(int argc, char** argv) {
  vestige::restart_with_better_kernels(argv);
  return vestige::cli::run_program(argc, argv, add_verbs);
}
