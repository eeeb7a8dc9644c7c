// Writers of a file as jobs for a plain pool of OS threads: a queue under a mutex. A writer's next
// block is queued when the one before is written.
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include <unistd.h>

#include "file_blocks.hpp"
#include "process.hpp"

namespace kumiko::bench::io {
namespace {

class Pool {
 public:
  explicit Pool(std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    queued_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(std::function<void()> job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
      ++unfinished_;
    }
    queued_.notify_one();
  }

  /// Until all jobs are done, those included that they queue.
  void wait() {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return unfinished_ == 0; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      queued_.wait(lock, [this] { return ended_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
      if (--unfinished_ == 0) finished_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable queued_;
  std::condition_variable finished_;
  std::deque<std::function<void()>> jobs_;
  std::size_t unfinished_ = 0;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

class Writers {
 public:
  Writers(const FilePlan& plan, const BlockFile& file, Pool& pool)
      : plan_(plan), file_(file), pool_(pool) {}

  void write_all() {
    for (std::size_t writer = 0; writer < plan_.writers; ++writer) queue(writer, 0);
    pool_.wait();
    if (const int error = error_.load()) {
      throw std::system_error(error, std::generic_category(), "pwrite");
    }
  }

 private:
  void queue(std::size_t writer, std::size_t round) {
    pool_.run([this, writer, round] {
      write(writer, round);
      if (round + 1 < plan_.rounds) queue(writer, round + 1);
    });
  }

  void write(std::size_t writer, std::size_t round) {
    const std::span<const std::byte> block = file_.block(writer);
    std::size_t done = 0;
    while (done < block.size()) {
      const ssize_t bytes = pwrite(file_.descriptor(), block.data() + done, block.size() - done,
                                   plan_.offset(writer, round) + static_cast<off_t>(done));
      if (bytes < 0) {
        error_ = errno;
        return;
      }
      done += static_cast<std::size_t>(bytes);
    }
  }

  const FilePlan& plan_;
  const BlockFile& file_;
  Pool& pool_;
  std::atomic<int> error_{0};
};

void run(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const FilePlan plan(arguments);
  const long threads = arguments.integer("threads", 8);
  if (threads < 1 || threads > 1024) {
    throw std::invalid_argument("threads must be from 1 to 1024");
  }
  arguments.reject_unknown();
  const BlockFile file(plan);
  Pool pool(static_cast<std::size_t>(threads));
  Writers writers(plan, file, pool);
  measure_writes(
      plan, file, [&] { writers.write_all(); },
      [&] {
        if (fdatasync(file.descriptor()) != 0) throw_errno("fdatasync");
      });
}

}  // namespace
}  // namespace kumiko::bench::io

int main(int argc, char** argv) {
  try {
    kumiko::bench::io::run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
