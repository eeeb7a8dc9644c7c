#include <stdexcept>
#include <system_error>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/require.hpp>
#include <kumiko/runtime/cpu_budget.hpp>

#include "backend/backends.hpp"

namespace kumiko::amr {

namespace {

class SerialBackend final : public Backend {
 public:
  SerialBackend() : Backend("serial", 1) {}

 private:
  void deal_out(const Level& level, bool, const ListTask& task) override {
    task(0, level.own().size(), 0);
  }
};

/// The reason and the remedy.
std::string why_not_started(const std::system_error& error) {
  const std::string_view what = error.what();
  // As std::thread says it.
  if (error.code() != std::errc::resource_unavailable_try_again || what != error.code().message()) {
    return fmt::format("{}; ask for fewer", what);
  }
  return "the system refuses one more OS thread; raise the limit on processes (ulimit -u) or on "
         "memory (ulimit -v), or ask for fewer";
}

}  // namespace

const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names = {"threads", "pthread", "openmp", "serial"};
  return names;
}

std::unique_ptr<Backend> make_backend(std::string_view name, int workers,
                                      runtime::IdlePolicy idle) {
  require(workers >= 0, "{} workers asked for; give a positive number, or 0 for all", workers);
  if (name == "serial") {
    require(workers <= 1,
            "backend 'serial' has one worker, but {} were asked for; ask for one, or choose "
            "another backend",
            workers);
    return std::make_unique<SerialBackend>();
  }
  try {
    if (name == "threads") return make_threads_backend(workers, idle);
    if (name == "pthread") return make_pthread_backend(workers);
    if (name == "openmp") return make_openmp_backend(workers);
  } catch (const std::system_error& error) {
    const int wanted = workers > 0 ? workers : runtime::available_cores();
    throw std::runtime_error(fmt::format("backend '{}' cannot start {} worker{}: {}", name, wanted,
                                         wanted == 1 ? "" : "s", why_not_started(error)));
  }
  throw std::invalid_argument(fmt::format("backend '{}' is unknown; choose one of: {}", name,
                                          fmt::join(backend_names(), ", ")));
}

}  // namespace kumiko::amr
