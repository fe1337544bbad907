// vestige-lab: the verbs that need LibTorch or MPI; `vestige VERB` starts it.
#include "cli/program.h"
#include "vestige/base/blas_kernels.h"

namespace {

void add_verbs(CLI::App& app, vestige::cli::Invocation& invocation) {
  invocation.program = "vestige-lab";
  vestige::cli::add_split(app, invocation);
  vestige::cli::add_train(app, invocation);
  vestige::cli::add_unlearn(app, invocation);
  vestige::cli::add_methods(app, invocation);
  vestige::cli::add_recover(app, invocation);
  vestige::cli::add_collect(app, invocation);
  vestige::cli::add_models(app, invocation);
  vestige::cli::add_bench(app, invocation);
  vestige::cli::add_tune(app, invocation);
  vestige::cli::add_demo(app, invocation);
  vestige::cli::add_lab_conformance(app, invocation);
  vestige::cli::add_manual(app, invocation);
}

}  // namespace

int main(int argc, char** argv) {
  vestige::restart_with_better_kernels(argv);
  return vestige::cli::run_program(argc, argv, add_verbs);
}
