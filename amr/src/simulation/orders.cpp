#include "simulation/orders.hpp"

namespace kumiko::amr {

Order Orders::next() {
  const Order order = collect<Order>(communicator_, {}).front().value;
  if (order.call == Order::Call::kEnd && failed_) std::rethrow_exception(failed_);
  return order;
}

void Orders::keep_failure() {
  if (!has_gone_back_) throw;
  failed_ = std::current_exception();
}

void Orders::end() noexcept {
  if (communicator_.size() == 1 || communicator_.rank() != 0 || (failed_ && !has_gone_back_))
    return;
  try {
    collect<Order>(communicator_, {{{}, 0, Order{}}});
  } catch (const std::exception&) {
    // A rank that is lost needs no order; the others learn of it as this one has.
  }
}

}  // namespace kumiko::amr
