#include "simulation/orders.hpp"

namespace kumiko::amr {

Order Orders::next() {
  const Order order = collect<Order>(owner_, {}).front().value;
  if (order.call == Order::Call::kEnd && failed_) std::rethrow_exception(failed_);
  return order;
}

void Orders::keep_failure() {
  if (!has_gone_back_) throw;
  failed_ = std::current_exception();
}

void Orders::end() noexcept {
  if (owner_.count() == 1 || owner_.number() != 0 || (failed_ && !has_gone_back_)) return;
  try {
    collect<Order>(owner_, {{{}, 0, Order{}}});
  } catch (const std::exception&) {
    // An owner that is lost needs no order; the others learn of it as this one has.
  }
}

}  // namespace kumiko::amr
