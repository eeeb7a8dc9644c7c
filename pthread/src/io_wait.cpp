// poll(), select() and epoll_wait(): a lightweight thread that must wait lets others run meanwhile.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "interpose.hpp"
#include "io_support.hpp"
#include "real.hpp"
#include "thread_record.hpp"
#include "turns.hpp"

namespace kumiko::pthread {

namespace {

bool is_lightweight() noexcept { return ThreadRecord::running() != nullptr; }

/// An epoll instance that has an event when one of several descriptors has.
class AnyOf {
 public:
  AnyOf() noexcept : epoll_(epoll_create1(EPOLL_CLOEXEC)) { note_new(epoll_); }
  AnyOf(const AnyOf&) = delete;
  AnyOf& operator=(const AnyOf&) = delete;
  ~AnyOf() {
    if (epoll_ >= 0) close_descriptor(epoll_);
  }

  /// False if nothing would tell of the descriptor's events. Files, which epoll refuses, are ready
  /// at the first look.
  bool add(int descriptor, std::uint32_t events) noexcept {
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    return epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0 || errno == EPERM;
  }

  Waited wait(Deadline deadline) { return wait_for_events(epoll_, POLLIN, deadline); }

  bool is_valid() const noexcept { return epoll_ >= 0; }

 private:
  const int epoll_;
};

/// Waits until one of the descriptors may have an event, or until the deadline.
Waited wait_for_any(pollfd* watched, nfds_t count, Deadline deadline) {
  std::vector<pollfd> sorted;
  std::copy_if(watched, watched + count, std::back_inserter(sorted),
               [](const pollfd& entry) { return entry.fd >= 0; });
  if (sorted.empty()) {
    return sleep_until(deadline, Cancelled::kUnwinds, Handled::kEnds);
  }
  if (sorted.size() == 1) return wait_for_events(sorted[0].fd, sorted[0].events, deadline);
  // epoll takes each descriptor once.
  std::sort(sorted.begin(), sorted.end(),
            [](const pollfd& a, const pollfd& b) { return a.fd < b.fd; });
  AnyOf any;
  if (!any.is_valid()) return Waited::kMayHave;
  for (std::size_t i = 0; i < sorted.size();) {
    const int descriptor = sorted[i].fd;
    std::uint32_t events = 0;
    for (; i < sorted.size() && sorted[i].fd == descriptor; ++i) {
      events |= static_cast<std::uint16_t>(sorted[i].events);
    }
    if (!any.add(descriptor, events)) return Waited::kMayHave;
  }
  return any.wait(deadline);
}

/// Calls look(), which does not wait, until it returns something else than 0 or wait(deadline) says
/// that time is over, or a signal handler has run.
template <class Look, class Wait>
int look_until(Deadline deadline, Look look, Wait wait) {
  constexpr std::chrono::milliseconds kAtOnce{1};
  Patience patience;
  for (;;) {
    const int found = look();
    if (found != 0) return found;
    const Deadline begin = Deadline::clock::now();
    if (begin >= deadline) return 0;
    // A single unusable descriptor is told of by the next look.
    const Waited waited = wait(deadline);
    if (waited == Waited::kTimedOut) return look();
    if (waited == Waited::kSignalled) return returned<int>(-EINTR);
    if (Deadline::clock::now() - begin >= kAtOnce) {
      patience.reset();
      continue;
    }
    // There may be something that is not looked for: a hang-up, or no means to wait.
    if (const int news = look(); news != 0) return news;
    patience.sleep(deadline);
  }
}

int poll_ours(pollfd* watched, nfds_t count, Deadline deadline) try {
  return look_until(
      deadline, [&] { return real().poll(watched, count, 0); },
      [&](Deadline until) { return wait_for_any(watched, count, until); });
} catch (const std::bad_alloc&) {
  return returned<int>(-ENOMEM);
}

/// What select() is given, and changes: none is ready when it returns 0. Programs allocate only the
/// words that their descriptors need.
class Set {
 public:
  Set(fd_set* callers, int count) noexcept
      : callers_(callers),
        bytes_((static_cast<std::size_t>(count) + NFDBITS - 1) / NFDBITS * sizeof(fd_mask)) {
    if (callers_ != nullptr) std::memcpy(&asked_, callers_, bytes_);
  }

  bool has(int descriptor) const noexcept { return FD_ISSET(descriptor, &asked_); }
  void restore() noexcept {
    if (callers_ != nullptr) std::memcpy(callers_, &asked_, bytes_);
  }

 private:
  fd_set* const callers_;
  const std::size_t bytes_;
  fd_set asked_{};
};

int select_ours(int count, fd_set* in, fd_set* out, fd_set* urgent, Deadline deadline) try {
  Set all_in(in, count);
  Set all_out(out, count);
  Set all_urgent(urgent, count);
  std::vector<pollfd> watched;
  for (int i = 0; i < count; ++i) {
    const int events = (all_in.has(i) ? POLLIN : 0) | (all_out.has(i) ? POLLOUT : 0) |
                       (all_urgent.has(i) ? POLLPRI : 0);
    if (events != 0) watched.push_back({i, static_cast<short>(events), 0});
  }
  return look_until(
      deadline,
      [&] {
        all_in.restore();
        all_out.restore();
        all_urgent.restore();
        timeval now{};
        return real().select(count, in, out, urgent, &now);
      },
      [&](Deadline until) { return wait_for_any(watched.data(), watched.size(), until); });
} catch (const std::bad_alloc&) {
  return returned<int>(-ENOMEM);
}

/// Sets of more than FD_SETSIZE descriptors, which some programs allocate themselves, are the C
/// library's.
bool selects_ours(int count) {
  count_turn(kWeightOfCall);
  return count >= 0 && count <= FD_SETSIZE && is_lightweight();
}

/// Whether poll() or epoll_wait() is to wait in the runtime. A caller that only looks is likely to
/// look again, so it is counted.
bool waits(int timeout) {
  if (!is_lightweight()) return false;
  if (timeout == 0) count_turn(kWeightOfFailure);
  return timeout != 0;
}

}  // namespace

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int poll(pollfd* watched, nfds_t count, int timeout) {
  if (!waits(timeout)) return real().poll(watched, count, timeout);
  return poll_ours(watched, count, deadline_after_milliseconds(timeout));
}

KUMIKO_INTERPOSE int __poll_chk(pollfd* watched, nfds_t count, int timeout, size_t capacity) {
  if (capacity / sizeof(pollfd) < count) {
    return real().__poll_chk(watched, count, timeout, capacity);
  }
  return poll(watched, count, timeout);
}

// A call with a signal mask is left to the C library: the worker blocks.
KUMIKO_INTERPOSE int ppoll(pollfd* watched, nfds_t count, const timespec* timeout,
                           const sigset_t* mask) {
  if (mask != nullptr || !is_lightweight()) return real().ppoll(watched, count, timeout, mask);
  if (!is_valid(timeout)) return returned<int>(-EINVAL);
  return poll_ours(watched, count, deadline_after(timeout));
}

KUMIKO_INTERPOSE int __ppoll_chk(pollfd* watched, nfds_t count, const timespec* timeout,
                                 const sigset_t* mask, size_t capacity) {
  if (capacity / sizeof(pollfd) < count) {
    return real().__ppoll_chk(watched, count, timeout, mask, capacity);
  }
  return ppoll(watched, count, timeout, mask);
}

KUMIKO_INTERPOSE int select(int count, fd_set* in, fd_set* out, fd_set* urgent, timeval* timeout) {
  if (!selects_ours(count)) return real().select(count, in, out, urgent, timeout);
  if (timeout == nullptr) return select_ours(count, in, out, urgent, Deadline::max());
  if (timeout->tv_sec < 0 || timeout->tv_usec < 0) return returned<int>(-EINVAL);
  const Deadline deadline = deadline_after(*timeout);
  const int found = select_ours(count, in, out, urgent, deadline);
  // Linux tells what is left.
  const auto left = std::max(deadline - Deadline::clock::now(), Deadline::duration::zero());
  timeout->tv_sec = std::chrono::floor<std::chrono::seconds>(left).count();
  timeout->tv_usec =
      std::chrono::floor<std::chrono::microseconds>(left % std::chrono::seconds(1)).count();
  return found;
}

KUMIKO_INTERPOSE int pselect(int count, fd_set* in, fd_set* out, fd_set* urgent,
                             const timespec* timeout, const sigset_t* mask) {
  if (mask != nullptr || !selects_ours(count)) {
    return real().pselect(count, in, out, urgent, timeout, mask);
  }
  if (!is_valid(timeout)) return returned<int>(-EINVAL);
  return select_ours(count, in, out, urgent, deadline_after(timeout));
}

KUMIKO_INTERPOSE int epoll_wait(int descriptor, epoll_event* events, int count, int timeout) {
  if (!waits(timeout)) {
    return real().epoll_wait(descriptor, events, count, timeout);
  }
  return look_until(
      deadline_after_milliseconds(timeout),
      [&] { return real().epoll_wait(descriptor, events, count, 0); },
      [&](Deadline until) { return wait_for_events(descriptor, POLLIN, until); });
}

KUMIKO_INTERPOSE int epoll_pwait(int descriptor, epoll_event* events, int count, int timeout,
                                 const sigset_t* mask) {
  if (mask != nullptr) return real().epoll_pwait(descriptor, events, count, timeout, mask);
  return epoll_wait(descriptor, events, count, timeout);
}
