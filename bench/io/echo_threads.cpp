#include "echo_threads.hpp"

#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process.hpp"
#include "service.hpp"

namespace kumiko::bench::io {

namespace {

constexpr std::size_t kStack = std::size_t{64} * 1024;

bool send_all(int descriptor, const char* bytes, ssize_t count) {
  while (count > 0) {
    const ssize_t sent = send(descriptor, bytes, static_cast<std::size_t>(count), MSG_NOSIGNAL);
    if (sent < 0) return false;
    bytes += sent;
    count -= sent;
  }
  return true;
}

void echo(int descriptor) {
  char bytes[64];
  for (;;) {
    const ssize_t count = recv(descriptor, bytes, sizeof(bytes), 0);
    if (count <= 0 || !send_all(descriptor, bytes, count)) break;
  }
  close(descriptor);
}

/// std::thread cannot have a small stack.
void start_echo(int descriptor) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const int error = pthread_create(
      &thread, &attributes,
      [](void* argument) -> void* {
        echo(static_cast<int>(reinterpret_cast<std::intptr_t>(argument)));
        return nullptr;
      },
      reinterpret_cast<void*>(std::intptr_t{descriptor}));
  pthread_attr_destroy(&attributes);
  if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_create");
}

void accept_all(int listener) {
  for (;;) {
    const int descriptor = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) {
      if (errno == ECONNABORTED || errno == EINTR) continue;
      throw_errno("accept");
    }
    const int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    start_echo(descriptor);
  }
}

}  // namespace

std::uint16_t echo_with_os_threads() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || bind(listener, generic, size) != 0 || listen(listener, 4096) != 0 ||
      getsockname(listener, generic, &size) != 0) {
    throw_errno("listen");
  }
  std::thread([listener] {
    try {
      accept_all(listener);
    } catch (const std::exception& error) {
      die(error.what());
    }
  }).detach();
  return ntohs(address.sin_port);
}

}  // namespace kumiko::bench::io
