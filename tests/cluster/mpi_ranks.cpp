// A rank of an MPI launch, for tests/cluster/mpi_test.py: does what its argument says.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/launch.hpp>
#include <kumiko/cluster/region.hpp>
#include <kumiko/cluster/token.hpp>
#include <kumiko/runtime/entry.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/this_thread.hpp>

namespace {

using namespace std::chrono_literals;
using kumiko::cluster::Cluster;
using kumiko::cluster::Future;
using kumiko::cluster::Here;
using kumiko::cluster::RemoteError;
using Clock = std::chrono::steady_clock;

/// What is not as it should be ends the launch.
void expect(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string("failed: ") + what);
}

std::atomic<int> posts_run{0};
std::atomic<bool> computes{false};

void invoke_each_other(const Here& here) {
  for (int rank = 0; rank < here.size(); ++rank) {
    const int answer = here.invoke(
        rank, [](const Here& there, int a) { return 1000 * there.rank() + there.caller() + a; }, 7);
    expect(answer == 1000 * rank + here.rank() + 7, "the value of an invocation");
  }
}

void send_large_spans(const Here& here) {
  std::vector<std::uint64_t> numbers((1 << 20) / sizeof(std::uint64_t));
  std::iota(numbers.begin(), numbers.end(), static_cast<std::uint64_t>(here.rank()));
  std::vector<Future<std::vector<std::uint64_t>>> answers;
  for (int i = 0; i < 4; ++i) {
    for (int rank = 0; rank < here.size(); ++rank) {
      answers.push_back(here.async(
          rank,
          [](std::span<const std::uint64_t> sent) {
            return std::vector<std::uint64_t>(sent.rbegin(), sent.rend());
          },
          std::span<const std::uint64_t>(numbers)));
    }
  }
  const std::vector<std::uint64_t> reversed(numbers.rbegin(), numbers.rend());
  for (auto& answer : answers) expect(answer.get() == reversed, "a MiB there and back");
}

/// Each rank writes to its part of every rank's memory, with one write behind the other.
void write_to_regions(const Here& here) {
  const auto parts = static_cast<std::size_t>(here.size());
  for (const std::size_t size : {std::size_t{8}, std::size_t{2048}, std::size_t{1} << 20}) {
    std::vector<std::byte> own(size * parts);
    const kumiko::cluster::ExposedRegion exposed(here, own, kumiko::cluster::Rights::kReadWrite);
    const auto regions = all_gather(here, exposed.region()).get();
    const std::size_t place = size * static_cast<std::size_t>(here.rank());
    for (int round = 1; round <= 5; ++round) {
      const auto mark = static_cast<std::byte>(16 * round + here.rank());
      std::vector<std::byte> source(size, mark);
      std::vector<kumiko::cluster::Writing> writings;
      for (std::size_t to = 0; to < parts; ++to) {
        writings.push_back(write(here, regions[to], place, source));
      }
      for (auto& writing : writings) writing.sent.get();
      source.assign(size, std::byte{0});
      for (auto& writing : writings) writing.written.get();
      std::vector<std::byte> seen(size);
      read(here, regions[(here.rank() + 1) % parts], place, seen);
      expect(std::ranges::count(seen, mark) == static_cast<std::ptrdiff_t>(size), "what is read");
      barrier(here).get();
      for (std::size_t from = 0; from < parts; ++from) {
        const auto part = std::span(own).subspan(from * size, size);
        const auto expected = static_cast<std::byte>(16 * static_cast<std::size_t>(round) + from);
        expect(std::ranges::count(part, expected) == static_cast<std::ptrdiff_t>(size),
               "what was written");
      }
      barrier(here).get();
    }
  }
}

void post_and_quiesce(const Here& here) {
  constexpr int kPosts = 2000;
  const int next = (here.rank() + 1) % here.size();
  for (int i = 0; i < kPosts / 2; ++i) here.post(next, [] { ++posts_run; });
  for (int i = 0; i < kPosts / 2; ++i) {
    here.post_inline(
        next, [](int posts) noexcept { posts_run += posts; }, 1);
  }
  here.quiesce();
  barrier(here).get();
  here.quiesce();
  expect(posts_run == kPosts, "the number of posts");
}

void pass_an_exception(const Here& here) {
  if (here.size() == 1) return;  // it would be the exception itself
  const int other = (here.rank() + 1) % here.size();
  try {
    here.invoke(other, [] { throw std::domain_error("no such patch"); });
    expect(false, "an exception");
  } catch (const RemoteError& error) {
    expect(error.rank() == other, "the rank of an exception");
    expect(std::string_view(error.what()).find("no such patch") != std::string_view::npos,
           "the message of an exception");
  }
}

struct Back {
  int operator()(const Here& here, int depth) const {
    return depth == 0 ? 0 : 1 + here.invoke(here.caller(), Back(), depth - 1);
  }
};

void invoke_back(const Here& here) {
  std::vector<Future<int>> answers;
  for (int i = 0; i < 10; ++i) {
    answers.push_back(here.async((here.rank() + 1) % here.size(), Back(), 20));
  }
  for (Future<int>& answer : answers) expect(answer.get() == 20, "an invocation 20 deep");
}

/// The last rank's worker computes; the others' inline calls are served between.
void call_one_that_computes(const Here& here) {
  const int busy = here.size() - 1;
  barrier(here).get();
  if (here.rank() == busy) {
    computes = true;
    const auto end = Clock::now() + 300ms;
    while (Clock::now() < end) kumiko::runtime::this_thread::yield();
    const auto end_of_silence = Clock::now() + 300ms;
    while (Clock::now() < end_of_silence) continue;  // the stand-in polls
    computes = false;
  } else {
    int seen = 0;
    for (int i = 0; i < 50; ++i) {
      if (here.invoke_inline(busy, []() noexcept { return computes.load(); })) ++seen;
      kumiko::runtime::this_thread::sleep_for(5ms);
    }
    expect(seen > 10, "answers of a rank that computes");
  }
  barrier(here).get();
}

void check_all(Cluster& cluster) {
  const Here here = cluster.here();
  invoke_each_other(here);
  send_large_spans(here);
  write_to_regions(here);
  post_and_quiesce(here);
  pass_an_exception(here);
  invoke_back(here);
  call_one_that_computes(here);
  const kumiko::cluster::Placement placement = kumiko::cluster::placement(cluster);
  std::printf("%s%s%s\n", placement.line.c_str(),
              placement.warning.empty() ? "" : "; warning: ", placement.warning.c_str());
}

void throw_on_last(Cluster& cluster) {
  const Here here = cluster.here();
  barrier(here).get();
  if (here.rank() == here.size() - 1) throw std::domain_error("cannot go on");
  barrier(here).get();
}

/// Beyond what an int counts.
void send_gigabytes(Cluster& cluster) {
  const Here here = cluster.here();
  if (here.rank() != 0) return;
  const std::size_t size = (std::size_t{1} << 31) + 12345;
  std::vector<std::byte> bytes(size, std::byte{7});
  bytes.back() = std::byte{9};
  const auto count = [](std::span<const std::byte> sent) {
    return std::pair(sent.size(),
                     std::to_integer<int>(sent.front()) + 100 * std::to_integer<int>(sent.back()));
  };
  const auto [sent, ends] = here.invoke(1, count, std::span<const std::byte>(bytes));
  expect(sent == size && ends == 907, "a frame of more than 2 GiB");
}

std::chrono::microseconds used_of_core() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

void wait_idly(Cluster& cluster) {
  barrier(cluster.here()).get();
  kumiko::runtime::this_thread::sleep_for(200ms);
  const auto begin = used_of_core();
  kumiko::runtime::this_thread::sleep_for(2s);
  const double share = static_cast<double>((used_of_core() - begin).count()) / 2e6;
  std::printf("rank %d idle: %.2f %% of a core\n", cluster.rank(), 100 * share);
}

template <class Call>
void time_calls(const Here& here, const char* name, Call call) {
  constexpr int kCalls = 20000;
  std::vector<double> times;
  for (int i = 0; i < kCalls; ++i) {
    const auto begin = Clock::now();
    call(here);
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) { return times[static_cast<std::size_t>(part * (kCalls - 1))]; };
  std::printf("%s: median %.2f us, quartiles %.2f to %.2f, p99 %.2f\n", name, at(0.5), at(0.25),
              at(0.75), at(0.99));
}

void measure(Cluster& cluster) {
  const Here here = cluster.here();
  barrier(here).get();
  if (here.rank() == 0) {
    for (int round = 0; round < 3; ++round) {
      time_calls(here, "invoke_inline",
                 [](const Here& from) { from.invoke_inline(1, []() noexcept {}); });
      time_calls(here, "invoke", [](const Here& from) { from.invoke(1, [] {}); });
    }
  }
  barrier(here).get();
}

void tell_process(const Here& here) {
  barrier(here).get();
  barrier(here).get();  // all have introduced themselves
  std::fprintf(stderr, "rank %d is process %d\n", here.rank(), getpid());
}

/// Rank 0 calls the others until one of them has taken long to answer, for it was stopped.
void call_until_one_is_slow(Cluster& cluster) {
  const Here here = cluster.here();
  tell_process(here);
  const auto limit = Clock::now() + 30s;
  while (here.rank() == 0) {
    const auto begin = Clock::now();
    expect(begin < limit, "a call that takes long");
    for (int other = 1; other < here.size(); ++other) here.invoke(other, [] {});
    if (Clock::now() - begin > 2s) break;
    kumiko::runtime::this_thread::sleep_for(1ms);
  }
  barrier(here).get();
}

/// A thread on the last rank that rank 0 has begun.
void fault_on_last(Cluster& cluster) {
  const Here here = cluster.here();
  tell_process(here);
  barrier(here).get();
  if (here.rank() != 0) return;
  here.invoke(here.size() - 1, [] {
    kumiko::runtime::this_thread::set_name("clumsy");
    *reinterpret_cast<volatile int*>(std::uintptr_t{0x1230}) = 1;
  });
}

/// Calls of all kinds and sizes to any rank, drawn by a seed; every answer is looked at.
class Flood {
 public:
  Flood(const Here& here, std::uint64_t seed)
      : here_(here),
        random_(1000003 * seed + static_cast<unsigned>(here.rank())),
        posts_to_(static_cast<std::size_t>(here.size())) {}

  void round() {
    for (int i = 0; i < 12; ++i) {
      const int rank = below(here_.size());
      switch (below(5)) {
        case 0:
          echo(rank, sizes_[static_cast<std::size_t>(below(3))]);
          break;
        case 1:
          post(rank);
          break;
        case 2:
          invoke(rank);
          break;
        case 3:
          invoke_inline(rank);
          break;
        default:
          answers_.push_back(here_.async(rank, Back(), 5));
          break;
      }
    }
    for (auto& [numbers, first, size] : echoes_) {
      const std::vector<std::uint64_t> echo = numbers.get();
      expect(echo.size() == size, "the size of an echo");
      for (std::size_t i = 0; i < size; ++i) expect(echo[i] == first + size - 1 - i, "an echo");
    }
    for (Future<int>& answer : answers_) expect(answer.get() == 5, "an invocation 5 deep");
    echoes_.clear();
    answers_.clear();
  }

  /// All ranks': no post is missing, and none was run twice.
  void settle() {
    barrier(here_).get();
    here_.quiesce();
    const int run = posts_run;  // before this rank's part, so before anybody posts again
    int sent = 0;
    for (const std::vector<int>& of_rank : all_gather(here_, posts_to_).get()) {
      sent += of_rank[static_cast<std::size_t>(here_.rank())];
    }
    expect(run == sent, "the number of posts");
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  void echo(int rank, int sizes) {
    const auto size = static_cast<std::size_t>(below(sizes));
    std::vector<std::uint64_t> numbers(size);
    const std::uint64_t first = random_() % 1000;
    std::iota(numbers.begin(), numbers.end(), first);
    const auto reversed = [](std::span<const std::uint64_t> sent) {
      return std::vector<std::uint64_t>(sent.rbegin(), sent.rend());
    };
    echoes_.push_back(
        {here_.async(rank, reversed, std::span<const std::uint64_t>(numbers)), first, size});
  }

  void post(int rank) {
    ++posts_to_[static_cast<std::size_t>(rank)];
    if (random_() % 2 == 0) {
      here_.post(rank, [] { ++posts_run; });
    } else {
      here_.post_inline(rank, []() noexcept { ++posts_run; });
    }
  }

  void invoke(int rank) {
    const int x = below(1000);
    const int answer = here_.invoke(
        rank, [](const Here& there, int a) { return a * there.size() + there.rank(); }, x);
    expect(answer == x * here_.size() + rank, "the value of an invocation");
  }

  void invoke_inline(int rank) {
    const int x = below(1000);
    expect(here_.invoke_inline(
               rank, [](int a) noexcept { return a + 1; }, x) == x + 1,
           "the value of an inline invocation");
  }

  struct Echo {
    Future<std::vector<std::uint64_t>> numbers;
    std::uint64_t first;
    std::size_t size;
  };

  Here here_;
  std::mt19937_64 random_;
  std::vector<int> posts_to_;
  std::vector<Echo> echoes_;
  std::vector<Future<int>> answers_;
  /// In numbers of 8 bytes: bundles, about what is a large frame to a link by MPI, and large ones.
  static constexpr std::array<int, 3> sizes_{16, 2048, 65536};
};

void flood(Cluster& cluster, std::uint64_t seed) {
  Flood flood(cluster.here(), seed);
  for (int part = 0; part < 4; ++part) {
    for (int i = 0; i < 12; ++i) flood.round();
    flood.settle();
  }
  std::printf("rank %d: the flood is over\n", cluster.rank());
}

kumiko::cluster::RemoteToken<int> kept;

/// Rank 0 waits for a token that rank 1 keeps, which waits for nothing that ever comes.
void wait_for_each_other(Cluster& cluster) {
  const Here here = cluster.here();
  tell_process(here);
  if (here.rank() != 0) {
    kumiko::runtime::Entry<int> never;
    const auto token = never.token();
    never.wait();
  }
  kumiko::cluster::RemoteEntry<int> entry(here);
  here.invoke(
      1, [](kumiko::cluster::RemoteToken<int> token) { kept = std::move(token); }, entry.token());
  entry.get();
}

using Body = std::function<void(Cluster&)>;
Body body_of(std::string_view name, std::uint64_t seed) {
  if (name == "all") return check_all;
  if (name == "flood") return [seed](Cluster& cluster) { flood(cluster, seed); };
  if (name == "deadlock") return wait_for_each_other;
  if (name == "fault") return fault_on_last;
  if (name == "calls" || name == "impatient") return call_until_one_is_slow;
  if (name == "throw") return throw_on_last;
  if (name == "gigabytes") return send_gigabytes;
  if (name == "idle") return wait_idly;
  if (name == "time") return measure;
  throw std::invalid_argument(
      "there is no '" + std::string(name) +
      "'; give all, calls, deadlock, flood [SEED], impatient, fault, throw, gigabytes, idle or "
      "time");
}

/// A flood has narrow windows and wide ones by its seed.
int window_of(std::string_view name, std::uint64_t seed) {
  if (name == "flood") return std::array{1, 2, 8, 64}[seed % 4];
  return name == "all" ? 2 : 64;
}

kumiko::cluster::ClusterOptions options_of(std::string_view name, std::uint64_t seed) {
  kumiko::cluster::ClusterOptions options{.window = window_of(name, seed)};
  if (name == "gigabytes") options.patience = 5min;
  if (name == "impatient") {
    options.warn_after = 500ms;
    options.lost_after = 1s;
  }
  return options;
}

int run(std::string_view name, std::uint64_t seed) {
  const Body body = body_of(name, seed);
  std::unique_ptr<kumiko::cluster::Link> link = kumiko::cluster::link_of_environment();
  kumiko::runtime::Options options{.workers = name == "flood" && seed % 3 == 0 ? 2 : 1};
  if (name == "deadlock") options.deadlock_report_after = 300ms;
  // As the ping-pong of MPI waits that it is compared with.
  if (name == "time") options.idle = kumiko::runtime::IdlePolicy::kSpin;
  kumiko::runtime::Runtime runtime(options);
  runtime.run([&] {
    if (link == nullptr) {
      Cluster cluster(runtime);
      body(cluster);
    } else {
      Cluster cluster(runtime, std::move(link), options_of(name, seed));
      body(cluster);
      cluster.leave();
    }
  });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "all", argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 3;
  }
}
