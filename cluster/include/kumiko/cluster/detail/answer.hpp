// Answers to calls at other ranks, and the objects that wait for them.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <kumiko/cluster/link.hpp>
#include <kumiko/cluster/packing.hpp>
#include <kumiko/runtime/function_ref.hpp>
#include <kumiko/runtime/future.hpp>

namespace kumiko::cluster {

class Here;

namespace detail {

/// The rank that a Here is of.
Node& node_of(const Here& here) noexcept;

/// Completes a message and passes on its tokens. Returns their number. Lists them at the end of the
/// message if the receiver may drop it unread (`named`).
std::size_t send_tokens(Writer& writer, bool named);

/// The content of an answer to an invocation: bytes of a frame, or an exception.
struct Answer {
  Node* node = nullptr;
  std::shared_ptr<const Frame> frame;
  std::span<const std::byte> value;
  std::exception_ptr exception;
};

/// An answer that is an exception; one without a value if `exception` is null.
inline Answer failure(std::exception_ptr exception) {
  return {nullptr, nullptr, {}, std::move(exception)};
}

/// Writes the arguments of a call. Called once there is a credit for the call.
using Packer = runtime::FunctionRef<void(Writer&)>;

/// Identifies a waiting call in a message and its answer. If an answer arrives after the call was
/// given up, the generation differs.
struct Ticket {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};

/// An invocation whose answer is awaited.
class Pending {
 public:
  virtual ~Pending() = default;

  /// Called once, by any OS thread; destroys the object if it has no other owner.
  virtual void finish(Answer answer) = 0;

  /// The object at which threads wait, for reports of deadlocks; nullptr if it is not known.
  virtual const void* waited_at() const noexcept { return nullptr; }
};

/// The result in an answer. \throws the exception in it
template <class R>
R unpack_answer(const Answer& answer) {
  if (answer.exception != nullptr) std::rethrow_exception(answer.exception);
  if constexpr (!std::is_void_v<R>) {
    Reader reader(answer.value, *answer.node);
    return Packing<R>::unpack(reader);
  }
}

/// A call whose answer goes to a Future.
template <class R>
class PendingFuture final : public Pending {
 public:
  /// To be called once.
  runtime::Future<R> future() { return promise_.get_future(); }

  void finish(Answer answer) override {
    const std::unique_ptr<PendingFuture> self(this);
    try {
      if constexpr (std::is_void_v<R>) {
        unpack_answer<R>(answer);
        promise_.set_value();
      } else {
        promise_.set_value(unpack_answer<R>(answer));
      }
    } catch (...) {
      promise_.set_exception(std::current_exception());
    }
  }

 private:
  runtime::Promise<R> promise_;
};

}  // namespace detail

}  // namespace kumiko::cluster
