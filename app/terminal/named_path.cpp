#include "terminal/named_path.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/trace_file.hpp>

#include "terminal/request.hpp"

namespace kumiko::app {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, int error) {
  const char* const remedy =
      error == EACCES ? "let this user read it, or name another one" : "name another one";
  throw RequestError("'{}' cannot be read: {}; {}", path.string(),
                     std::generic_category().message(error), remedy);
}

}  // namespace

fs::file_type type_of_named(const fs::path& path) {
  std::error_code hidden;
  const fs::file_type type = fs::status(path, hidden).type();
  if (type == fs::file_type::not_found) return type;
  if (type == fs::file_type::none) refuse(path, hidden.value());
  const int wanted = type == fs::file_type::directory ? R_OK | X_OK : R_OK;
  // With the effective user, as in reading.
  if (::faccessat(AT_FDCWD, path.c_str(), wanted, AT_EACCESS) != 0) refuse(path, errno);
  return type;
}

void require_file(const fs::path& path, std::string_view remedy) {
  const fs::file_type type = type_of_named(path);
  if (type == fs::file_type::regular) return;
  const std::string name = path.string();
  throw RequestError("{}; {}",
                     type == fs::file_type::not_found ? fmt::format("there is no file '{}'", name)
                                                      : fmt::format("'{}' is not a file", name),
                     remedy);
}

bool is_at_or_above(const fs::path& path, const fs::path& folder) {
  std::error_code hidden;
  const auto place = [&hidden](const fs::path& named) {
    // Relative to the current folder even if its first part does not exist.
    return (fs::weakly_canonical(fs::current_path() / named, hidden) / "").parent_path();
  };
  const fs::path above = place(path);
  const fs::path below = place(folder);
  return !hidden && std::ranges::mismatch(above, below).in1 == above.end();
}

bool make_folder(const fs::path& folder) {
  refusing<io::OutputError>([&] { io::check_writable_folder(folder); });
  std::error_code failed;
  const bool made = fs::create_directories(folder, failed);
  if (!failed) return made;
  throw RequestError("cannot make '{}': {}; name another folder with --output", folder.string(),
                     failed.message());
}

amr::Trace read_named_trace(const fs::path& path) {
  constexpr std::string_view kRemedy =
      "name a trace.hdf, or the folder of a run with one, which --set trace.from=N records";
  if (type_of_named(path) == fs::file_type::directory) {
    type_of_named(path / io::kTraceFile);
  } else {
    require_file(path, kRemedy);
  }
  return refusing<io::NotATrace>([&] { return io::read_trace(path); });
}

}  // namespace kumiko::app
