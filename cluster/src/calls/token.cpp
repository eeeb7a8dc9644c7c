#include <kumiko/cluster/token.hpp>

#include "calls/node.hpp"

namespace kumiko::cluster::detail {

Ticket add_entry(Node& node, Pending& entry) { return node.answers().add_entry(entry); }
bool take_entry(Node& node, Ticket ticket) { return node.answers().take_entry(ticket); }

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
  used().answers().assign(home_, ticket_, pack);
  node_ = nullptr;
}

void TokenCore::fail(std::string_view what) {
  used().answers().assign_failure(home_, ticket_, "kumiko::cluster::RemoteToken", what);
  node_ = nullptr;
}

void TokenCore::drop() noexcept {
  if (node_ != nullptr) fail("the token was destroyed without sending a value");
}

void TokenCore::depart(Writer& writer) {
  used();
  Travelling travelling = this->travelling();
  Packing<Travelling>::pack(writer, travelling);
  writer.take_along(*this);
}

/// The home learns where the token goes, so that it notices if that rank is lost, or this one
/// while the token is on its way.
void TokenCore::leave(int destination) {
  std::exchange(node_, nullptr)->answers().note_move(home_, ticket_, destination, moves_ + 1);
}

std::size_t send_tokens(Writer& writer, bool named) {
  for (TokenCore* const token : writer.tokens()) {
    TokenCore::Travelling travelling = token->travelling();
    if (named) Packing<TokenCore::Travelling>::pack(writer, travelling);
    token->leave(writer.destination());
  }
  return writer.tokens().size();
}

TokenCore TokenCore::arrive(Reader& reader) {
  const auto travelling = Packing<Travelling>::unpack(reader);
  reader.node().answers().note_arrival(travelling.home, travelling.ticket, travelling.moves);
  return {reader.node(), travelling.home, travelling.ticket, travelling.moves};
}

}  // namespace kumiko::cluster::detail
