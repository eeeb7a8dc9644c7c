#include "terminal/summary_file.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/summary.hpp>

#include "terminal/request.hpp"

namespace kumiko::app {

namespace {

/// The process's own stdout, while all other output goes to stderr; -1 before.
int own_stdout = -1;

std::string reason() { return std::system_category().message(errno); }

void print_to_stderr_only() {
  if (own_stdout >= 0) return;
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) throw std::runtime_error(kStdoutFault);
  const bool is_flushed = std::fflush(stdout) == 0;
  // Programs that this one starts do not keep it open.
  own_stdout = is_flushed ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
  if (own_stdout >= 0 && ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) return;
  throw std::runtime_error(fmt::format("cannot use stdout: {}", reason()));
}

void write_to_own_stdout(std::string_view text) {
  std::signal(SIGPIPE, SIG_IGN);
  while (!text.empty()) {
    const ssize_t written = ::write(own_stdout, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw io::OutputError(fmt::format("cannot write the results to stdout: {}", reason()));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// True if a file is the summary of a run or a table, or is empty.
bool is_summary(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (stream.peek() == std::ifstream::traits_type::eof()) return true;
  const auto json = nlohmann::ordered_json::parse(stream, nullptr, false);
  return json.is_object() && (json.contains("state_hash") || json.contains("runs"));
}

}  // namespace

void check_summary(const std::filesystem::path& file, bool is_own) {
  if (file.empty() || file == kStdout) return;
  const std::string name = file.filename().string();
  refuse_if(io::OutputFolder::owns(name) && name != io::kSummaryFile,
            "--summary: '{}' is the name of another file of a run; choose another name",
            file.string());
  refuse_if(std::filesystem::is_regular_file(file) && !is_summary(file),
            "--summary: '{}' exists and does not hold a summary; name another file", file.string());
  refuse_if(name == io::kSummaryFile && !is_own && io::OutputFolder::holds_run(file.parent_path()),
            "--summary: '{}' is the summary of another run; name another file", file.string());
  if (is_own && !std::filesystem::exists(file.parent_path())) return;
  refusing<io::OutputError>([&] { io::check_writable(file); });
}

void prepare_summary(const std::filesystem::path& file, bool is_own) {
  if (file.empty()) return;
  if (file == kStdout) return print_to_stderr_only();
  check_summary(file, is_own);
  // Numbers of an earlier run must not be taken for this one's.
  std::filesystem::remove(file);
}

void write_summary(const std::filesystem::path& file, const std::string& text) {
  if (file.empty()) return;
  if (file == kStdout) return write_to_own_stdout(text);
  io::write_text_file(file, text);
}

}  // namespace kumiko::app
