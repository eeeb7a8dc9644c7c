#include "animation.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kumiko/io/output_folder.hpp>

#include "request.hpp"

namespace kumiko::app {

namespace {

constexpr const char* kMessages = "messages.txt";

/// How ffmpeg is to encode.
std::vector<std::string> encoding(const std::string& format) {
  if (format == "gif") {
    // A palette of the pictures' own colours, and none that dots imitate.
    return {"-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none"};
  }
  // Players want even sides, and colours at half the resolution.
  const std::vector<std::string> common = {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white",
                                           "-pix_fmt", "yuv420p"};
  std::vector<std::string> list =
      format == "mp4"
          ? std::vector<std::string>{"-c:v", "libx264", "-crf", "18", "-movflags", "+faststart"}
          : std::vector<std::string>{"-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0"};
  list.insert(list.end(), common.begin(), common.end());
  return list;
}

/// While it lives, Ctrl-C is the child's: its end is seen here, and its frames are removed.
class LeaveInterrupts {
 public:
  LeaveInterrupts() : before_(std::signal(SIGINT, SIG_IGN)) {}
  ~LeaveInterrupts() { std::signal(SIGINT, before_); }
  LeaveInterrupts(const LeaveInterrupts&) = delete;
  LeaveInterrupts& operator=(const LeaveInterrupts&) = delete;

 private:
  void (*before_)(int);
};

/// Runs a program in a folder; what it writes goes to kMessages there.
/// \return its exit status, or 128 + signal
int run_child(const std::vector<std::string>& command, const std::filesystem::path& folder) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, kMessages, O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw std::runtime_error(fmt::format("cannot start '{}': {}", command.front(),
                                         std::system_category().message(failed)));
  }
  const LeaveInterrupts leave;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno == EINTR) continue;
    throw std::runtime_error(fmt::format("cannot tell how '{}' ended: {}", command.front(),
                                         std::system_category().message(errno)));
  }
  constexpr int kSignalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

std::string last_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string last = "it said nothing";
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

std::filesystem::path make_folder(const std::filesystem::path& beside) {
  std::string name = (beside / ".kumiko-frames-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) return name;
  throw std::runtime_error(
      fmt::format("cannot make '{}': {}", name, std::system_category().message(errno)));
}

}  // namespace

std::filesystem::path find_ffmpeg(std::string_view format) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::filesystem::path program = std::filesystem::path(rest.substr(0, end)) / "ffmpeg";
    if (access(program.c_str(), X_OK) == 0) return std::filesystem::absolute(program);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  throw RequestError(
      "--format {}: the program ffmpeg is not found; install it (on Debian: apt install ffmpeg), "
      "or choose --format png",
      format);
}

Animation::Animation(std::filesystem::path file, std::string format, int frames_per_second)
    : file_(std::move(file)),
      format_(std::move(format)),
      frames_per_second_(frames_per_second),
      ffmpeg_(find_ffmpeg(format_)),
      folder_(make_folder(file_.parent_path())) {}

Animation::~Animation() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Animation::add(std::string_view png) {
  io::write_text_file(folder_ / fmt::format("{:06}.png", frames_++), png);
}

void Animation::finish() {
  const std::string result = "animation." + format_;
  // By names in its folder: ffmpeg takes a % in a path for a pattern, and a : for a protocol.
  std::vector<std::string> command = {ffmpeg_.string(),
                                      "-nostdin",
                                      "-loglevel",
                                      "error",
                                      "-framerate",
                                      fmt::format("{}", frames_per_second_),
                                      "-i",
                                      "%06d.png"};
  const std::vector<std::string> how = encoding(format_);
  command.insert(command.end(), how.begin(), how.end());
  command.push_back(result);
  const int status = run_child(command, folder_);
  if (status != 0) {
    throw std::runtime_error(fmt::format("'{}' not made: ffmpeg ended with status {}: {}",
                                         file_.string(), status, last_line(folder_ / kMessages)));
  }
  std::filesystem::rename(folder_ / result, file_);
}

}  // namespace kumiko::app
