#include "backend/backends.hpp"

namespace kumiko::amr {

namespace {

class SerialBackend final : public Backend {
 public:
  SerialBackend() : Backend("serial", 1) {}

 private:
  void deal_out(const Level& level, bool, const ListTask& task) override {
    task(0, level.size(), 0);
  }
};

}  // namespace

std::unique_ptr<Backend> make_serial_backend() { return std::make_unique<SerialBackend>(); }

}  // namespace kumiko::amr
