#include "experiments/sweep.hpp"

#include <fmt/core.h>

#include "run/run_parts.hpp"
#include "terminal/request.hpp"
#include "terminal/saved_results.hpp"

namespace kumiko::app {

void print_found(const std::filesystem::path& folder, const std::string& text) {
  if (folder.empty()) return fmt::print("{}", text);
  print_saved(fmt::format("the results are in '{}'", folder.string()),
              [&] { fmt::print("{}\nfiles in {}/\n", text, folder.string()); });
}

void check_sweep_file(const std::filesystem::path& folder, const char* name, bool overwrite,
                      const std::string& what) {
  if (folder.empty()) return;
  // A folder may hold other files: of them only these are written.
  check_output(folder, io::Earlier::kContinue);
  if (overwrite || !std::filesystem::exists(folder / name)) return;
  throw RequestError(
      "'{}' already exists; replace the {} in that folder with --overwrite, or name another folder "
      "with --output",
      (folder / name).string(), what);
}

}  // namespace kumiko::app
