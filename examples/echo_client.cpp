// Talks to the echo server on many connections at once, a lightweight thread for each, and checks
// that each byte comes back.
//
//     build/release/bin/example_echo_client 7777 100 1000
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <vector>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/io/socket.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "arguments.hpp"

namespace rt = kumiko::runtime;
namespace io = kumiko::runtime::io;

namespace {

constexpr std::chrono::seconds kPatience{10};

/// Another for each message, up to 2000 bytes.
std::vector<std::byte> message(std::size_t connection, int number) {
  const auto mark = connection * 31 + static_cast<std::size_t>(number) * 17;
  std::vector<std::byte> bytes(1 + mark % 2000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(mark + i);
  return bytes;
}

/// Sends messages one after the other, each when the last one has come back.
std::error_code talk(const io::Address& server, std::size_t connection, int messages) {
  io::Result<io::Socket> socket = io::Socket::connect(server, io::within(kPatience));
  if (!socket) return socket.error();
  for (int i = 0; i < messages; ++i) {
    const std::vector<std::byte> sent = message(connection, i);
    if (const io::Transfer out = socket->write_all(sent, io::within(kPatience)); !out) {
      return out.error;
    }
    std::vector<std::byte> received(sent.size());
    if (const io::Transfer in = socket->read_exactly(received, io::within(kPatience)); !in) {
      return in.error;
    }
    if (received != sent) return std::make_error_code(std::errc::bad_message);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = examples::read_arguments(
      argc, argv,
      {{"port", 1, 65535, 7777}, {"connections", 1, 10'000, 10}, {"messages", 1, 1'000'000, 100}});
  const int port = arguments[0];
  const int connections = arguments[1];
  const int messages = arguments[2];
  const io::Address server = io::Address::loopback(static_cast<std::uint16_t>(port));

  rt::Runtime runtime;
  std::atomic<int> failed{0};
  runtime.run([&] {
    rt::for_each_index(static_cast<std::size_t>(connections), [&](std::size_t i) {
      const std::error_code error = talk(server, i, messages);
      if (!error) return;
      std::fprintf(stderr, "error: connection %zu: %s\n", i, error.message().c_str());
      ++failed;
    });
  });
  if (failed != 0) return EXIT_FAILURE;
  std::printf("%d connections, %d messages each: all came back\n", connections, messages);
  return EXIT_SUCCESS;
}
