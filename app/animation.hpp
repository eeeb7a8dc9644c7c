// Joins pictures to an animation by the program ffmpeg.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kumiko::app {

/// Throws RequestError, with the remedy, when ffmpeg is not to be found on PATH.
/// \return the program, from the root
std::filesystem::path find_ffmpeg(std::string_view format);

/// One animation. Its pictures wait in a folder beside it, which goes with this object.
class Animation {
 public:
  /// \param format  mp4, gif or webm
  /// Throws RequestError without ffmpeg, std::runtime_error when the folder cannot be made.
  Animation(std::filesystem::path file, std::string format, int frames_per_second);
  ~Animation();
  Animation(const Animation&) = delete;
  Animation& operator=(const Animation&) = delete;

  /// The next picture, a PNG's bytes; all of one size.
  void add(std::string_view png);
  /// Runs ffmpeg and waits for it. The file is whole when it has its name. Throws
  /// std::runtime_error with what ffmpeg says.
  void finish();
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  std::string format_;
  int frames_per_second_;
  std::filesystem::path ffmpeg_;
  std::filesystem::path folder_;
  int frames_ = 0;
};

}  // namespace kumiko::app
