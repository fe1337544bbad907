// Which of the processes started together this one is. Ranks never talk to each other: they share
// the pool's folder, and the rank only says where a worker begins its search for work.
#pragma once

#include <cstddef>

namespace vestige::launch {

struct Place {
  std::size_t rank = 0;
  std::size_t size = 1;
};

/// This process's place among the elements of a Slurm job array; 0 of 1 outside one. Elements start
/// when the scheduler likes and each may have ranks and workers of its own.
Place array_place();

/// Make one at the start of main; it must outlive all work. Started by mpirun (or by srun with
/// PMI), MPI is initialised here and finalised by the destructor; started by srun without PMI, the
/// place is Slurm's own; otherwise it is rank 0 of 1 and MPI is not touched.
///
/// The destructor finalises also while an exception is on its way. MPI_Finalize waits, asleep,
/// until the other ranks end too, so a rank that failed costs nobody's work, and its exit code is
/// what mpirun returns. MPI_Abort, or leaving without finalising, would end the other ranks in the
/// middle of their models.
class Launch {
 public:
  Launch();
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  Place place() const { return place_; }

 private:
  Place place_;
  bool finalise_ = false;
};

}  // namespace vestige::launch
