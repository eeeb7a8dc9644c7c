#include "sharing/trace_gather.hpp"

#include <cstddef>
#include <cstdint>
#include <map>

namespace kumiko::amr {

void gather_trace(TraceRecorder& recorder, Mailbox& mailbox, const Communicator& communicator) {
  recorder.end();
  mailbox.begin();
  if (communicator.rank() != 0) return mailbox.send_value(0, recorder.hand_over());
  std::map<std::int32_t, RankTrace> others;
  for (const Mailbox::Message& message :
       mailbox.collect(static_cast<std::size_t>(communicator.size()) - 1)) {
    others[message.from] = message.value<RankTrace>();
  }
  recorder.take(others);
}

}  // namespace kumiko::amr
