// A link by MPI: nonblocking point-to-point calls on a communicator of its own.
//
// Small frames arrive in a *ring* of receives that are posted before they are needed, each of which
// is posted again as soon as its frame is copied out. Larger frames have a tag of their own, are
// found by a matched probe, and received where they stay. Who sends does not wait: a frame is
// released when MPI says that it is done with it. Whatever MPI does between two calls, or fails to
// do, it can only go on when somebody polls.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mpi.h>

#include "link_abi.h"

namespace {

/// The identity of a frame is in its header; tags tell only how it is received.
constexpr int kSmallTag = 1;
constexpr int kLargeTag = 2;

/// A bundle of messages and what goes beyond its limit fits.
constexpr std::size_t kSmallFrame = 8192;
/// What comes when all receives of the ring are used up waits in MPI, at the cost of a copy.
constexpr int kRing = 32;
/// Large frames that are taken in one poll.
constexpr int kProbes = 4;

/// A frame whose sending, or receiving, MPI has not ended yet.
struct Passage {
  void* frame;
  int peer;
};

/// Requests of MPI, each with its passage, in no order.
class Passages {
 public:
  bool empty() const { return requests_.empty(); }
  std::size_t size() const { return requests_.size(); }

  void add(MPI_Request request, Passage passage) {
    requests_.push_back(request);
    passages_.push_back(passage);
  }

  /// Calls done(passage) for those that have ended. Returns what MPI does.
  template <class Done>
  int take_ended(Done done) {
    if (empty()) return MPI_SUCCESS;
    ended_.resize(size());
    int count = 0;
    const int result = MPI_Testsome(static_cast<int>(size()), requests_.data(), &count,
                                    ended_.data(), MPI_STATUSES_IGNORE);
    if (result != MPI_SUCCESS || count == MPI_UNDEFINED) return result;
    for (int i = 0; i < count; ++i) done(passages_[static_cast<std::size_t>(ended_[i])]);
    // MPI has set the ended ones to null.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      passages_[kept++] = passages_[i];
    }
    requests_.resize(kept);
    passages_.resize(kept);
    return result;
  }

 private:
  std::vector<MPI_Request> requests_;
  std::vector<Passage> passages_;
  std::vector<int> ended_;
};

/// Bytes in MPI's counts, which are int: as they are, or as one element of a type that is as large.
class Count {
 public:
  explicit Count(std::size_t bytes) {
    if (bytes <= INT_MAX) {
      count_ = static_cast<int>(bytes);
      return;
    }
    constexpr std::size_t kBlock = std::size_t{1} << 20;
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(kBlock), MPI_BYTE, &block);
    const std::size_t blocks = bytes / kBlock;
    int lengths[] = {static_cast<int>(blocks), static_cast<int>(bytes % kBlock)};
    MPI_Aint places[] = {0, static_cast<MPI_Aint>(blocks * kBlock)};
    MPI_Datatype types[] = {block, MPI_BYTE};
    MPI_Type_create_struct(2, lengths, places, types, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&block);
    count_ = 1;
  }
  Count(const Count&) = delete;
  Count& operator=(const Count&) = delete;
  /// Requests that use the type keep it.
  ~Count() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
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
    const Count count(size);
    // NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): sends_ tests it until it has ended
    MPI_Request request = MPI_REQUEST_NULL;
    const int tag = size <= kSmallFrame ? kSmallTag : kLargeTag;
    if (failed(MPI_Isend(bytes, count.count(), count.type(), rank, tag, communicator_, &request),
               "MPI_Isend")) {
      host_->release(frame);
      return false;
    }
    sends_.add(request, {frame, rank});
    // NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
    return true;
  }

  bool poll(void* receiver, int* frames) {
    if (!take_small(receiver, frames) || !begin_large()) return false;
    const int received = receives_.take_ended([&](const Passage& passage) {
      host_->filled(receiver, passage.peer, passage.frame);
      ++*frames;
    });
    if (failed(received, "MPI_Testsome of receives")) return false;
    return release_sent();
  }

  bool agree_to_close(bool* done) {
    *done = false;
    if (!release_sent()) return false;
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
      if (failed(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided),
                 "MPI_Init_thread")) {
        return false;
      }
      is_ours_ = true;
    }
    if (provided >= MPI_THREAD_SERIALIZED) return true;
    error_ =
        "this MPI, or whoever has initialised it, allows calls from one thread only; "
        "MPI_THREAD_SERIALIZED is needed";
    return false;
  }

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

  bool take_small(void* receiver, int* frames) {
    std::array<int, kRing> places;
    std::array<MPI_Status, kRing> statuses;
    int count = 0;
    if (failed(MPI_Testsome(kRing, ring_.data(), &count, places.data(), statuses.data()),
               "MPI_Testsome of small frames")) {
      return false;
    }
    for (int i = 0; i < count; ++i) {
      const int place = places[static_cast<std::size_t>(i)];
      const MPI_Status& status = statuses[static_cast<std::size_t>(i)];
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      host_->arrived(receiver, status.MPI_SOURCE, buffer(place), static_cast<std::size_t>(size));
      if (!post(place)) return false;
    }
    *frames += count;
    return true;
  }

  /// Begins to receive the large frames that are there.
  bool begin_large() {
    for (int probe = 0; probe < kProbes; ++probe) {
      int is_there = 0;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      if (failed(
              MPI_Improbe(MPI_ANY_SOURCE, kLargeTag, communicator_, &is_there, &message, &status),
              "MPI_Improbe")) {
        return false;
      }
      if (is_there == 0) return true;
      MPI_Count size = 0;
      MPI_Get_elements_x(&status, MPI_BYTE, &size);
      void* bytes = nullptr;
      void* const frame = host_->make(static_cast<std::size_t>(size), &bytes);
      const Count count(static_cast<std::size_t>(size));
      MPI_Request request = MPI_REQUEST_NULL;
      if (failed(MPI_Imrecv(bytes, count.count(), count.type(), &message, &request),
                 "MPI_Imrecv")) {
        host_->release(frame);
        return false;
      }
      receives_.add(request, {frame, status.MPI_SOURCE});
    }
    return true;
  }

  bool release_sent() {
    return !failed(sends_.take_ended([&](const Passage& sent) { host_->release(sent.frame); }),
                   "MPI_Testsome of sends");
  }

  const kumiko_link_host* host_ = nullptr;
  std::string error_;
  bool is_ours_ = false;  ///< the MPI was initialised by us
  int rank_ = 0;
  int size_ = 1;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::vector<std::byte> buffers_;
  std::array<MPI_Request, kRing> ring_{};
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
