#include "io/uring_files.hpp"

#include "io/uring.hpp"

namespace kumiko::runtime::detail {

std::unique_ptr<FileEngine> make_uring_files(Scheduler& scheduler) {
  return std::make_unique<UringFiles>(scheduler);
}

int UringFiles::poll(std::size_t instance, std::size_t budget) noexcept {
  UringRings::Events events;
  const std::size_t count = rings_.take(instance, budget, events);
  for (std::size_t i = 0; i < count; ++i) {
    rings_.end_file(*UringRings::operation_of(events[i].tag), events[i].result);
  }
  return static_cast<int>(count);
}

}  // namespace kumiko::runtime::detail
