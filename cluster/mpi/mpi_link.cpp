// A link by MPI: nonblocking point-to-point calls on a communicator of its own.
//
// Small frames arrive in a *ring* of receives that are posted before they are needed, each of which
// is posted again once its frame is copied out, when nobody waits for that. A larger frame is
// announced by a small message, has a tag of its own, and is received where it stays. Who sends
// does not wait: a frame is released when MPI says that it is done with it. A body is received
// where Kumiko says, by a tag that both sides make of its number. Whatever MPI does between two
// calls, or fails to do, it can only go on when somebody polls.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "link_abi.h"
#include "requests.hpp"

namespace {

using kumiko_mpi::Count;
using kumiko_mpi::Passage;
using kumiko_mpi::Passages;

/// The identity of a frame is in its header; tags tell only how it is received. Each large frame of
/// a rank has another tag, for a while, so that the order of announcements does not matter.
constexpr int kSmallTag = 1;
constexpr int kFirstLargeTag = 2;
constexpr int kLargeTags = 16384;
constexpr int kFirstBodyTag = kFirstLargeTag + kLargeTags;
constexpr int kBodyTags = 16000;
static_assert(kFirstBodyTag + kBodyTags <= 32767, "every MPI has so many tags");

/// A bundle of messages fits; and MPIs send that much without asking the receiver first.
constexpr std::size_t kSmallFrame = 4096;
/// What comes when all receives of the ring are used up waits in MPI, at the cost of a copy.
constexpr int kRing = 32;
/// From one look at all receives to the next; in between the oldest one is looked at.
constexpr unsigned kLooksBetweenAll = 64;
/// More are left to the next poll, before which answers to these leave.
constexpr int kFramesPerPoll = 8;
static_assert(kFramesPerPoll < kRing, "the one that is yet to be posted is not looked at");

/// A frame of so many bytes follows with this tag. Frames are longer than an announcement.
struct Announcement {
  std::uint64_t size;
  std::int64_t tag;
};

class Link {
 public:
  const char* error_text() const { return error_.c_str(); }
  int rank() const { return rank_; }
  int size() const { return size_; }
  std::size_t under_way() const { return sends_.size() + receives_.size(); }

  bool open(const kumiko_link_host& host) {
    host_ = &host;
    return initialise() && join() && post_ring();
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
    // MPI copies small frames, as a rule, and is done with them.
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
    if (!post_emptied() || !take_small(receiver, frames)) return false;
    const int received = receives_.take_ended([&](const Passage& passage) {
      if (passage.frame != nullptr) {
        host_->filled(receiver, passage.peer, passage.frame);
      } else {
        host_->body_taken(receiver, passage.peer, passage.body);
      }
      ++*frames;
    });
    if (failed(received, "MPI_Testsome of receives")) return false;
    return release_sent(receiver);
  }

  /// Goes on with what poll() has left.
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
    for (MPI_Request& request : ring_) {
      if (request == MPI_REQUEST_NULL) continue;
      // No frame is to come; a cancelled receive ends by itself.
      if (failed(MPI_Cancel(&request), "MPI_Cancel")) return false;
      if (failed(MPI_Request_free(&request), "MPI_Request_free")) return false;
    }
    if (failed(MPI_Comm_free(&communicator_), "MPI_Comm_free")) return false;
    return !is_ours_ || !failed(MPI_Finalize(), "MPI_Finalize");
  }

  static void abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

 private:
  /// Notes what MPI says of a failure.
  bool failed(int result, const char* call) {
    if (result == MPI_SUCCESS) return false;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(result, text.data(), &length);
    error_ = std::string(call) + ": " + std::string(text.data(), static_cast<std::size_t>(length));
    return true;
  }

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
    error_ =
        "this MPI allows calls from one thread only; if this program initialises it, ask for "
        "MPI_THREAD_SERIALIZED or more";
    return false;
  }

  /// Where a host has more ranks than cores, Open MPI would give the core away in each call that
  /// finds nothing, while all workers wait for the end of the poll. How one waits is the Runtime's
  /// to decide. Who has set the variable has a reason; to other MPIs it means nothing.
  static void keep_core() { setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0); }

  /// Takes a communicator of our own, where nobody else's messages are.
  bool join() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (failed(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_), "MPI_Comm_dup")) return false;
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
    return true;
  }

  bool post_ring() {
    buffers_.resize(kRing * kSmallFrame);
    std::iota(order_.begin(), order_.end(), 0);
    for (int place = 0; place < kRing; ++place) {
      if (!post(place)) return false;
    }
    return true;
  }

  std::byte* buffer(int place) {
    return buffers_.data() + static_cast<std::size_t>(place) * kSmallFrame;
  }

  bool post(int place) {
    return !failed(MPI_Irecv(buffer(place), kSmallFrame, MPI_BYTE, MPI_ANY_SOURCE, kSmallTag,
                             communicator_, &ring_[static_cast<std::size_t>(place)]),
                   "MPI_Irecv");
  }

  /// Posts the receive whose frame was the latest to be taken. Not when it is: somebody may wait
  /// for what comes of the frame, and has it sooner so.
  bool post_emptied() { return emptied_ < 0 || post(std::exchange(emptied_, -1)); }

  /// Frames come to the receives in the order in which these were posted, and almost always end so:
  /// looking at the oldest one is enough most of the time. A frame that comes after a look in vain
  /// is alone, as a rule.
  bool take_small(void* receiver, int* frames) {
    const int most = std::exchange(was_in_vain_, false) ? 1 : kFramesPerPoll;
    for (int taken = 0; taken < most; ++taken) {
      bool has_ended = false;
      if (!take_if_ended(receiver, 0, &has_ended, frames)) return false;
      if (has_ended) continue;
      was_in_vain_ = taken == 0;
      return taken != 0 || look_at_all(receiver, frames);
    }
    return true;
  }

  /// The oldest may be of a frame whose sender has stopped on the way: then the others go on. The
  /// last place is looked at only if none was emptied before it; so it is posted.
  bool look_at_all(void* receiver, int* frames) {
    if (++empty_looks_ % kLooksBetweenAll != 0) return true;
    std::size_t at = 1;
    for (int look = 1; look < kRing; ++look) {
      bool has_ended = false;
      if (!take_if_ended(receiver, at, &has_ended, frames)) return false;
      if (!has_ended) ++at;
    }
    return true;
  }

  /// Takes the frame of the receive that is this one by age, which is posted anew later.
  bool take_if_ended(void* receiver, std::size_t age, bool* has_ended, int* frames) {
    const int place = order_[age];
    int is_done = 0;
    MPI_Status status;
    if (failed(MPI_Test(&ring_[static_cast<std::size_t>(place)], &is_done, &status),
               "MPI_Test of a receive")) {
      return false;
    }
    *has_ended = is_done != 0;
    if (is_done == 0) return true;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    const auto bytes = static_cast<std::size_t>(size);
    if (bytes == sizeof(Announcement)) {
      Announcement large;
      std::memcpy(&large, buffer(place), sizeof large);
      if (!begin_large(status.MPI_SOURCE, large)) return false;
    } else {
      host_->arrived(receiver, status.MPI_SOURCE, buffer(place), bytes);
      ++*frames;
    }
    std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(age),
                order_.begin() + static_cast<std::ptrdiff_t>(age) + 1, order_.end());
    // The ones before, so that the receives are posted in this order.
    if (!post_emptied()) return false;
    emptied_ = place;
    return true;
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
    const int result = sends_.take_ended([&](const Passage& sent) {
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
  std::string error_;
  bool is_ours_ = false;  ///< the MPI was initialised by us
  int rank_ = 0;
  int size_ = 1;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::vector<std::byte> buffers_;
  std::array<MPI_Request, kRing> ring_{};
  std::array<int, kRing> order_{};  ///< the ring's places, from the oldest receive on
  int emptied_ = -1;                ///< a place of the ring that is to be posted
  bool was_in_vain_ = false;        ///< the latest look at the oldest receive
  unsigned empty_looks_ = 0;
  int large_frames_ = 0;  ///< sent, modulo kLargeTags
  Passages sends_;
  Passages receives_;
  MPI_Request closing_ = MPI_REQUEST_NULL;
  bool has_asked_to_close_ = false;
};

/// Never destroyed: MPI may still write to it while a process ends that does not end the MPI.
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
