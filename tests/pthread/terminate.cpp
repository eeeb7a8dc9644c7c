// An exception that leaves its thread calls the program's own terminate handler, with the exception
// at hand.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

int main() {
  std::set_terminate([] {
    try {
      std::rethrow_exception(std::current_exception());
    } catch (const std::exception& error) {
      std::puts(error.what());
      std::fflush(stdout);
    }
    std::_Exit(std::string("passed").size() == 6 ? 0 : 1);
  });
  std::thread([] { throw std::runtime_error("passed"); }).join();
  return 1;
}
