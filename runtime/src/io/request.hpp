// What a thread wants of the system.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

namespace kumiko::runtime::detail {

/// A call of the system for which a thread may have to wait.
struct Request {
  enum class Kind : std::uint8_t {
    kRead,  ///< at the file's position, or of a stream
    kWrite,
    kReadAt,
    kWriteAt,
    kReceive,  ///< with flags, of a socket
    kSend,
    kReceiveMessage,
    kSendMessage,
    kAccept,
    kPoll,
    kSync,
    kSyncData,
    kOpen,
    kRename,
    kClose,
    kCall,  ///< any function, for OffloadPool
    kSleep,
  };

  // Which of those after the first one count depends on the kind.
  Kind kind;
  int descriptor = -1;
  int flags = 0;  ///< of recv, send, messages, open; events of poll
  mode_t mode = 0;
  off_t offset = -1;
  const iovec* vectors = nullptr;
  int vector_count = 0;
  msghdr* message = nullptr;
  sockaddr* address = nullptr;
  socklen_t* address_size = nullptr;
  const char* path = nullptr;
  const char* new_path = nullptr;
  void (*call)(void*) = nullptr;
  void* callable = nullptr;
  bool keeps_open = false;  ///< kClose: only the waiters fail, another engine closes

  /// How many bytes all vectors have together.
  std::size_t length() const noexcept {
    std::size_t sum = 0;
    for (int i = 0; i < vector_count; ++i) sum += vectors[i].iov_len;
    return sum;
  }
};

}  // namespace kumiko::runtime::detail
