// Invokes functions on other ranks: the processes that run one program together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <kumiko/cluster/detail/answer.hpp>
#include <kumiko/cluster/detail/arguments.hpp>
#include <kumiko/cluster/detail/function.hpp>
#include <kumiko/cluster/errors.hpp>
#include <kumiko/cluster/packing.hpp>
#include <kumiko/runtime/future.hpp>
#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>

namespace kumiko::cluster {

using runtime::Future;
using runtime::io::Limits;

namespace detail {

struct Body;

/// Internal calls of inline functions, given as a Function.
struct Inline {
  /// As Here::invoke_inline().
  static Answer call(const Here& here, int rank, const Function& function, Packer pack);
  /// As call(), but does not wait: `pending` gets the answer.
  static void call_later(const Here& here, int rank, const Function& function, Packer pack,
                         std::unique_ptr<Pending> pending);
  /// As call_later(), with a body.
  static void write(const Here& here, int rank, const Function& function, Packer pack, Body& body,
                    std::unique_ptr<Pending> written);
};

}  // namespace detail

/// A function that can be called inline: see Here::invoke_inline().
template <class F, class... Arguments>
concept InlineFunction = std::is_nothrow_invocable_v<const F&, Arguments...> &&
    !std::is_invocable_v<const F&, const Here&, Arguments...>;

/// The place where a function runs: its rank, and the rank that invoked it. The function uses it to
/// reach other ranks. It is a value that may be copied, also to threads that the function spawns.
/// The Cluster must outlive it.
///
/// *What can be invoked.* An object without state, such as a lambda without captures, of a type
/// that all ranks know because they run the same program. It is called there with the arguments, or
/// with (const Here&, arguments...) if it accepts that, in its own lightweight thread. It may wait,
/// spawn threads and invoke functions, also on the invoking rank. Arguments and results are copied
/// by Packing; a std::span or std::string_view among the arguments is valid during the call. If a
/// rank invokes a function on itself, nothing is packed.
///
/// *No deadlock, bounded memory.* Each rank may have ClusterOptions::window calls in progress at
/// each other rank, for each *depth*. A call through a Cluster has depth 0, and a call that a
/// function of depth d makes through its Here has depth d + 1. A caller without a credit suspends,
/// but its rank continues to receive messages. The credit returns with the answer. So calls of
/// depth d wait only for calls of depth d + 1, and those of the greatest depth for none; so every
/// call ends. A rank holds at most window × ranks × depths threads for others. The waiting caller
/// has the memory for the answer. Functions that wait for something other than their own calls (for
/// a token, for a later call) could keep all credits. Therefore a rank without progress for a
/// millisecond returns credits early, so that more calls arrive; memory is not bounded then. At
/// depth 255 and beyond, a credit returns when the function begins, because such a chain is a ring
/// of posts rather than nested calls. tests/cluster/credits_model_test.cpp tries all orders.
class Here {
 public:
  /// The number of this rank, from 0.
  int rank() const noexcept;
  /// The number of ranks, lost ones included.
  int size() const noexcept;
  /// The rank that has invoked this function; this rank if it was not invoked by another one.
  int caller() const noexcept { return caller_; }
  /// True if this rank cannot reach the other one any more.
  bool is_lost(int rank) const;
  /// True if a rank has announced by Cluster::leave() that it leaves. It then serves calls until
  /// all ranks have left, but makes no more calls.
  bool is_leaving(int rank) const;

  /// The same place, for calls with limits. When a limit is reached, they throw std::system_error
  /// with std::errc::timed_out or std::errc::operation_canceled. The function continues to run on
  /// the other rank.
  Here within(Limits limits) const {
    Here limited = *this;
    limited.limits_ = std::move(limits);
    return limited;
  }

  /// Runs function(arguments...) on `rank` and waits for its result. Limits have no effect on the
  /// own rank. Suspends a lightweight caller, blocks an OS thread.
  /// \throws RemoteError if an exception has escaped the function there, RankLost,
  /// std::system_error if a limit was reached, std::out_of_range if there is no such rank. If it
  /// runs on this rank, what the function throws.
  template <class F, class... Arguments>
  auto invoke(int rank, F function, Arguments... arguments) const
      -> detail::ReturnedBy<F, Arguments...>;

  /// As invoke(), without waiting: the Future gets the result or the exception. May suspend until
  /// there is a credit; limits apply only to this wait.
  template <class F, class... Arguments>
  auto async(int rank, F function, Arguments... arguments) const
      -> Future<detail::ReturnedBy<F, Arguments...>>;

  /// Runs function(arguments...) on `rank` at some time, without an answer; only quiesce() waits
  /// for it. An exception that escapes the function ends that rank's program. May suspend until
  /// there is a credit, or until the worker has sent a buffer that posts have filled.
  /// \throws RankLost, std::system_error, std::out_of_range as invoke() does
  template <class F, class... Arguments>
  void post(int rank, F function, Arguments... arguments) const;

  /// As invoke(), but the function runs in the poller of the other rank, between two threads there,
  /// so it runs sooner and without a thread of its own. It must be short, must not throw, and has
  /// no Here with which it could wait for other ranks.
  template <class F, class... Arguments>
  requires InlineFunction<F, Arguments...>
  auto invoke_inline(int rank, F function, Arguments... arguments) const
      -> detail::ReturnedBy<F, Arguments...>;

  /// As post(), but the function runs like that of invoke_inline(); on the own rank it runs
  /// immediately. For many small items: consecutive posts of one function to one rank share a
  /// header and a credit, if Packing copies the arguments as bytes.
  template <class F, class... Arguments>
  requires InlineFunction<F, Arguments...>
  void post_inline(int rank, F function, Arguments... arguments) const;

  /// Waits until every post of every rank has run, and all posts that these have made. Any rank may
  /// call it at any time, but not in a posted function, which would wait for itself. Suspends.
  /// \throws RankLost if a rank is lost, because the state of its posts is not known.
  void quiesce() const;

  /// The Runtime on which this rank's functions run.
  runtime::Runtime& runtime() const noexcept;

  /// True if both stand for the same rank of the same cluster, whatever their callers and limits.
  friend bool operator==(const Here& a, const Here& b) noexcept { return a.node_ == b.node_; }

 private:
  friend class Cluster;
  friend struct detail::Inline;
  friend detail::Node& detail::node_of(const Here& here) noexcept;

  enum class Way : std::uint8_t { kThread, kInline };

  Here(detail::Node& node, int caller, unsigned depth) noexcept
      : node_(&node), caller_(caller), depth_(depth) {}

  template <class F, class... Arguments>
  static decltype(auto) call_with(const Here& here, Arguments&&... arguments) {
    static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>,
                  "a function that is invoked elsewhere has no state: use a lambda without "
                  "captures, and hand over as arguments what it needs");
    if constexpr (std::is_invocable_v<const F&, const Here&, Arguments...>) {
      return F()(here, std::forward<Arguments>(arguments)...);
    } else {
      return F()(std::forward<Arguments>(arguments)...);
    }
  }

  /// The function of F that other ranks call.
  template <class F, class... Arguments>
  struct Callee {
    static std::size_t run(const detail::Call& call, Frame* result) {
      using Result = detail::ReturnedBy<F, Arguments...>;
      static_assert(!detail::kIsView<Result>,
                    "a function that other ranks invoke cannot return a view; return a value");
      Reader reader(call.arguments, call.node);
      auto arguments = Packing<std::tuple<Arguments...>>::unpack(reader);
      const Here here(call.node, call.caller, call.depth + 1);
      const auto apply = [&]() -> Result {
        const auto with = [&](Arguments... argument) -> Result {
          return call_with<F>(here, std::move(argument)...);
        };
        return std::apply(with, std::move(arguments));
      };
      if constexpr (std::is_void_v<Result>) {
        apply();
        return 0;
      } else {
        Result value = apply();
        if (result == nullptr) return 0;
        Writer writer(*result, call.caller);
        Packing<Result>::pack(writer, value);
        return detail::send_tokens(writer, true);
      }
    }
    static inline const detail::Function kFunction{typeid(Callee).name(), &Callee::run};
  };

  bool is_own(int rank) const;

  /// Keeps the rank's node alive for a thread that is not waited for.
  std::shared_ptr<const void> kept_node() const;

  /// The Here of a function that this rank invokes on itself.
  Here below() const noexcept { return {*node_, rank(), depth_ + 1}; }

  detail::Answer call(int rank, Way way, const detail::Function& function,
                      detail::Packer pack) const;
  void call_later(int rank, Way way, const detail::Function& function, detail::Packer pack,
                  std::unique_ptr<detail::Pending> pending) const;
  void send_post(int rank, Way way, const detail::Function& function, detail::Packer pack) const;

  /// Posts inline if `rank` is another rank. Returns true if it has posted.
  bool send_item(int rank, const detail::Function& function, std::span<const std::byte> item) const;

  /// Counts a post to this rank as begun, and as done.
  void count_own_post() const noexcept;
  static void count_own_end(detail::Node& node) noexcept;

  template <class F, class Result, class... Arguments>
  Future<Result> begin_own(Arguments&... arguments) const;

  detail::Node* node_;
  int caller_;
  unsigned depth_;
  Limits limits_;
};

template <class F, class Result, class... Arguments>
Future<Result> Here::begin_own(Arguments&... arguments) const {
  runtime::Promise<Result> promise;
  Future<Result> future = promise.get_future();
  runtime().submit(
      [here = below(), node = kept_node(), promise = std::move(promise),
       kept = detail::KeptArguments<Arguments...>(*node_, Here::rank(), arguments...)]() mutable {
        const auto call = [&](Arguments... argument) -> Result {
          return call_with<F>(here, std::move(argument)...);
        };
        try {
          if constexpr (std::is_void_v<Result>) {
            kept.apply(call);
            promise.set_value();
          } else {
            promise.set_value(kept.apply(call));
          }
        } catch (...) {
          promise.set_exception(std::current_exception());
        }
      });
  return future;
}

template <class F, class... Arguments>
auto Here::invoke(int rank, F /*function*/, Arguments... arguments) const
    -> detail::ReturnedBy<F, Arguments...> {
  using Result = detail::ReturnedBy<F, Arguments...>;
  if (!is_own(rank)) {
    const auto pack = [&](Writer& writer) { (Packing<Arguments>::pack(writer, arguments), ...); };
    return detail::unpack_answer<Result>(
        call(rank, Way::kThread, Callee<F, Arguments...>::kFunction, pack));
  }
  // An OS thread cannot join a lightweight thread.
  if (runtime::this_thread::worker_index() < 0) {
    return begin_own<F, Result, Arguments...>(arguments...).get();
  }
  const Here here = below();
  if constexpr (std::is_void_v<Result>) {
    runtime::Thread([&] { call_with<F>(here, std::move(arguments)...); }).join();
  } else {
    std::optional<Result> result;
    runtime::Thread([&] { result.emplace(call_with<F>(here, std::move(arguments)...)); }).join();
    return std::move(*result);
  }
}

template <class F, class... Arguments>
auto Here::async(int rank, F /*function*/, Arguments... arguments) const
    -> Future<detail::ReturnedBy<F, Arguments...>> {
  using Result = detail::ReturnedBy<F, Arguments...>;
  if (is_own(rank)) return begin_own<F, Result, Arguments...>(arguments...);
  auto pending = std::make_unique<detail::PendingFuture<Result>>();
  Future<Result> future = pending->future();
  const auto pack = [&](Writer& writer) { (Packing<Arguments>::pack(writer, arguments), ...); };
  call_later(rank, Way::kThread, Callee<F, Arguments...>::kFunction, pack, std::move(pending));
  return future;
}

template <class F, class... Arguments>
void Here::post(int rank, F /*function*/, Arguments... arguments) const {
  if (!is_own(rank)) {
    const auto pack = [&](Writer& writer) { (Packing<Arguments>::pack(writer, arguments), ...); };
    send_post(rank, Way::kThread, Callee<F, Arguments...>::kFunction, pack);
    return;
  }
  count_own_post();
  try {
    runtime().submit(
        [here = below(), node = kept_node(),
         kept = detail::KeptArguments<Arguments...>(*node_, Here::rank(), arguments...)]() mutable {
          kept.apply([&](Arguments... argument) { call_with<F>(here, std::move(argument)...); });
          count_own_end(*here.node_);
        });
  } catch (...) {
    count_own_end(*node_);
    throw;
  }
}

template <class F, class... Arguments>
requires InlineFunction<F, Arguments...>
void Here::post_inline(int rank, F /*function*/, Arguments... arguments) const {
  const detail::Function& callee = Callee<F, Arguments...>::kFunction;
  if constexpr ((detail::kByBytes<Arguments> && ...)) {
    const detail::PackedItem<Arguments...> item(arguments...);
    if (send_item(rank, callee, item.bytes())) return;
  } else if (!is_own(rank)) {
    const auto pack = [&](Writer& writer) { (Packing<Arguments>::pack(writer, arguments), ...); };
    return send_post(rank, Way::kInline, callee, pack);
  }
  call_with<F>(*this, std::move(arguments)...);
}

template <class F, class... Arguments>
requires InlineFunction<F, Arguments...>
auto Here::invoke_inline(int rank, F /*function*/, Arguments... arguments) const
    -> detail::ReturnedBy<F, Arguments...> {
  using Result = detail::ReturnedBy<F, Arguments...>;
  if (is_own(rank)) return call_with<F>(*this, std::move(arguments)...);
  const auto pack = [&](Writer& writer) { (Packing<Arguments>::pack(writer, arguments), ...); };
  return detail::unpack_answer<Result>(
      call(rank, Way::kInline, Callee<F, Arguments...>::kFunction, pack));
}

}  // namespace kumiko::cluster
