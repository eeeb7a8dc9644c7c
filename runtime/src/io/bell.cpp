#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <kumiko/runtime/bell.hpp>

namespace kumiko::runtime {

namespace {

void check(int result) {
  if (result >= 0) return;
  throw std::system_error(errno, std::generic_category(), "no descriptor to wake workers by");
}

void watch(int all, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  check(epoll_ctl(all, EPOLL_CTL_ADD, descriptor, &event));
}

void drain(int descriptor) noexcept {
  std::uint64_t count = 0;
  static_cast<void>(::read(descriptor, &count, sizeof count));
}

}  // namespace

Bell::Bell(int other) {
  try {
    check(all_ = epoll_create1(EPOLL_CLOEXEC));
    check(rung_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    check(timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    watch(all_, rung_);
    watch(all_, timer_);
    if (other >= 0) watch(all_, other);
  } catch (...) {
    close_all();
    throw;
  }
}

Bell::~Bell() { close_all(); }

void Bell::close_all() noexcept {
  for (const int descriptor : {all_, rung_, timer_}) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

void Bell::ring() noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(::write(rung_, &one, sizeof one));
  // release: pairs with the acquire in silence(), which reads what was written before.
  is_rung_.store(true, std::memory_order_release);
}

void Bell::ring_at(Clock::time_point time) noexcept {
  if (time >= time_) return;
  time_ = time;
  // Zero would switch the timer off.
  const auto since =
      std::max<std::int64_t>(std::chrono::nanoseconds(time.time_since_epoch()).count(), 1);
  itimerspec spec{};
  spec.it_value.tv_sec = since / 1'000'000'000;
  spec.it_value.tv_nsec = since % 1'000'000'000;
  timerfd_settime(timer_, TFD_TIMER_ABSTIME, &spec, nullptr);
}

bool Bell::silence_rings() noexcept {
  const bool is_rung = is_rung_.load(std::memory_order_relaxed) &&
                       is_rung_.exchange(false, std::memory_order_acquire);
  if (is_rung) drain(rung_);
  return is_rung;
}

bool Bell::silence(Clock::time_point now) noexcept {
  const bool is_rung = silence_rings();
  if (now < time_) return is_rung;
  drain(timer_);
  time_ = Clock::time_point::max();
  return is_rung;
}

}  // namespace kumiko::runtime
