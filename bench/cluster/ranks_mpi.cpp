// ranks_openmpi, ranks_mpich: what two ranks do by MPI alone, as ranks_kumiko's peers.
//
//   mpirun.openmpi -n 2 ranks_openmpi part=latency batches=100 calls=100
//
// Rank 0 prints a line of JSON. The parts are named as ranks_kumiko's.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include "load.hpp"
#include "support/arguments.hpp"
#include "support/json_line.hpp"
#include "usage.hpp"
#include "ways.hpp"

namespace kumiko::bench {
namespace {

constexpr int kWindow = 16;  ///< messages under way
constexpr int kTag = 0;

/// Asked for once, so that no message pays for it.
int own_rank() {
  static const int rank = [] {
    int number = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    return number;
  }();
  return rank;
}

void send(const void* bytes, std::size_t size) {
  MPI_Send(bytes, static_cast<int>(size), MPI_BYTE, 1 - own_rank(), kTag, MPI_COMM_WORLD);
}

void receive(void* bytes, std::size_t size) {
  MPI_Recv(bytes, static_cast<int>(size), MPI_BYTE, 1 - own_rank(), kTag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
}

template <class Value>
void send_value(const Value& value) {
  send(&value, sizeof value);
}

template <class Value>
Value receive_value() {
  Value value{};
  receive(&value, sizeof value);
  return value;
}

/// Receives by asking again and again whether it is there, and does `rest` between.
template <class Rest>
std::uint64_t poll_value(Rest rest) {
  std::uint64_t value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&value, sizeof value, MPI_BYTE, 1 - own_rank(), kTag, MPI_COMM_WORLD, &request);
  int is_there = 0;
  while (true) {
    MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
    if (is_there != 0) return value;
    rest();
  }
}

/// Memory that the other rank reads and writes without asking: the program's own, or memory that
/// MPI gives, which may lie where both ranks see it.
class Window {
 public:
  enum class Memory { kOwn, kOfMpi };

  Window(Memory memory, std::size_t size) {
    if (memory == Memory::kOwn) {
      own_.resize(size);
      MPI_Win_create(own_.data(), static_cast<MPI_Aint>(size), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &window_);
    } else {
      void* base = nullptr;
      MPI_Win_allocate(static_cast<MPI_Aint>(size), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                       static_cast<void*>(&base), &window_);
    }
    MPI_Win_lock_all(0, window_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

  void put(const void* bytes, std::size_t size, std::size_t offset) {
    MPI_Put(bytes, static_cast<int>(size), MPI_BYTE, 1, static_cast<MPI_Aint>(offset),
            static_cast<int>(size), MPI_BYTE, window_);
  }
  void get(void* bytes, std::size_t size) {
    MPI_Get(bytes, static_cast<int>(size), MPI_BYTE, 1, 0, static_cast<int>(size), MPI_BYTE,
            window_);
  }
  void flush() { MPI_Win_flush(1, window_); }

 private:
  std::vector<std::byte> own_;
  MPI_Win window_ = MPI_WIN_NULL;
};

/// The target of one-sided calls waits in MPI for the end of a batch, for those that only go on
/// while it calls MPI.
template <class Caller>
void run_one_sided(Caller caller) {
  if (own_rank() == 0) {
    caller();
    send_value(std::uint64_t{0});
  } else {
    receive_value<std::uint64_t>();
  }
}

/// Eight bytes there and back, in several ways.
void measure_latency(Arguments& arguments, JsonLine& report) {
  const Turns turns{arguments.integer("batches", 100), arguments.integer("calls", 100)};
  arguments.reject_unknown();
  const bool asks = own_rank() == 0;
  std::uint64_t value = 0;
  Window own(Window::Memory::kOwn, sizeof value);
  Window shared(Window::Memory::kOfMpi, sizeof value);
  const auto ping = [&](auto take) {
    return [&value, asks, take](long calls) {
      for (long i = 0; i < calls; ++i) {
        if (asks) send_value(value);
        value = take();
        if (!asks) send_value(value);
      }
    };
  };
  const auto put = [&value](Window& window) {
    return [&](long calls) {
      run_one_sided([&] {
        for (long i = 0; i < calls; ++i) {
          window.put(&value, sizeof value, 0);
          window.flush();
        }
      });
    };
  };
  const auto get = [&value](Window& window) {
    return [&](long calls) {
      run_one_sided([&] {
        for (long i = 0; i < calls; ++i) {
          window.get(&value, sizeof value);
          window.flush();
        }
      });
    };
  };
  measure_in_turn({{"send", ping([] { return receive_value<std::uint64_t>(); })},
                   {"test", ping([] { return poll_value([] {}); })},
                   {"put", put(own)},
                   {"get", get(own)},
                   {"put_shared", put(shared)},
                   {"get_shared", get(shared)}},
                  turns, report);
}

/// Sends kWindow messages ahead, from and to as many buffers. The receiver says when it has all.
void stream(std::vector<std::byte>& buffers, std::size_t size, long messages) {
  std::array<MPI_Request, kWindow> requests;
  requests.fill(MPI_REQUEST_NULL);
  const int other = 1 - own_rank();
  for (long i = 0; i < messages; ++i) {
    const auto place = static_cast<std::size_t>(i % kWindow);
    std::byte* const bytes = buffers.data() + place * size;
    MPI_Wait(&requests[place], MPI_STATUS_IGNORE);
    if (other == 1) {
      MPI_Isend(bytes, static_cast<int>(size), MPI_BYTE, other, kTag, MPI_COMM_WORLD,
                &requests[place]);
    } else {
      MPI_Irecv(bytes, static_cast<int>(size), MPI_BYTE, other, kTag, MPI_COMM_WORLD,
                &requests[place]);
    }
  }
  MPI_Waitall(kWindow, requests.data(), MPI_STATUSES_IGNORE);
  if (other == 1) {
    receive_value<std::uint64_t>();
  } else {
    send_value(std::uint64_t{0});
  }
}

/// One message after the other of `size` bytes, with and without the receiver's help.
void measure_bandwidth(Arguments& arguments, JsonLine& report) {
  const Turns turns{arguments.integer("batches", 20), arguments.integer("calls", 4096)};
  const auto size = static_cast<std::size_t>(arguments.integer("size", 2048));
  arguments.reject_unknown();
  std::vector<std::byte> buffers(kWindow * size, std::byte{1});
  Window own(Window::Memory::kOwn, kWindow * size);
  Window shared(Window::Memory::kOfMpi, kWindow * size);
  const auto put = [&](Window& window) {
    return [&](long messages) {
      run_one_sided([&] {
        for (long i = 0; i < messages; ++i) {
          const auto place = static_cast<std::size_t>(i % kWindow) * size;
          window.put(buffers.data() + place, size, place);
          if (i % kWindow == kWindow - 1) window.flush();
        }
        window.flush();
      });
    };
  };
  measure_in_turn({{"send", [&](long messages) { stream(buffers, size, messages); }},
                   {"put", put(own)},
                   {"put_shared", put(shared)}},
                  turns, report);
}

std::uint64_t items_seen = 0;

/// What is done for each item. Never inlined: it stands for a function that a message names.
[[gnu::noinline]] void take_item(std::uint64_t item) { items_seen += item; }

constexpr std::size_t kItems = 4096 / sizeof(std::uint64_t);  ///< of a buffer
using Buffer = std::array<std::uint64_t, kItems>;

/// Items are gathered in buffers by hand.
class Gatherer {
 public:
  void add(std::uint64_t item) {
    buffers_[place_][filled_++] = item;
    if (filled_ == kItems) flush();
  }

  void flush() {
    MPI_Isend(buffers_[place_].data(), static_cast<int>(filled_ * sizeof(std::uint64_t)), MPI_BYTE,
              1, kTag, MPI_COMM_WORLD, &requests_[place_]);
    place_ = (place_ + 1) % kWindow;
    filled_ = 0;
    MPI_Wait(&requests_[place_], MPI_STATUS_IGNORE);
  }

  void wait() { MPI_Waitall(kWindow, requests_.data(), MPI_STATUSES_IGNORE); }

 private:
  std::vector<Buffer> buffers_{kWindow};
  std::vector<MPI_Request> requests_ = std::vector<MPI_Request>(kWindow, MPI_REQUEST_NULL);
  std::size_t place_ = 0;
  std::size_t filled_ = 0;
};

void send_items(long count) {
  Gatherer gatherer;
  for (long i = 0; i < count; ++i) gatherer.add(1);
  gatherer.flush();
  gatherer.wait();
  if (receive_value<std::uint64_t>() != static_cast<std::uint64_t>(count)) {
    throw std::logic_error("items were lost");
  }
}

void take_items(long count) {
  std::vector<Buffer> buffers(kWindow);
  std::array<MPI_Request, kWindow> requests;
  const auto post = [&](std::size_t place) {
    MPI_Irecv(buffers[place].data(), static_cast<int>(sizeof(Buffer)), MPI_BYTE, 0, kTag,
              MPI_COMM_WORLD, &requests[place]);
  };
  for (std::size_t place = 0; place < kWindow; ++place) post(place);
  items_seen = 0;
  std::size_t place = 0;
  while (items_seen < static_cast<std::uint64_t>(count)) {
    MPI_Status status;
    MPI_Wait(&requests[place], &status);
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    const std::size_t items = static_cast<std::size_t>(size) / sizeof(std::uint64_t);
    for (std::size_t i = 0; i < items; ++i) take_item(buffers[place][i]);
    post(place);
    place = (place + 1) % kWindow;
  }
  for (MPI_Request& request : requests) {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  send_value(items_seen);
}

/// Many small messages, and a function for each.
void measure_posts(Arguments& arguments, JsonLine& report) {
  const Turns turns{arguments.integer("batches", 1), arguments.integer("calls", 1000000)};
  arguments.reject_unknown();
  const auto pass = [](long count) { own_rank() == 0 ? send_items(count) : take_items(count); };
  measure_in_turn({{"posts", pass}}, turns, report);
}

/// A rank that computes, and another OS thread of it that answers: by MPI_Recv, which never gives
/// the core away, or asking again and again and giving it away between.
template <class Take>
Progress compute_and_echo(long pieces, Take take) {
  std::uint64_t value = 0;
  const double begin = steady_seconds();
  for (long i = 0; i < pieces; ++i) value = compute_piece(value);
  const double alone = static_cast<double>(pieces) / (steady_seconds() - begin);
  MPI_Barrier(MPI_COMM_WORLD);
  std::atomic<bool> is_over = false;
  std::thread echo([&] {
    // Zero says that no more is to come.
    while (const std::uint64_t asked = take()) send_value(asked);
    is_over.store(true, std::memory_order_relaxed);
  });
  long done = 0;
  const double called = steady_seconds();
  for (; !is_over.load(std::memory_order_relaxed); ++done) value = compute_piece(value);
  const double taken = steady_seconds() - called;
  echo.join();
  if (value == 0)
    throw std::logic_error("nothing was computed");  // and so it is not optimised away
  return {alone, static_cast<double>(done) / taken};
}

template <class Take>
void measure_echo(const std::string& name, long calls, double gap, Take take, JsonLine& report) {
  constexpr long kPiecesAlone = 20000;
  if (own_rank() == 1) {
    send_value(compute_and_echo(kPiecesAlone, take));
    return;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const auto call = [] {
    send_value(std::uint64_t{1});
    receive_value<std::uint64_t>();
  };
  const Samples seconds = call_now_and_then(calls, gap, call, [] {});
  send_value(std::uint64_t{0});
  report_load(name, seconds, receive_value<Progress>(), report);
}

void measure_load(Arguments& arguments, JsonLine& report) {
  const long calls = arguments.integer("calls", 1000);
  const double gap = arguments.real("gap", 1e-3);
  arguments.reject_unknown();
  measure_echo(
      "recv", calls, gap, [] { return receive_value<std::uint64_t>(); }, report);
  measure_echo(
      "yield", calls, gap, [] { return poll_value([] { sched_yield(); }); }, report);
}

/// A rank that waits for a message.
void measure_idle(Arguments& arguments, JsonLine& report) {
  const double seconds = arguments.real("seconds", 5);
  arguments.reject_unknown();
  MPI_Barrier(MPI_COMM_WORLD);
  if (own_rank() == 0) {
    usleep(static_cast<useconds_t>(seconds * 1e6));
    send_value(std::uint64_t{0});
    report.add("waiting_share", receive_value<double>() / seconds);
  } else {
    const double begin = cpu_seconds();
    receive_value<std::uint64_t>();
    send_value(cpu_seconds() - begin);
  }
}

using Part = void (*)(Arguments&, JsonLine&);
Part part_of(const std::string& name) {
  if (name == "latency") return measure_latency;
  if (name == "bandwidth") return measure_bandwidth;
  if (name == "posts") return measure_posts;
  if (name == "load") return measure_load;
  if (name == "idle") return measure_idle;
  throw std::invalid_argument("part is '" + name +
                              "'; give latency, bandwidth, posts, load or idle");
}

void run(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const Part part = part_of(arguments.text("part", "latency"));
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) throw std::invalid_argument("start two ranks, by this MPI's launcher");
  JsonLine report;
  part(arguments, report);
  MPI_Barrier(MPI_COMM_WORLD);
  if (own_rank() == 0) report.print();
}

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  // One thread at a time calls MPI, in some parts another one than this.
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  try {
    if (provided < MPI_THREAD_SERIALIZED) throw std::runtime_error("this MPI lacks threads");
    kumiko::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
