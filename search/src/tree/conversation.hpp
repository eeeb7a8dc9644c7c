// A handshake over a socket, from either side, and in words why it has failed.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/io/socket.hpp>
#include <kumiko/search/tree.hpp>

#include "tree/handshake.hpp"

namespace kumiko::search::detail::tree {

// Each returns why the other side is refused or refuses, or nothing. A stop is Refusal::kLeft.

/// The whole of it, from the side that joins.
std::optional<Refusal> ask_to_join(runtime::io::Socket& socket, Handshake& handshake,
                                   const runtime::io::Limits& limits);

/// The beginning of it, the same on both sides: each greets and checks the other's greeting.
std::optional<Refusal> exchange_hellos(runtime::io::Socket& socket, Handshake& handshake,
                                       const runtime::io::Limits& limits);
/// From the side that accepts: the proof, which is yet to be judged.
std::optional<Refusal> hear_proof(runtime::io::Socket& socket, Proof& proof,
                                  const runtime::io::Limits& limits);
/// From the side that accepts: the end.
std::optional<Refusal> say_verdict(runtime::io::Socket& socket, const Verdict& verdict,
                                   const runtime::io::Limits& limits);

/// Why a parent at this address could not be joined, and what to do.
/// \param system  what the system said, if it could not connect
std::string explain(Refusal refusal, const std::string& address, const std::string& system,
                    std::chrono::milliseconds timeout);

}  // namespace kumiko::search::detail::tree
