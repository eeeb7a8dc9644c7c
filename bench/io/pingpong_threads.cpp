// An echo server: an OS thread for each connection.
#include "echo_threads.hpp"
#include "service.hpp"
#include "support/arguments.hpp"

namespace kumiko::bench::io {
namespace {

void serve(int argc, char** argv) {
  Arguments(argc, argv).reject_unknown();
  Service service;
  service.run(echo_with_os_threads());
}

}  // namespace
}  // namespace kumiko::bench::io

int main(int argc, char** argv) {
  return kumiko::bench::io::service_main(argc, argv, kumiko::bench::io::serve);
}
