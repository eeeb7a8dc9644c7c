#include "trace/tracer.hpp"

#include <stdexcept>

#include "core/scheduler.hpp"
#include "machine/ticks.hpp"

namespace kumiko::runtime::detail {

void Tracer::start(Scheduler& scheduler, std::size_t records) {
  std::vector<TraceRing> rings(scheduler.worker_count());
  for (TraceRing& ring : rings) ring.resize(records);
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
  std::vector<const TraceRing*> rings;
  for (const TraceRing& ring : rings_) rings.push_back(&ring);
  TraceWriter(ticks_, begin_).write(out, rings);
  rings_.clear();
}

}  // namespace kumiko::runtime::detail
