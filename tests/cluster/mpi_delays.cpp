// Disorder between a link and its MPI, for tests/cluster/mpi_long_test.py: loaded before the
// program by LD_PRELOAD, and built for each MPI, whose PMPI_ functions do the work.
//
// Sends begin late: MPI_Isend() returns a generalised request, and the call is kept for a random
// time. What has ended is reported late: MPI_Testsome() looks at a random part of the requests, in
// random order, and at none at all for a random time now and then; MPI_Test() finds nothing now and
// then. All this MPI allows, and so do the sends that overtake each other, as long as those of one
// peer, tag and communicator keep their order; KUMIKO_DELAYS_OVERTAKE=1 lets them break that rule
// of MPI, too, since a Link promises no order.
//
// KUMIKO_DELAYS_SEED and KUMIKO_DELAYS_LONGEST (microseconds) say how; KUMIKO_DELAYS_FAIL=N has the
// N-th call fail. MPI_Finalize() prints what was held back, and how often MPI has given the core
// away in a call. One OS thread at a time calls, as the links promise (MPI_THREAD_SERIALIZED).
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <numeric>
#include <random>
#include <vector>

#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// MPI has given the core away so often in the calls below, by this thread's being in one.
std::uint64_t yields = 0;
thread_local bool is_within = false;

struct Within {
  Within() { is_within = true; }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
  ~Within() { is_within = false; }
};

/// A call of MPI_Isend() that is yet to be made, or whose request has not ended.
struct Send {
  const void* bytes;
  int count;
  MPI_Datatype type;
  int peer;
  int tag;
  MPI_Comm communicator;
  Clock::time_point called;
  Clock::time_point due;
  MPI_Request shown;  ///< the generalised request
  MPI_Request real = MPI_REQUEST_NULL;

  bool is_of_channel_of(const Send& other) const {
    return peer == other.peer && tag == other.tag && communicator == other.communicator;
  }
};

/// What has been held back.
struct Counts {
  std::uint64_t sends = 0;
  std::uint64_t held = 0;        ///< sends that did not begin at once
  std::uint64_t overtaking = 0;  ///< before some that were called earlier
  std::uint64_t overtaking_in_channel = 0;
  std::uint64_t late = 0;  ///< times that an ended request was not reported
  Clock::duration longest{0};
};

class Delays {
 public:
  int send(Send send, MPI_Request* request) {
    if (fails()) return MPI_ERR_OTHER;
    PMPI_Grequest_start(&Delays::query, &Delays::do_nothing, &Delays::do_not_cancel, nullptr,
                        &send.shown);
    *request = send.shown;
    PMPI_Type_dup(send.type, &send.type);
    send.called = Clock::now();
    send.due = send.called + delay();
    ++counts_.sends;
    waiting_.push_back(send);
    begin_due();
    return MPI_SUCCESS;
  }

  int test_some(int size, MPI_Request* requests, int* count, int* indices, MPI_Status* statuses) {
    *count = 0;
    if (fails()) return MPI_ERR_OTHER;
    go_on();
    order_.clear();
    bool is_any = false;
    const bool is_silent = silent();
    for (int i = 0; i < size; ++i) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      is_any = true;
      if (!is_silent && chance(2)) {
        order_.push_back(i);
      } else {
        counts_.late += has_ended(requests[i]) ? 1 : 0;
      }
    }
    if (!is_any) *count = MPI_UNDEFINED;
    if (order_.empty()) return MPI_SUCCESS;
    std::shuffle(order_.begin(), order_.end(), random_);
    some_.clear();
    for (const int i : order_) some_.push_back(requests[i]);
    const int result =
        PMPI_Testsome(static_cast<int>(some_.size()), some_.data(), count, indices, statuses);
    for (std::size_t i = 0; i < some_.size(); ++i) requests[order_[i]] = some_[i];
    for (int i = 0; i < *count; ++i) indices[i] = order_[static_cast<std::size_t>(indices[i])];
    return result;
  }

  /// Whether a call is to find nothing.
  bool finds_nothing() {
    go_on();
    return silent() || chance(2);
  }

  void count_late() { ++counts_.late; }
  static bool has_ended(MPI_Request request) {
    int ended = 0;
    PMPI_Request_get_status(request, &ended, MPI_STATUS_IGNORE);
    return ended != 0;
  }

  /// Counts the calls that may fail.
  bool fails() { return ++calls_ == fails_at_; }

  void report() const {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(
        stderr,
        "delays of rank %d: %llu of %llu sends held, %.0f us at most; %llu overtaking, %llu "
        "of them in their channel; %llu late; %zu left; %llu yields\n",
        rank, of(counts_.held), of(counts_.sends),
        std::chrono::duration<double, std::micro>(counts_.longest).count(), of(counts_.overtaking),
        of(counts_.overtaking_in_channel), of(counts_.late), waiting_.size() + begun_.size(),
        of(yields));
  }

 private:
  static unsigned long long of(std::uint64_t count) { return count; }

  // Of a generalised request: a send's status tells nothing.
  static int query(void* /*state*/, MPI_Status* status) {
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  static int do_nothing(void* /*state*/) { return MPI_SUCCESS; }
  static int do_not_cancel(void* /*state*/, int /*completed*/) { return MPI_SUCCESS; }

  /// Each rank has numbers of its own; its rank is known once MPI is.
  static std::mt19937_64 random_of_rank() {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return std::mt19937_64(1000003 * number_of("KUMIKO_DELAYS_SEED", 1) +
                           static_cast<std::uint64_t>(rank));
  }

  bool chance(unsigned one_in) { return random_() % one_in == 0; }

  std::chrono::microseconds up_to(std::uint64_t longest) {
    return std::chrono::microseconds(random_() % (longest + 1));
  }

  /// Half of the sends go at once, and few take long.
  std::chrono::microseconds delay() {
    if (chance(2)) return std::chrono::microseconds(0);
    return up_to(chance(4) ? longest_ : longest_ / 8);
  }

  /// Now and then nothing ends for a while.
  bool silent() {
    const auto now = Clock::now();
    if (now >= silent_until_) {
      silent_from_ = now + up_to(4 * longest_);
      silent_until_ = silent_from_ + up_to(longest_);
    }
    return now >= silent_from_;
  }

  bool must_wait(std::list<Send>::const_iterator send, Clock::time_point now) {
    if (send->due > now) return true;
    const auto is_earlier = [&](const Send& other) { return other.is_of_channel_of(*send); };
    const bool passes_its_own = std::any_of(waiting_.cbegin(), send, is_earlier);
    if (passes_its_own && !overtakes_) return true;
    counts_.overtaking += send != waiting_.cbegin() ? 1 : 0;
    counts_.overtaking_in_channel += passes_its_own ? 1 : 0;
    return false;
  }

  void begin_due() {
    const auto now = Clock::now();
    for (auto send = waiting_.begin(); send != waiting_.end();) {
      if (must_wait(send, now)) {
        ++send;
        continue;
      }
      if (PMPI_Isend(send->bytes, send->count, send->type, send->peer, send->tag,
                     send->communicator, &send->real) != MPI_SUCCESS) {
        std::fprintf(stderr, "delays: a send that was held back has failed\n");
        PMPI_Abort(MPI_COMM_WORLD, 4);
      }
      PMPI_Type_free(&send->type);
      if (send->due > send->called) ++counts_.held;
      counts_.longest = std::max(counts_.longest, now - send->called);
      const auto begun = send++;
      begun_.splice(begun_.end(), waiting_, begun);
    }
  }

  void go_on() {
    begin_due();
    for (auto send = begun_.begin(); send != begun_.end();) {
      int has_ended = 0;
      PMPI_Test(&send->real, &has_ended, MPI_STATUS_IGNORE);
      if (has_ended != 0) PMPI_Grequest_complete(send->shown);
      send = has_ended != 0 ? begun_.erase(send) : std::next(send);
    }
  }

  const std::uint64_t longest_ = number_of("KUMIKO_DELAYS_LONGEST", 2000);
  const bool overtakes_ = number_of("KUMIKO_DELAYS_OVERTAKE", 0) != 0;
  const std::uint64_t fails_at_ = number_of("KUMIKO_DELAYS_FAIL", 0);
  std::uint64_t calls_ = 0;
  std::mt19937_64 random_ = random_of_rank();
  Clock::time_point silent_from_;
  Clock::time_point silent_until_;
  std::list<Send> waiting_;  ///< as they were called
  std::list<Send> begun_;
  std::vector<int> order_;
  std::vector<MPI_Request> some_;
  Counts counts_;
};

Delays& delays() {
  static Delays delays;
  return delays;
}

}  // namespace

// What the links call, and what a program that tests one sees of it: MPI's own functions go to none
// of these.
extern "C" {

// NOLINTBEGIN(readability-identifier-naming): MPI's names, and the system's

int sched_yield() noexcept {
  yields += is_within ? 1 : 0;
  return static_cast<int>(syscall(SYS_sched_yield));
}

int MPI_Isend(const void* bytes, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const Within within;
  return delays().send({bytes, count, type, peer, tag, comm, {}, {}, MPI_REQUEST_NULL}, request);
}

int MPI_Testsome(int size, MPI_Request requests[], int* count, int indices[],
                 MPI_Status statuses[]) {
  const Within within;
  return delays().test_some(size, requests, count, indices, statuses);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const Within within;
  if (!delays().finds_nothing()) return PMPI_Test(request, flag, status);
  if (*request != MPI_REQUEST_NULL && Delays::has_ended(*request)) delays().count_late();
  *flag = 0;
  return MPI_SUCCESS;
}

int MPI_Finalize() {
  delays().report();
  return PMPI_Finalize();
}

// NOLINTEND(readability-identifier-naming)

}  // extern "C"
