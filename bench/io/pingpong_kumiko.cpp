// An echo server: a lightweight thread for each connection.
#include "kumiko_io.hpp"

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
  service.run(port, [&](JsonLine& line) { report_workers(line, runtime); });
}

}  // namespace
}  // namespace kumiko::bench::io

int main(int argc, char** argv) {
  return kumiko::bench::io::service_main(argc, argv, kumiko::bench::io::serve);
}
