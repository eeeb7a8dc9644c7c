// A handshake over a socket, from either side, and the message of its failure.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/io/socket.hpp>
#include <kumiko/search/tree.hpp>

#include "tree/handshake.hpp"

namespace kumiko::search::detail::tree {

// Each returns why one side refuses the other, or nullopt. After a stop it is Refusal::kLeft.

/// The whole handshake of the side that joins.
std::optional<Refusal> ask_to_join(runtime::io::Socket& socket, Handshake& handshake,
                                   const runtime::io::Limits& limits);

/// The beginning of a handshake, on both sides: greets, and checks the other side's greeting.
std::optional<Refusal> exchange_hellos(runtime::io::Socket& socket, Handshake& handshake,
                                       const runtime::io::Limits& limits);
/// The second step of the side that accepts: receives the proof, and does not check it.
std::optional<Refusal> hear_proof(runtime::io::Socket& socket, Proof& proof,
                                  const runtime::io::Limits& limits);
/// The last step of the side that accepts: sends the verdict.
std::optional<Refusal> say_verdict(runtime::io::Socket& socket, const Verdict& verdict,
                                   const runtime::io::Limits& limits);

/// The cause for which a parent at this address could not be joined, and the remedy.
/// \param system  the message of the system error, if it could not connect
std::string explain(Refusal refusal, const std::string& address, const std::string& system,
                    std::chrono::milliseconds timeout);

}  // namespace kumiko::search::detail::tree
