// Gathers the trace of a shared mesh on rank 0.
#pragma once

#include <kumiko/amr/collect.hpp>

#include "observation/trace_recorder.hpp"
#include "sharing/mailbox.hpp"

namespace kumiko::amr {

/// Ends the recording and hands the pieces of all ranks to rank 0's recorder. All ranks of a
/// shared mesh call it, between windows of steps. Suspends. One message to rank 0 from each other
/// rank. Throws if a rank is lost.
void gather_trace(TraceRecorder& recorder, Mailbox& mailbox, const Communicator& communicator);

}  // namespace kumiko::amr
