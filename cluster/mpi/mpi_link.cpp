// A link by MPI: nonblocking point-to-point calls on its own communicator.
//
// Small frames arrive in a Ring of receives. A larger frame is announced by a small message, has
// its own tag, and is received at its final place. The sender does not wait: a frame is released
// when MPI has sent it. A body is received at the address that Kumiko gives, by a tag that both
// sides make from its number. MPI may make progress only while it is called, so only while Kumiko
// polls.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <mpi.h>

#include "link_abi.h"
#include "requests.hpp"
#include "ring.hpp"

namespace kumiko::cluster::mpi {

namespace {

/// Tags say how a frame is received; the rest is in its header. Consecutive large frames of a rank
/// have different tags, so that the order of announcements does not matter.
constexpr int kSmallTag = 1;
constexpr int kFirstLargeTag = 2;
constexpr int kLargeTags = 16384;
constexpr int kFirstBodyTag = kFirstLargeTag + kLargeTags;
constexpr int kBodyTags = 16000;
static_assert(kFirstBodyTag + kBodyTags <= 32767, "every MPI has as many tags");

/// A frame of this size follows with this tag. Frames are longer than an announcement.
struct Announcement {
  std::uint64_t size;
  std::int64_t tag;
};

class Link {
 public:
  const char* error_text() const { return error_.text(); }
  int rank() const { return rank_; }
  int size() const { return size_; }
  std::size_t under_way() const { return sends_.size() + receives_.size(); }

  bool open(const kumiko_link_host& host) {
    host_ = &host;
    return initialise() && join() && ring_.open(communicator_, kSmallTag);
  }

  bool send(int rank, const void* bytes, std::size_t size, void* frame) {
    const bool is_small = size <= kSmallFrame;
    const int tag = is_small ? kSmallTag : next_large_tag();
    if (!is_small && !announce(rank, {size, tag})) {
      host_->release(frame);
      return false;
    }
    const Count count(size);
    // NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): sends_ tests it until it has ended
    MPI_Request request = MPI_REQUEST_NULL;
    if (failed(MPI_Isend(bytes, count.count(), count.type(), rank, tag, communicator_, &request),
               "MPI_Isend")) {
      host_->release(frame);
      return false;
    }
    // MPI usually copies a small frame and has sent it then.
    int is_done = 0;
    if (is_small && failed(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test of a send")) {
      return false;  // MPI may still read the frame
    }
    if (is_done != 0) {
      host_->release(frame);
    } else {
      sends_.add(request, {frame, rank});
    }
    // NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
    return true;
  }

  // NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): sends_ and receives_ test them
  bool send_body(int rank, std::uint64_t number, const void* bytes, std::size_t size) {
    const Count count(size);
    MPI_Request request = MPI_REQUEST_NULL;
    if (failed(MPI_Isend(bytes, count.count(), count.type(), rank, body_tag(number), communicator_,
                         &request),
               "MPI_Isend of a body")) {
      return false;
    }
    sends_.add(request, {nullptr, rank, number});
    return true;
  }

  bool take_body(int source, std::uint64_t number, void* bytes, std::size_t size) {
    const Count count(size);
    MPI_Request request = MPI_REQUEST_NULL;
    if (failed(MPI_Irecv(bytes, count.count(), count.type(), source, body_tag(number),
                         communicator_, &request),
               "MPI_Irecv of a body")) {
      return false;
    }
    receives_.add(request, {nullptr, source, number});
    return true;
  }
  // NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

  bool give_up_bodies(int source) {
    return !failed(receives_.cancel_bodies(source), "MPI_Cancel of a body");
  }

  bool poll(void* receiver, int* frames) {
    const auto take = [&](int source, const std::byte* bytes, std::size_t size) {
      return take_small(receiver, source, bytes, size, frames);
    };
    if (!ring_.poll(take)) return false;
    const int received = receives_.take_ended([&](const Transfer& transfer) {
      if (transfer.frame != nullptr) {
        host_->filled(receiver, transfer.peer, transfer.frame);
      } else {
        host_->body_taken(receiver, transfer.peer, transfer.body);
      }
      ++*frames;
    });
    if (failed(received, "MPI_Testsome of receives")) return false;
    return release_sent(receiver);
  }

  /// Continues after poll() has sent all frames.
  bool agree_to_close(bool* done) {
    *done = false;
    if (!sends_.empty()) return true;
    if (!has_asked_to_close_) {
      if (failed(MPI_Ibarrier(communicator_, &closing_), "MPI_Ibarrier")) return false;
      has_asked_to_close_ = true;
    }
    int all_have = 0;
    if (failed(MPI_Test(&closing_, &all_have, MPI_STATUS_IGNORE), "MPI_Test of the barrier")) {
      return false;
    }
    *done = all_have != 0;
    return true;
  }

  bool finish() {
    if (!ring_.close()) return false;
    if (failed(MPI_Comm_free(&communicator_), "MPI_Comm_free")) return false;
    return !is_ours_ || !failed(MPI_Finalize(), "MPI_Finalize");
  }

  static void abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

 private:
  bool failed(int result, const char* call) { return error_.is_by(result, call); }

  bool initialise() {
    int is_there = 0;
    int provided = MPI_THREAD_SINGLE;
    MPI_Initialized(&is_there);
    if (is_there != 0) {
      MPI_Query_thread(&provided);
    } else {
      keep_core();
      if (failed(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided),
                 "MPI_Init_thread")) {
        return false;
      }
      is_ours_ = true;
    }
    if (provided >= MPI_THREAD_SERIALIZED) return true;
    error_.set(
        "this MPI allows calls from one thread only; if this program initialises it, ask for "
        "MPI_THREAD_SERIALIZED or more");
    return false;
  }

  /// On a host with more ranks than cores, Open MPI would yield the core in each call that finds
  /// nothing, while all workers wait for the end of the poll. The Runtime decides how to wait. A
  /// variable that is set already is kept. Other MPIs ignore it.
  static void keep_core() { setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0); }

  /// Makes a communicator for Kumiko's messages alone.
  bool join() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (failed(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_), "MPI_Comm_dup")) return false;
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
    return true;
  }

  /// Takes a small frame, or the announcement of a large one.
  bool take_small(void* receiver, int source, const std::byte* bytes, std::size_t size,
                  int* frames) {
    if (size != sizeof(Announcement)) {
      host_->arrived(receiver, source, bytes, size);
      ++*frames;
      return true;
    }
    Announcement large;
    std::memcpy(&large, bytes, sizeof large);
    return begin_large(source, large);
  }

  bool begin_large(int source, const Announcement& announced) {
    void* bytes = nullptr;
    void* const frame = host_->make(announced.size, &bytes);
    const Count count(announced.size);
    // NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): receives_ tests it until it has ended
    MPI_Request request = MPI_REQUEST_NULL;
    if (failed(MPI_Irecv(bytes, count.count(), count.type(), source,
                         static_cast<int>(announced.tag), communicator_, &request),
               "MPI_Irecv of a large frame")) {
      host_->release(frame);
      return false;
    }
    receives_.add(request, {frame, source});
    // NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
    return true;
  }

  int next_large_tag() {
    large_frames_ = (large_frames_ + 1) % kLargeTags;
    return kFirstLargeTag + large_frames_;
  }

  bool announce(int rank, const Announcement& announcement) {
    void* bytes = nullptr;
    void* const frame = host_->make(sizeof announcement, &bytes);
    std::memcpy(bytes, &announcement, sizeof announcement);
    return send(rank, bytes, sizeof announcement, frame);
  }

  bool release_sent(void* receiver) {
    const int result = sends_.take_ended([&](const Transfer& sent) {
      if (sent.frame != nullptr) {
        host_->release(sent.frame);
      } else {
        host_->body_sent(receiver, sent.peer, sent.body);
      }
    });
    return !failed(result, "MPI_Testsome of sends");
  }

  static int body_tag(std::uint64_t number) {
    return kFirstBodyTag + static_cast<int>(number % kBodyTags);
  }

  const kumiko_link_host* host_ = nullptr;
  LastError error_;
  bool is_ours_ = false;  ///< this object has initialised MPI
  int rank_ = 0;
  int size_ = 1;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int large_frames_ = 0;  ///< sent, modulo kLargeTags
  Ring ring_{error_};
  Transfers sends_;
  Transfers receives_;
  MPI_Request closing_ = MPI_REQUEST_NULL;
  bool has_asked_to_close_ = false;
};

/// Never destroyed, because MPI may still write to it while a process ends without MPI_Finalize().
Link& link() {
  static auto* const instance = new Link;
  return *instance;
}

constexpr kumiko_link_functions kFunctions{
    .version = KUMIKO_LINK_ABI_VERSION,
    .open = [](const kumiko_link_host* host) -> int32_t { return link().open(*host) ? 0 : 1; },
    .rank = []() -> int32_t { return link().rank(); },
    .size = []() -> int32_t { return link().size(); },
    .send = [](int32_t rank, const void* bytes, size_t size, void* frame) -> int32_t {
      return link().send(rank, bytes, size, frame) ? 0 : 1;
    },
    .send_body = [](int32_t rank, uint64_t number, const void* bytes, size_t size) -> int32_t {
      return link().send_body(rank, number, bytes, size) ? 0 : 1;
    },
    .take_body = [](int32_t source, uint64_t number, void* bytes, size_t size) -> int32_t {
      return link().take_body(source, number, bytes, size) ? 0 : 1;
    },
    .give_up_bodies = [](int32_t source) -> int32_t {
      return link().give_up_bodies(source) ? 0 : 1;
    },
    .poll = [](void* receiver, int32_t* frames) -> int32_t {
      return link().poll(receiver, frames) ? 0 : 1;
    },
    .under_way = [] { return link().under_way(); },
    .agree_to_close = [](int32_t* done) -> int32_t {
      bool all_have = false;
      const bool went_well = link().agree_to_close(&all_have);
      *done = all_have ? 1 : 0;
      return went_well ? 0 : 1;
    },
    .finish = []() -> int32_t { return link().finish() ? 0 : 1; },
    .abort = [](int32_t code) { Link::abort(code); },
    .error_text = [] { return link().error_text(); },
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const kumiko_link_functions* kumiko_link_entry() {
  return &kFunctions;
}

}  // namespace kumiko::cluster::mpi
