#include "commands/animation.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kumiko::app {

namespace {

using runtime::io::FileDescriptor;

[[noreturn]] void fail(int error) {
  throw std::runtime_error("cannot start ffmpeg: " + std::generic_category().message(error));
}

/// How ffmpeg is to encode.
std::vector<std::string> encoding(const std::string& format) {
  if (format == "gif") {
    // A palette of the pictures' own colours, and none that dots imitate.
    return {"-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none"};
  }
  std::vector<std::string> words = {"-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0"};
  if (format == "mp4") words = {"-c:v", "libx264", "-crf", "18", "-movflags", "+faststart"};
  // Players want even sides, and colours at half the resolution.
  for (const char* const word :
       {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-pix_fmt", "yuv420p"}) {
    words.emplace_back(word);
  }
  return words;
}

std::vector<std::string> command(const std::filesystem::path& file, const std::string& format,
                                 int frames_per_second) {
  std::vector<std::string> words = {"ffmpeg", "-nostdin",   "-loglevel", "error", "-y",
                                    "-f",     "image2pipe", "-c:v",      "png",   "-framerate"};
  for (std::string word :
       {std::to_string(frames_per_second), std::string("-i"), std::string("pipe:0")}) {
    words.push_back(std::move(word));
  }
  for (std::string& word : encoding(format)) words.push_back(std::move(word));
  words.insert(words.end(), {"-f", format});
  // From the root, since ffmpeg takes what is before a : for a protocol, and -x for an option.
  words.push_back(std::filesystem::absolute(file).string());
  return words;
}

pid_t start(std::vector<std::string> words, int input, int output) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  pid_t process = -1;
  const int error =
      ::posix_spawnp(&process, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(error);
  return process;
}

}  // namespace

Animation::Animation(const std::filesystem::path& file, const std::string& format,
                     int frames_per_second)
    : messages_(::memfd_create("messages", MFD_CLOEXEC)) {
  std::array<int, 2> ends{};
  if (!messages_ || ::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno);
  const FileDescriptor input(ends[0]);
  pictures_ = FileDescriptor(ends[1]);
  std::signal(SIGPIPE, SIG_IGN);  // an ffmpeg that has failed is named by finish()
  process_ = start(command(file, format, frames_per_second), input.get(), messages_.get());
}

Animation::~Animation() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  wait();
}

void Animation::add(std::string_view png) {
  while (!png.empty()) {
    const ssize_t written = ::write(pictures_.get(), png.data(), png.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;  // it has ended
    png.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Animation::finish() {
  pictures_ = {};
  const int status = wait();
  if (status == 0) return;
  throw std::runtime_error(fmt::format("ffmpeg ended with status {}: {}",
                                       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
                                       last_message()));
}

int Animation::wait() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

/// The last line that is not empty.
std::string Animation::last_message() const {
  std::string text(static_cast<std::size_t>(::lseek(messages_.get(), 0, SEEK_END)), '\0');
  if (::pread(messages_.get(), text.data(), text.size(), 0) < 0) text.clear();
  text.erase(text.find_last_not_of("\r\n") + 1);
  if (text.empty()) return "it printed no message";
  return text.substr(text.find_last_of("\r\n") + 1);
}

}  // namespace kumiko::app
