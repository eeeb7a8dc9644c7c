#include <kumiko/cluster/token.hpp>

#include "node.hpp"

namespace kumiko::cluster::detail {

namespace {

/// What of a token is in a message.
struct Travelling {
  int home;
  std::uint32_t moves;
  Ticket ticket;
};

}  // namespace

Ticket add_entry(Node& node, Pending& entry) { return node.add_entry(entry); }
bool take_entry(Node& node, Ticket ticket) { return node.take_entry(ticket); }

TokenCore& TokenCore::operator=(TokenCore&& other) noexcept {
  if (this == &other) return *this;
  drop();
  node_ = std::exchange(other.node_, nullptr);
  home_ = other.home_;
  ticket_ = other.ticket_;
  moves_ = other.moves_;
  return *this;
}

Node& TokenCore::used() {
  if (node_ == nullptr) throw std::logic_error("RemoteToken: used already, or moved from");
  return *node_;
}

void TokenCore::assign(Packer pack) {
  used().assign(home_, ticket_, pack);
  node_ = nullptr;
}

void TokenCore::fail(std::string_view what) {
  used().assign_failure(home_, ticket_, "kumiko::cluster::RemoteToken", what);
  node_ = nullptr;
}

void TokenCore::drop() noexcept {
  if (node_ != nullptr) fail("the token was destroyed without sending a value");
}

/// The home learns where the token goes, so that it notices if that rank is lost.
void TokenCore::depart(Writer& writer) {
  Node& node = used();
  Travelling travelling{home_, moves_ + 1, ticket_};
  Packing<Travelling>::pack(writer, travelling);
  node.note_move(home_, ticket_, writer.destination(), moves_ + 1);
  node_ = nullptr;
}

TokenCore TokenCore::arrive(Reader& reader) {
  const auto travelling = Packing<Travelling>::unpack(reader);
  return {reader.node(), travelling.home, travelling.ticket, travelling.moves};
}

}  // namespace kumiko::cluster::detail
