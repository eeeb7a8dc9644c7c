#include "run/complete_run.hpp"

#include <array>
#include <string>
#include <string_view>

#include <kumiko/io/manifest.hpp>
#include <kumiko/io/sidecar.hpp>
#include <kumiko/io/state_writer.hpp>

namespace kumiko::app {

bool is_done_here(const Start& start) {
  return is_done(start) && start.earlier == io::Earlier::kContinue;
}

bool has_last_state(const Start& start) {
  if (!is_done_here(start) || !start.from->sidecar_fault.empty()) return false;
  const std::string state = io::state_name(start.from->checkpoint.run.step);
  const std::string sidecar = io::sidecar_of(state).string();
  if (start.from->file.filename() != state) return false;
  try {
    const std::array<std::string_view, 2> files = {state, sidecar};
    return io::check_folder(start.path, files).altered.empty();
  } catch (const io::OutputError&) {
    return true;  // without a manifest: the state itself is whole
  }
}

}  // namespace kumiko::app
