// Calls for which the system has nothing to wait for: an OS thread of a pool makes them.
#include <cerrno>
#include <exception>

#include <kumiko/runtime/io/blocking.hpp>

#include "interpose.hpp"
#include "real.hpp"
#include "thread_record.hpp"

namespace kumiko::pthread {

namespace {

/// Returns what call() returns, with its errno, which belongs to the OS thread.
template <class Call>
auto elsewhere(Call call) {
  if (ThreadRecord::running() == nullptr) return call();
  int error = 0;
  try {
    const auto result = runtime::io::blocking([&] {
      const auto value = call();
      error = errno;
      return value;
    });
    errno = error;
    return result;
  } catch (const std::exception&) {
    // No descriptors, no OS thread or no memory for that: the worker blocks. Nothing was called.
    return call();
  }
}

}  // namespace

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int fsync(int descriptor) {
  return elsewhere([=] { return real().fsync(descriptor); });
}

KUMIKO_INTERPOSE int fdatasync(int descriptor) {
  return elsewhere([=] { return real().fdatasync(descriptor); });
}

KUMIKO_INTERPOSE int getaddrinfo(const char* host, const char* service, const addrinfo* hints,
                                 addrinfo** found) {
  return elsewhere([=] { return real().getaddrinfo(host, service, hints, found); });
}

KUMIKO_INTERPOSE pid_t waitpid(pid_t child, int* status, int options) {
  if ((options & WNOHANG) != 0) return real().waitpid(child, status, options);
  return elsewhere([=] { return real().waitpid(child, status, options); });
}

KUMIKO_INTERPOSE pid_t wait4(pid_t child, int* status, int options, rusage* usage) {
  if ((options & WNOHANG) != 0) return real().wait4(child, status, options, usage);
  return elsewhere([=] { return real().wait4(child, status, options, usage); });
}

KUMIKO_INTERPOSE int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  if ((options & WNOHANG) != 0) return real().waitid(type, id, info, options);
  return elsewhere([=] { return real().waitid(type, id, info, options); });
}

KUMIKO_INTERPOSE pid_t wait(int* status) { return waitpid(-1, status, 0); }
