#include "io/call.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <stop_token>
#include <system_error>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <kumiko/runtime/io/blocking.hpp>

#include "core/scheduler.hpp"
#include "core/worker.hpp"
#include "machine/unique_descriptor.hpp"

namespace kumiko::runtime::detail {

namespace {

/// The I/O of the running lightweight thread's scheduler; nullptr on a plain OS thread. \throws
/// std::system_error.
IoService* service_of_caller() {
  Worker* const worker = current_worker();
  if (worker == nullptr || worker->current() == nullptr) return nullptr;
  return &IoService::started(worker->scheduler());
}

/// The time that is left as poll(2) takes it: milliseconds, rounded up; -1 for ever.
int poll_timeout(Deadline deadline) noexcept {
  if (deadline == Deadline::max()) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - Deadline::clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000'000));
}

/// Attempts the operation whenever poll(2) says that it is worth while.
std::int64_t block_until_done(Operation& operation, DescriptorKind kind, const io::Limits& limits,
                              int stopped) noexcept {
  for (;;) {
    if (const std::int64_t result = operation.attempt(kind); result != -EAGAIN) return result;
    if (limits.stop.stop_requested()) return -ECANCELED;
    if (limits.deadline <= Deadline::clock::now()) return -ETIMEDOUT;
    pollfd watched[] = {{operation.descriptor, operation.wanted_events(), 0}, {stopped, POLLIN, 0}};
    if (::poll(watched, 2, poll_timeout(limits.deadline)) < 0 && errno != EINTR) return -errno;
  }
}

std::int64_t run_on_os_thread(Operation& operation, const io::Limits& limits) noexcept {
  DescriptorKind kind = DescriptorKind::kFile;
  if (operation.descriptor >= 0 || !operation.concerns_file(kind)) {
    if (const int error = classify(operation.descriptor, kind); error != 0) return error;
  }
  if (operation.concerns_file(kind)) return operation.execute();
  if (!limits.stop.stop_possible()) return block_until_done(operation, kind, limits, -1);
  const UniqueDescriptor stopped(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (stopped.get() < 0) return -errno;
  const std::stop_callback ring(limits.stop, [&stopped] { eventfd_write(stopped.get(), 1); });
  return block_until_done(operation, kind, limits, stopped.get());
}

/// Closes the descriptor on an OS thread, which may wait for other runtimes' engines. Returns false
/// if the system refuses one.
bool close_elsewhere(int descriptor, std::int64_t& result) noexcept {
  try {
    result = io::blocking([descriptor] { return IoService::close_everywhere(descriptor); });
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

std::int64_t run(Operation& operation, const io::Limits& limits) noexcept {
  try {
    IoService* const service = service_of_caller();
    return service != nullptr ? service->run(operation, limits)
                              : run_on_os_thread(operation, limits);
  } catch (const std::system_error& refused) {
    return -refused.code().value();
  } catch (const std::bad_alloc&) {
    return -ENOMEM;
  }
}

std::int64_t run_unless_flagged(Operation& operation, const io::Limits& limits) noexcept {
  // Nobody waits for the queue of errors or for urgent data, and that there is none says nothing of
  // ordinary data.
  const bool receives = operation.kind == Operation::Kind::kReceive ||
                        operation.kind == Operation::Kind::kReceiveMessage;
  const int at_once = receives ? MSG_DONTWAIT | MSG_ERRQUEUE | MSG_OOB : MSG_DONTWAIT;
  if ((operation.flags & at_once) != 0) return operation.attempt(DescriptorKind::kSocket);
  return run(operation, limits);
}

std::int64_t run_close(int descriptor) noexcept {
  Worker* const worker = current_worker();
  if (worker == nullptr || worker->current() == nullptr) {
    return IoService::close_everywhere(descriptor);
  }
  IoService* const service = IoService::of(worker->scheduler());
  std::int64_t result = 0;
  if (IoService::has_others(service) && close_elsewhere(descriptor, result)) return result;
  Operation operation(Request{.kind = Request::Kind::kClose, .descriptor = descriptor});
  const bool is_ours = service != nullptr && service->is_of_this_process();
  return is_ours ? service->run_close(operation) : operation.execute();
}

void run_blocking(void (*call)(void*), void* callable) {
  IoService* const service = service_of_caller();
  if (service == nullptr) return call(callable);
  Operation operation(Request{.kind = Request::Kind::kCall, .call = call, .callable = callable});
  if (service->run_call(operation) != 0) {
    throw std::system_error(EAGAIN, std::generic_category(), "no OS thread for a blocking call");
  }
}

}  // namespace kumiko::runtime::detail
