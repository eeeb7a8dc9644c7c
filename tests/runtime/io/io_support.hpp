// The fixture and the helpers of the tests of I/O.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <kumiko/runtime/io/file_descriptor.hpp>
#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/io/operations.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "../support.hpp"

namespace kumiko::runtime::test {

using namespace std::chrono_literals;

/// More than anything takes, less than a test may last: who waits so long waits for ever.
inline constexpr auto kForEver = 60s;

struct Setting {
  IoEngine engine;
  int workers;
};

inline std::string setting_name(const testing::TestParamInfo<Setting>& info) {
  const IoEngine engine = info.param.engine;
  return std::string(engine == IoEngine::kIoUring ? "IoUring"
                     : engine == IoEngine::kEpoll ? "Epoll"
                                                  : "Mixed") +
         std::to_string(info.param.workers) + (info.param.workers == 1 ? "Worker" : "Workers");
}

/// A fixture with a runtime of each engine. Skipped where the system refuses io_uring.
class IoTest : public testing::TestWithParam<Setting> {
 protected:
  /// \param idle  kAdaptive where a test counts on a descriptor's number that stays closed, or on a
  /// limit that stays reached: the default opens and closes files of /proc meanwhile
  explicit IoTest(IdlePolicy idle = IdlePolicy::kPressure) : idle_(idle) {}

  void SetUp() override {
    try {
      runtime_ = std::make_unique<Runtime>(options());
    } catch (const std::system_error& refused) {
      if (GetParam().engine == IoEngine::kEpoll) throw;
      GTEST_SKIP() << refused.what();
    }
  }

  Options options() const {
    return {.workers = GetParam().workers, .idle = idle_, .io_engine = GetParam().engine};
  }

  /// Runs each body in a lightweight thread of its own, all at once.
  template <class... Bodies>
  void run(Bodies&&... bodies) {
    runtime_->run([&] {
      TaskGroup group;
      (group.run(std::ref(bodies)), ...);
      group.wait();
    });
  }

  const IdlePolicy idle_;
  std::unique_ptr<Runtime> runtime_;
};

/// Lightweight threads that wait, as far as others can see it.
class Waiters {
 public:
  explicit Waiters(Runtime& runtime) : runtime_(runtime) {}
  Waiters(const Waiters&) = delete;
  Waiters& operator=(const Waiters&) = delete;
  ~Waiters() { join(); }

  /// Runs `body` in a new thread. Returns when that waits for the first time, or has ended. Nothing
  /// else may run in the runtime meanwhile.
  template <class Body>
  void start(Body body) {
    const std::uint64_t before = suspensions();
    auto ended = std::make_shared<std::atomic<bool>>(false);
    os_threads_.emplace_back([this, body, ended] {
      runtime_.run(body);
      *ended = true;
    });
    while (!*ended && suspensions() == before) std::this_thread::sleep_for(20us);
  }

  void join() {
    for (std::thread& os_thread : os_threads_) os_thread.join();
    os_threads_.clear();
  }

 private:
  std::uint64_t suspensions() const { return runtime_.statistics().total().suspensions; }

  Runtime& runtime_;
  std::vector<std::thread> os_threads_;
};

// --- Bytes ---------------------------------------------------------------------------------------

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

template <class T>
std::span<std::byte> bytes_in(T& object) {
  return std::as_writable_bytes(std::span(&object, 1));
}

/// What stream `stream` carries at `position`.
inline std::byte stream_byte(std::uint64_t stream, std::uint64_t position) {
  const std::uint64_t mixed = (stream * 0x9e3779b97f4a7c15U + position) * 0xff51afd7ed558ccdU;
  return static_cast<std::byte>(mixed >> 56);
}

inline void fill(std::span<std::byte> bytes, std::uint64_t stream, std::uint64_t position = 0) {
  for (std::byte& byte : bytes) byte = stream_byte(stream, position++);
}

/// Where `bytes` first differ from the stream; their number if nowhere.
inline std::size_t first_difference(std::span<const std::byte> bytes, std::uint64_t stream,
                                    std::uint64_t position = 0) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != stream_byte(stream, position + i)) return i;
  }
  return bytes.size();
}

// --- Descriptors ---------------------------------------------------------------------------------

enum class StreamKind { kPipe, kUnix, kTcp };
inline constexpr StreamKind kStreamKinds[] = {StreamKind::kPipe, StreamKind::kUnix,
                                              StreamKind::kTcp};

inline const char* name_of(StreamKind kind) {
  return kind == StreamKind::kPipe ? "pipe" : kind == StreamKind::kUnix ? "unix" : "tcp";
}

/// What is written to one end comes out of the other.
struct Stream {
  io::FileDescriptor reader;
  io::FileDescriptor writer;
};

inline int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

inline Stream make_tcp() {
  const io::FileDescriptor listener(checked(::socket(AF_INET, SOCK_STREAM, 0), "socket"));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  // Sizes that are told do not grow: what is full stays so.
  const int room = 1 << 16;
  checked(::setsockopt(listener.get(), SOL_SOCKET, SO_RCVBUF, &room, sizeof room), "setsockopt");
  checked(::bind(listener.get(), any, size), "bind");
  checked(::listen(listener.get(), 1), "listen");
  checked(::getsockname(listener.get(), any, &size), "getsockname");
  Stream stream;
  stream.writer = io::FileDescriptor(checked(::socket(AF_INET, SOCK_STREAM, 0), "socket"));
  checked(::setsockopt(stream.writer.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room),
          "setsockopt");
  checked(::connect(stream.writer.get(), any, size), "connect");
  stream.reader = io::FileDescriptor(checked(::accept(listener.get(), nullptr, nullptr), "accept"));
  return stream;
}

/// A stream, in blocking mode as the system gives it, or in non-blocking mode.
inline Stream make_stream(StreamKind kind, bool non_blocking = false) {
  Stream stream;
  if (kind == StreamKind::kTcp) {
    stream = make_tcp();
  } else {
    int ends[2];
    checked(kind == StreamKind::kPipe ? ::pipe2(ends, O_CLOEXEC)
                                      : ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends),
            "stream");
    stream = {io::FileDescriptor(ends[0]), io::FileDescriptor(ends[1])};
  }
  if (non_blocking) {
    for (const int end : {stream.reader.get(), stream.writer.get()}) {
      checked(::fcntl(end, F_SETFL, ::fcntl(end, F_GETFL) | O_NONBLOCK), "fcntl");
    }
  }
  return stream;
}

/// Writes until there is no room. Returns how much was.
inline std::size_t fill_up(int descriptor, std::uint64_t stream = 0) {
  int tcp = 0;
  socklen_t tcp_size = sizeof tcp;
  const bool moves_on = ::getsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &tcp, &tcp_size) == 0;
  std::vector<std::byte> block(4096);
  std::size_t sum = 0;
  int quiet_rounds = 0;
  for (std::size_t size = block.size(); size != 0;) {
    fill(std::span(block).first(size), stream, sum);
    const int flags = ::fcntl(descriptor, F_GETFL);
    ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
    const ssize_t written = ::write(descriptor, block.data(), size);
    ::fcntl(descriptor, F_SETFL, flags);
    if (written > 0) {
      sum += static_cast<std::size_t>(written);
      quiet_rounds = 0;
    } else {
      size /= 2;
      // TCP makes room for a while yet, by what it hands to the peer.
      if (size == 0 && moves_on && ++quiet_rounds < 4) {
        std::this_thread::sleep_for(5ms);
        size = block.size();
      }
    }
  }
  return sum;
}

/// A folder that goes with its content.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kumiko-io-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) checked(-1, "mkdtemp");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace kumiko::runtime::test

#define KUMIKO_WITH_ENGINES(Fixture)                                                  \
  INSTANTIATE_TEST_SUITE_P(                                                           \
      With, Fixture,                                                                  \
      testing::Values(Setting{IoEngine::kIoUring, 1}, Setting{IoEngine::kIoUring, 2}, \
                      Setting{IoEngine::kIoUring, 8}, Setting{IoEngine::kEpoll, 1},   \
                      Setting{IoEngine::kEpoll, 2}, Setting{IoEngine::kEpoll, 8},     \
                      Setting{IoEngine::kMixed, 1}, Setting{IoEngine::kMixed, 3}),    \
      setting_name)
