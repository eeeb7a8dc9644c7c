// An echo server whose workers are all busy computing: a lightweight thread for each patch of a
// step, beside one for each connection.
#include <atomic>
#include <cstdint>

#include <kumiko/runtime/for_each_index.hpp>

#include "kumiko_io.hpp"
#include "patches.hpp"

namespace kumiko::bench::io {
namespace {

void serve(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const runtime::Options options = runtime_options(arguments);
  arguments.reject_unknown();
  Service service;
  runtime::Runtime runtime(options);
  auto listener = runtime::io::Listener::listen(runtime::io::Address::loopback()).value();
  const std::uint16_t port = listener.address().value().port();
  run_beside(runtime, [&] { accept_all(listener); });
  Patches patches;
  std::atomic<std::uint64_t> done{0};
  run_beside(runtime, [&] {
    for (;;) {
      runtime::for_each_index(Patches::kCount, [&](std::size_t index) { patches.advance(index); });
      done.fetch_add(Patches::kCount, std::memory_order_relaxed);
    }
  });
  service.run(port, [&](JsonLine& line) {
    line.add("patches", done.load(std::memory_order_relaxed));
    report_workers(line, runtime);
  });
}

}  // namespace
}  // namespace kumiko::bench::io

int main(int argc, char** argv) {
  return kumiko::bench::io::service_main(argc, argv, kumiko::bench::io::serve);
}
