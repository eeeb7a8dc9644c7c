// A clock that stands still while anybody works: it moves on to the next time that a thread waits
// for when all threads of the process sleep. What takes set times takes them here to the
// nanosecond, however busy the machine is.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace kumiko::model {

class SetClock {
 public:
  SetClock();
  ~SetClock();
  SetClock(const SetClock&) = delete;
  SetClock& operator=(const SetClock&) = delete;

  /// Whether the system tells what threads do.
  static bool is_possible();

  /// Blocks the calling OS thread.
  void sleep_for(std::int64_t nanoseconds);

  std::int64_t now();

 private:
  /// Of the process's threads but the clock's own, how often each has gone to sleep. Empty if one
  /// does not sleep.
  using Sleeps = std::map<std::string, std::string>;
  static Sleeps sleeps_of_others(const std::string& self);

  void move_on();
  /// All have slept at one moment if all sleep at two and none has woken in between; and then
  /// nobody is left to wake them.
  static bool do_all_sleep(const std::string& self);

  std::mutex mutex_;
  std::condition_variable moved_;
  std::int64_t now_ = 0;
  std::multiset<std::int64_t> awaited_;
  bool ends_ = false;
  std::thread mover_;
};

}  // namespace kumiko::model
