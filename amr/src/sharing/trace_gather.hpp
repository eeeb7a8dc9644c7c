// Gathers the trace of a shared mesh on owner 0.
#pragma once

#include <kumiko/amr/collect.hpp>

#include "observation/trace_recorder.hpp"
#include "sharing/mailbox.hpp"

namespace kumiko::amr {

/// Ends the recording and hands the pieces of all owners to owner 0's recorder. All owners of a
/// shared mesh call it, between windows of steps. Suspends. One message to owner 0 from each other
/// owner. Throws if an owner is lost.
void gather_trace(TraceRecorder& recorder, Mailbox& mailbox, const Owner& owner);

}  // namespace kumiko::amr
