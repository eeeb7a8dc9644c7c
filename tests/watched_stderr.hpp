// What a test's program says on stderr, to be looked at while it runs.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

namespace kumiko {

/// While it lives stderr goes to a file in memory, into which any thread may look meanwhile.
class WatchedStderr {
 public:
  WatchedStderr() : before_(dup(STDERR_FILENO)), file_(memfd_create("stderr", MFD_CLOEXEC)) {
    std::fflush(stderr);
    dup2(file_, STDERR_FILENO);
  }
  WatchedStderr(const WatchedStderr&) = delete;
  WatchedStderr& operator=(const WatchedStderr&) = delete;
  ~WatchedStderr() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    close(file_);
  }

  std::string text() const {
    std::string all;
    std::array<char, 65536> buffer;
    for (;;) {
      const ssize_t size =
          pread(file_, buffer.data(), buffer.size(), static_cast<off_t>(all.size()));
      if (size <= 0) return all;
      all.append(buffer.data(), static_cast<std::size_t>(size));
    }
  }

  /// Waits until the text has that part so many times; what looks at the text afterwards fails if
  /// it does not come.
  void wait_for(const std::string& part, int times = 1) const {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (count(part) < times && std::chrono::steady_clock::now() < limit) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

 private:
  int count(const std::string& part) const {
    const std::string all = text();
    int found = 0;
    for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) {
      ++found;
    }
    return found;
  }

  const int before_;
  const int file_;
};

}  // namespace kumiko
