// Sends back whatever comes, on each connection by a lightweight thread of its own, which is
// written as if it could block: while it waits for its peer its worker serves others. A peer that
// is silent for ten seconds, or does not take its answer, is dismissed.
//
//     build/release/bin/example_echo_server 7777
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/io/operations.hpp>
#include <kumiko/runtime/io/socket.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>

#include "arguments.hpp"

namespace rt = kumiko::runtime;
namespace io = kumiko::runtime::io;

namespace {

constexpr std::chrono::seconds kPatience{10};

void echo(io::Socket& socket) {
  std::array<std::byte, 4096> buffer{};
  for (;;) {
    const io::Result<std::size_t> count = socket.read(buffer, io::within(kPatience));
    if (count && *count == 0) return;  // the peer has finished
    std::error_code error = count.error();
    if (!error)
      error = socket.write_all(std::span(buffer).first(*count), io::within(kPatience)).error;
    if (!error) continue;
    std::fprintf(stderr, "a connection ends: %s\n", error.message().c_str());
    return;
  }
}

/// Takes `connections` of them; 0: for ever.
std::error_code serve(io::Listener& listener, int connections) {
  rt::TaskGroup group;
  for (int served = 0; connections == 0 || served < connections;) {
    io::Result<io::Socket> socket = listener.accept();
    if (socket) {
      group.run([socket = *std::move(socket)]() mutable { echo(socket); });
      ++served;
    } else if (socket.error() == std::errc::too_many_files_open) {
      // The connection stays queued until one of the others has ended.
      if (const auto slept = io::sleep(io::within(std::chrono::milliseconds(100))); !slept) {
        return slept.error();
      }
    } else if (socket.error() != std::errc::connection_aborted) {
      return socket.error();
    }
  }
  group.wait();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = examples::read_arguments(
      argc, argv, {{"port", 0, 65535, 7777}, {"connections", 0, 1'000'000'000, 0}});
  const int port = arguments[0];
  const int connections = arguments[1];
  io::Result<io::Listener> listener =
      io::Listener::listen(io::Address::loopback(static_cast<std::uint16_t>(port)));
  if (!listener) {
    std::fprintf(stderr, "error: port %d: %s\n", port, listener.error().message().c_str());
    return EXIT_FAILURE;
  }
  std::printf("listening on %s\n", listener->address().value().to_string().c_str());
  std::fflush(stdout);

  rt::Runtime runtime;
  std::error_code error;
  runtime.run([&] { error = serve(*listener, connections); });
  if (error) std::fprintf(stderr, "error: %s\n", error.message().c_str());
  return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
