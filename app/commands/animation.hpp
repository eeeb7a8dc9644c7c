// Joins pictures to an animation by the program ffmpeg.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <sys/types.h>

#include <kumiko/runtime/io/file_descriptor.hpp>

namespace kumiko::app {

/// An ffmpeg that reads pictures from a pipe while they are drawn. One that is not finished is
/// ended with this object.
class Animation {
 public:
  /// Starts ffmpeg, which writes `file`. Throws std::runtime_error.
  /// \param format  mp4, gif or webm
  Animation(const std::filesystem::path& file, const std::string& format, int frames_per_second);
  ~Animation();
  Animation(const Animation&) = delete;
  Animation& operator=(const Animation&) = delete;

  /// Adds the next picture, a PNG's bytes; all of one size.
  void add(std::string_view png);
  /// Waits until the file is written. Throws std::runtime_error with what ffmpeg says.
  void finish();

 private:
  int wait();
  std::string last_message() const;

  runtime::io::FileDescriptor messages_;  ///< in memory
  runtime::io::FileDescriptor pictures_;
  pid_t process_ = -1;
};

}  // namespace kumiko::app
