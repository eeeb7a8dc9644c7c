#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "peers.hpp"

namespace kumiko::bench {

void write_plain(const std::filesystem::path& file, const std::string& bytes) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20U;
  const auto check = [](bool good) {
    if (!good) throw std::system_error(errno, std::generic_category(), "plain write");
  };
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  check(descriptor >= 0);
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t done =
        ::write(descriptor, bytes.data() + at, std::min(kAtOnce, bytes.size() - at));
    check(done > 0);
    at += static_cast<std::size_t>(done);
  }
  check(::fdatasync(descriptor) == 0);
  check(::close(descriptor) == 0);
}

}  // namespace kumiko::bench
