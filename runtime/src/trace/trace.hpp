// Records which thread each worker runs when, and writes the record as a Chrome trace.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/observer.hpp"
#include "record/descriptor.hpp"

namespace kumiko::runtime::detail {

/// A ring buffer of what one worker has done and when, which keeps the latest records. Written by
/// the worker only, and read when it does not write.
class alignas(64) TraceRing final : public Observer {
 public:
  enum class Kind : std::uint8_t {
    kRun,    ///< a thread goes on, or begins; what ran before does not
    kLoop,   ///< the worker looks for work
    kSteal,  ///< it took a thread from worker `number`
    kPark,   ///< it goes to sleep
    kWake,   ///< it has woken
  };

  static constexpr std::int32_t kNoGroup = -1;

  struct Record {
    std::uint64_t ticks;
    const void* thread;  ///< kRun
    SourceLocation where;
    std::array<char, 24> name;
    std::int32_t number;  ///< kRun: of the thread's group, or kNoGroup; kSteal: of a worker
    Kind kind;
    bool ended;  ///< what ran before has ended
  };

  /// Sizes the ring for at least `records`, and begins anew. \throws std::bad_alloc
  void resize(std::size_t records);

  void switched(const Descriptor* previous, const Descriptor* next,
                bool previous_ended) noexcept override;
  void stole(int victim) noexcept override;
  void slept(std::uint64_t begin) noexcept override;

  /// How many records have been overwritten.
  std::size_t lost() const noexcept { return end_ > records_.size() ? end_ - records_.size() : 0; }

  /// Calls visit(record) for the records that are kept, the oldest first.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = lost(); i < end_; ++i) visit(records_[i & (records_.size() - 1)]);
  }

 private:
  void add(const Record& record) noexcept;
  void note(Kind kind, int number, std::uint64_t ticks) noexcept;

  Record& at(std::size_t number) noexcept { return records_[number & (records_.size() - 1)]; }

  std::vector<Record> records_;  ///< a power of two of them
  std::size_t end_ = 0;          ///< the number of the next record
};

/// Turns the records of several workers into Chrome's trace-event JSON (which Perfetto opens): one
/// row per worker; threads are named as they are, or by the place of their creation. Where a thread
/// has an aggregation group, each of its turns says which.
class TraceWriter {
 public:
  /// \param ticks, time the same moment twice, before the trace.
  TraceWriter(std::uint64_t ticks, std::chrono::steady_clock::time_point time);

  /// \param groups the names of aggregation groups, by the numbers in the records.
  void write(std::ostream& out, const std::vector<const TraceRing*>& workers,
             const std::vector<std::string>& groups) const;

 private:
  void write_events(std::ostream& out, std::size_t worker, const TraceRing& ring,
                    const std::vector<std::string>& groups) const;
  std::uint64_t nanoseconds(std::uint64_t ticks) const noexcept;

  std::uint64_t begin_;
  double nanoseconds_per_tick_;
};

}  // namespace kumiko::runtime::detail
