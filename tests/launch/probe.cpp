// Says its place, and that in a job array; `fail` makes rank 1 leave by an exception at once, while
// the others take a while.
#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "launch/launch.h"

int main(int count, char** words) {
  try {
    const vestige::launch::Launch launch;
    const vestige::launch::Place place = launch.place();
    const bool failing = count > 1 && std::string_view(words[1]) == "fail";
    if (failing && place.rank == 1) throw std::runtime_error("rank 1 failed");
    if (failing) std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const vestige::launch::Place array = vestige::launch::array_place();
    if (array.size > 1) std::printf("element %zu of %zu, ", array.rank, array.size);
    std::printf("rank %zu of %zu\n", place.rank, place.size);
    std::fflush(stdout);  // before MPI_Finalize, after which mpirun may end the process
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
