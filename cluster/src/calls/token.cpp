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

void TokenCore::pack(Writer& writer) {
  used();
  Packed token = packed();
  Packing<Packed>::pack(writer, token);
  writer.take_along(*this);
}

/// Tells the home where the token goes, so that it notices if that rank is lost, or this one while
/// the token is in transit.
void TokenCore::pass_on(int destination) {
  std::exchange(node_, nullptr)->answers().note_move(home_, ticket_, destination, moves_ + 1);
}

std::size_t send_tokens(Writer& writer, bool named) {
  for (TokenCore* const token : writer.tokens()) {
    TokenCore::Packed packed = token->packed();
    if (named) Packing<TokenCore::Packed>::pack(writer, packed);
    token->pass_on(writer.destination());
  }
  return writer.tokens().size();
}

TokenCore TokenCore::unpack(Reader& reader) {
  const auto token = Packing<Packed>::unpack(reader);
  reader.node().answers().note_arrival(token.home, token.ticket, token.moves);
  return {reader.node(), token.home, token.ticket, token.moves};
}

}  // namespace kumiko::cluster::detail
