#include "tree/conversation.hpp"

#include <span>
#include <system_error>

namespace kumiko::search::detail::tree {

namespace io = runtime::io;

namespace {

std::optional<Refusal> refusal_of(std::error_code error) noexcept {
  if (!error) return std::nullopt;
  if (error == std::errc::timed_out) return Refusal::kTimeout;
  if (error == std::errc::operation_canceled) return Refusal::kLeft;
  return Refusal::kConnectionClosed;
}

std::optional<Refusal> say(io::Socket& socket, Bytes words, const io::Limits& limits) {
  return refusal_of(socket.write_all(words, limits).error);
}

std::optional<Refusal> hear(io::Socket& socket, std::span<std::byte> words,
                            const io::Limits& limits) {
  return refusal_of(socket.read_exactly(words, limits).error);
}

}  // namespace

std::optional<Refusal> exchange_hellos(io::Socket& socket, Handshake& handshake,
                                       const io::Limits& limits) {
  if (const auto refusal = say(socket, handshake.hello(), limits)) return refusal;
  Hello others;
  const std::span<std::byte> greeting = std::span(others).first(kGreetingBytes);
  const std::span<std::byte> rest = std::span(others).subspan(kGreetingBytes);
  if (const auto refusal = hear(socket, greeting, limits)) return refusal;
  const auto refusal = Handshake::check_greeting(greeting);
  if (refusal == Refusal::kNotKumiko) return refusal;
  // Also if it has another version: closing with unread bytes would reset the connection, and the
  // other side might not get our hello.
  const auto unheard = hear(socket, rest, limits);
  if (refusal) return refusal;
  if (unheard) return unheard;
  return handshake.take_hello(others);
}

std::optional<Refusal> ask_to_join(io::Socket& socket, Handshake& handshake,
                                   const io::Limits& limits) {
  if (const auto refusal = exchange_hellos(socket, handshake, limits)) return refusal;
  if (const auto refusal = say(socket, handshake.proof(), limits)) return refusal;
  Verdict verdict;
  if (const auto refusal = hear(socket, verdict, limits)) return refusal;
  return handshake.take_verdict(verdict);
}

std::optional<Refusal> hear_proof(io::Socket& socket, Proof& proof, const io::Limits& limits) {
  return hear(socket, proof, limits);
}

std::optional<Refusal> say_verdict(io::Socket& socket, const Verdict& verdict,
                                   const io::Limits& limits) {
  return say(socket, verdict, limits);
}

std::string explain(Refusal refusal, const std::string& address, const std::string& system,
                    std::chrono::milliseconds timeout) {
  const std::string parent = "the process at " + address;
  switch (refusal) {
    case Refusal::kCannotConnect:
      return "cannot connect to " + parent + ": " + system +
             "; start it first, and check the address and the firewalls between";
    case Refusal::kNotKumiko:
      return "the program that answers at " + address +
             " is not a Kumiko process that can be joined; check the port";
    case Refusal::kOtherVersion:
      return parent + " speaks another version of the protocol than this program's, " +
             std::to_string(kProtocolVersion) + "; use the same version of Kumiko on both sides";
    case Refusal::kWrongSecret:
      return parent + " has a different secret than this process; give both the same secret";
    case Refusal::kOtherBuild:
      return parent + " runs another build of the program; copy one build to both sides";
    case Refusal::kFull:
      return parent +
             " already has its largest number of children; join one of its children instead, or "
             "raise TreeOptions::most_children there";
    case Refusal::kTimeout:
      return "the program that listens at " + address + " has not admitted this process within " +
             std::to_string(timeout.count()) +
             " ms; check that it is a Kumiko process that can be joined, and that it is not "
             "overloaded";
    case Refusal::kConnectionClosed:
      return "the program that listens at " + address +
             " closed the connection before it admitted this process: it is not a Kumiko process "
             "that can be joined, or it has too many connections now; check the port, or try again "
             "later";
    case Refusal::kLeft:
      return "this process has left before " + parent + " admitted it";
    case Refusal::kPushedOut:
    case Refusal::kNoResources:
      break;
  }
  return "no memory or descriptors are left for a connection to " + parent +
         ", here or there; end other processes, or raise the limits (ulimit -n)";
}

}  // namespace kumiko::search::detail::tree
