#include "service.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "process.hpp"

namespace kumiko::bench::io {

namespace {

constexpr std::size_t kDescriptors = 65536;  // more than there are ports for connections

void print_report(const std::function<void(JsonLine&)>& details) {
  const CpuSeconds cpu = cpu_seconds();
  JsonLine line;
  line.add("wall_seconds", wall_seconds())
      .add("user_seconds", cpu.user)
      .add("system_seconds", cpu.system)
      .add("cpu_seconds", cpu.user + cpu.system);
  details(line);
  line.print();
}

}  // namespace

Service::Service() {
  raise_descriptor_limit(kDescriptors);
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  signals_ = signalfd(-1, &ends, SFD_CLOEXEC);
  if (signals_ < 0) throw_errno("signalfd");
}

void Service::run(std::uint16_t port, const std::function<void(JsonLine&)>& details) {
  std::printf("PORT %u\n", unsigned{port});
  std::fflush(stdout);
  while (wait_for_line()) print_report(details);
  print_report(details);
  _exit(0);
}

/// \returns false if the service is to end.
bool Service::wait_for_line() const {
  for (;;) {
    pollfd sources[] = {{STDIN_FILENO, POLLIN, 0}, {signals_, POLLIN, 0}};
    if (poll(sources, 2, -1) < 0 && errno != EINTR) throw_errno("poll");
    if (sources[1].revents != 0) return false;
    if (sources[0].revents == 0) continue;
    char byte;
    if (read(STDIN_FILENO, &byte, 1) != 1) return false;
    if (byte == '\n') return true;
  }
}

void die(const char* what) noexcept {
  std::fprintf(stderr, "error: %s\n", what);
  _exit(1);
}

int service_main(int argc, char** argv, void (*serve)(int argc, char** argv)) {
  try {
    serve(argc, argv);
  } catch (const std::exception& error) {
    die(error.what());
  }
  return 0;
}

}  // namespace kumiko::bench::io
