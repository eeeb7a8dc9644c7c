#include "sharing/trace_gather.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace kumiko::amr {

void gather_trace(TraceRecorder& recorder, Mailbox& mailbox, const Communicator& communicator) {
  recorder.end();
  mailbox.begin();
  if (communicator.rank() != 0) return mailbox.send(0, recorder.hand_over());
  std::map<std::int32_t, std::vector<std::byte>> others;
  for (Mailbox::Message& message :
       mailbox.collect(static_cast<std::size_t>(communicator.size()) - 1)) {
    others[message.from] = std::move(message.text);
  }
  recorder.take(others);
}

}  // namespace kumiko::amr
