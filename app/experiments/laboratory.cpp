#include "experiments/laboratory.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "options/prefix.hpp"
#include "terminal/programs.hpp"
#include "terminal/request.hpp"

namespace kumiko::app {

namespace {

/// Finds the package by its folder alone: neither the caller's folder nor the environment can put
/// another module of its name in front. Until the study begins, Ctrl-C ends it at once.
constexpr const char* kStart = R"(import sys, signal
folder, study, *rest = sys.argv[1:]
if sys.version_info < (3, 11):
    print('kumiko: error: kumiko', study, 'needs Python 3.11 or newer, and', sys.executable,
          'is older; name another one by the environment variable KUMIKO_PYTHON', file=sys.stderr)
    sys.exit(2)
if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
sys.path[:] = [folder] + [place for place in sys.path if place]
from kumiko.__main__ import main
sys.exit(main([study, *rest]))
)";

std::string python() {
  const char* const named = std::getenv("KUMIKO_PYTHON");
  return named == nullptr || *named == '\0' ? "python3" : named;
}

std::filesystem::path package() { return prefix() / "share" / "kumiko" / "python"; }

/// The reason why no study can be started; empty where one can.
std::string fault() {
  if (!std::filesystem::exists(package() / "kumiko" / "__main__.py")) {
    return fmt::format("the folder '{}' is missing; install Kumiko again", package().string());
  }
  if (is_program(python())) return {};
  return fmt::format(
      "there is no program '{}'; name another one by the environment variable KUMIKO_PYTHON, or "
      "install Python 3.11 or newer (Debian: python3)",
      python());
}

/// A file of memory alone with a text, which programs that this one becomes can read. \return its
/// name
std::string file_of_memory(const std::string& text) {
  const int file = ::memfd_create("kumiko-request", 0);
  const bool is_written =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (is_written) return fmt::format("/proc/self/fd/{}", file);
  throw std::system_error(errno, std::generic_category(), "cannot write a file in memory");
}

/// The request as JSON. Throws RequestError for words that JSON cannot hold.
std::string text_of(const nlohmann::ordered_json& request) {
  try {
    return request.dump();
  } catch (const nlohmann::json::type_error&) {
    throw RequestError(
        "the command line holds a word that is not UTF-8; a study needs names in UTF-8, such as "
        "those of links");
  }
}

}  // namespace

void check_laboratory(const std::string& study) {
  const std::string why = fault();
  refuse_if(!why.empty(), "kumiko {} runs in Python: {}", study, why);
}

void become_study(const std::string& study, nlohmann::ordered_json request) {
  check_laboratory(study);
  request["program"] = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string interpreter = python();
  const std::string folder = package().string();
  const std::string file = file_of_memory(text_of(request));
  const std::array<const char*, 7> words = {
      interpreter.c_str(), "-c", kStart, folder.c_str(), study.c_str(), file.c_str(), nullptr};
  ::execvp(interpreter.c_str(), const_cast<char* const*>(words.data()));
  throw RequestError(
      "cannot start '{}': {}; name another Python by the environment variable "
      "KUMIKO_PYTHON",
      interpreter, std::system_category().message(errno));
}

}  // namespace kumiko::app
