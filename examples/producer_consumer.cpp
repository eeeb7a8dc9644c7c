// Producers and consumers around a buffer of bounded size. Whoever finds it full or empty waits;
// only the lightweight thread does, its worker runs another one meanwhile. Consumers end by their
// stop tokens.
//
//     build/release/bin/example_producer_consumer
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <stop_token>
#include <vector>

#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "arguments.hpp"

namespace rt = kumiko::runtime;

namespace {

class Buffer {
 public:
  explicit Buffer(std::size_t capacity) : capacity_(capacity) {}

  void put(int item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return items_.size() < capacity_; });
    items_.push_back(item);
    changed_.notify_all();
  }

  /// False when nothing is left and a stop was requested.
  bool take(int& item, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !items_.empty(); })) return false;
    item = items_.front();
    items_.pop_front();
    changed_.notify_all();
    return true;
  }

 private:
  const std::size_t capacity_;
  rt::Mutex mutex_;
  rt::ConditionVariable changed_;
  std::deque<int> items_;
};

}  // namespace

int main(int argc, char** argv) {
  examples::read_arguments(argc, argv);
  constexpr int kProducers = 100;
  constexpr int kItemsEach = 100;
  constexpr int kConsumers = 10;

  rt::Runtime runtime;
  long sum = 0;
  runtime.run([&sum] {
    Buffer buffer(16);
    std::vector<long> sums(kConsumers);
    std::vector<rt::Thread> consumers;
    for (long& own_sum : sums) {
      consumers.emplace_back("consumer", [&buffer, &own_sum](const std::stop_token& stop) {
        for (int item = 0; buffer.take(item, stop);) own_sum += item;
      });
    }
    rt::TaskGroup producers;
    for (int producer = 0; producer < kProducers; ++producer) {
      producers.run([&buffer] {
        for (int item = 1; item <= kItemsEach; ++item) buffer.put(item);
      });
    }
    producers.wait();
    for (rt::Thread& consumer : consumers) consumer.request_stop();
    for (rt::Thread& consumer : consumers) consumer.join();
    for (const long own_sum : sums) sum += own_sum;
  });
  const long expected = kProducers * long{kItemsEach} * (kItemsEach + 1) / 2;
  std::printf("%d producers and %d consumers: sum %ld, expected %ld\n", kProducers, kConsumers, sum,
              expected);
  return sum == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
