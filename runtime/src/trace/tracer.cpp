#include "trace/tracer.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/aggregation.hpp"
#include "core/scheduler.hpp"
#include "machine/ticks.hpp"

namespace kumiko::runtime::detail {

void Tracer::start(Scheduler& scheduler, std::size_t records) {
  std::vector<TraceRing> rings(scheduler.worker_count());
  for (TraceRing& ring : rings) ring.resize(records);
  scheduler.aggregations()->keep_names(true);
  scheduler.while_quiet([&] {
    rings_.swap(rings);
    ticks_ = read_ticks();
    begin_ = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < rings_.size(); ++i) scheduler.worker(i).set_observer(&rings_[i]);
  });
}

void Tracer::stop(Scheduler& scheduler, std::ostream& out) {
  if (rings_.empty()) {
    throw std::logic_error("Runtime: no trace is being recorded; call start_trace() before");
  }
  scheduler.while_quiet([&] {
    for (std::size_t i = 0; i < scheduler.worker_count(); ++i)
      scheduler.worker(i).set_observer(nullptr);
  });
  // Whatever happens below, no trace is being recorded any more.
  const std::vector<TraceRing> recorded = std::exchange(rings_, {});
  std::vector<std::string> names;
  try {
    names = scheduler.aggregations()->names();
  } catch (const std::bad_alloc&) {
    scheduler.aggregations()->keep_names(false);
    throw;
  }
  scheduler.aggregations()->keep_names(false);
  std::vector<const TraceRing*> rings;
  for (const TraceRing& ring : recorded) rings.push_back(&ring);
  TraceWriter(ticks_, begin_).write(out, rings, names);
}

}  // namespace kumiko::runtime::detail
