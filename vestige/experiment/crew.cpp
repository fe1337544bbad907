// Waiting for the leader.
#include "vestige/experiment/crew.h"

#include <chrono>
#include <thread>

#include "vestige/base/interrupt.h"

namespace vestige::experiment {

void await(const std::function<bool()>& known) {
  while (!known()) {
    check_interrupt();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

}  // namespace vestige::experiment
