#include "backend/backends.hpp"

namespace kumiko::amr {

namespace {

class SerialBackend final : public Backend {
 public:
  std::string_view name() const override { return "serial"; }
  int workers() const override { return 1; }
  void run(const std::function<void()>& driver) override { driver(); }

 private:
  void run_tasks(const Level& level, const PatchTask& task) override {
    for (std::size_t slot = 0; slot < level.size(); ++slot) task(slot, 0);
  }
  void run_lists(const Level& level, const ListTask& task) override { task(0, level.size(), 0); }
};

}  // namespace

std::unique_ptr<Backend> make_serial_backend() { return std::make_unique<SerialBackend>(); }

}  // namespace kumiko::amr
