// MPI, as far as it is used at all.
#include "launch/launch.h"

#ifdef VESTIGE_WITH_MPI
#include <mpi.h>
#endif

#include <cstdlib>

namespace vestige::launch {
namespace {

bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

/// A number from the environment; `fallback` if there is none.
std::size_t number(const char* variable, std::size_t fallback) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return fallback;
  char* end = nullptr;
  const unsigned long value = std::strtoul(text, &end, 10);
  return *end == '\0' ? value : fallback;
}

/// mpirun of Open MPI, of MPICH and its relatives, or srun --mpi=pmix.
bool started_by_mpi() {
  return is_set("OMPI_COMM_WORLD_SIZE") || is_set("PMI_SIZE") || is_set("PMIX_RANK");
}

}  // namespace

Place array_place() {
  const std::size_t count = number("SLURM_ARRAY_TASK_COUNT", 1);
  const std::size_t first = number("SLURM_ARRAY_TASK_MIN", 0);
  const std::size_t step = number("SLURM_ARRAY_TASK_STEP", 1);
  const std::size_t index = number("SLURM_ARRAY_TASK_ID", first);
  if (count <= 1 || index < first || step == 0) return {};
  // A list of elements ("--array=1,5,7") has gaps: any place will do for those behind the last.
  return {(index - first) / step % count, count};
}

Launch::Launch() {
  // A rank's own worker processes (vestige/pool/workers.h) inherit its environment.
  if (is_set("VESTIGE_WORKER_PARENT")) return;
  if (started_by_mpi()) {
#ifdef VESTIGE_WITH_MPI
    int initialised = 0;
    MPI_Initialized(&initialised);
    if (initialised == 0) {
      MPI_Init(nullptr, nullptr);
      finalise_ = true;
    }
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    place_ = {static_cast<std::size_t>(rank), static_cast<std::size_t>(size)};
#else
    // Open MPI tells ranks by the environment too; the pool's locks do the rest.
    place_ = {number("OMPI_COMM_WORLD_RANK", number("PMI_RANK", 0)),
              number("OMPI_COMM_WORLD_SIZE", number("PMI_SIZE", 1))};
#endif
    return;
  }
  // srun without PMI: Open MPI's MPI_Init would end the program, and it is not needed.
  const std::size_t size = number("SLURM_NTASKS", 1);
  const std::size_t rank = number("SLURM_PROCID", 0);
  if (size > 1 && rank < size) place_ = {rank, size};
}

Launch::~Launch() {
#ifdef VESTIGE_WITH_MPI
  if (finalise_) MPI_Finalize();
#endif
}

}  // namespace vestige::launch
