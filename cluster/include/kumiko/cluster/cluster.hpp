// Invokes functions on other ranks: the processes that run one program together.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <kumiko/cluster/detail/function.hpp>
#include <kumiko/cluster/errors.hpp>
#include <kumiko/cluster/link.hpp>
#include <kumiko/cluster/packing.hpp>
#include <kumiko/runtime/detail/function_ref.hpp>
#include <kumiko/runtime/future.hpp>
#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>

namespace kumiko::cluster {

using runtime::Future;
using runtime::io::Limits;

class Here;

namespace detail {

struct Body;

/// The rank that a Here is of.
Node& node_of(const Here& here) noexcept;

/// The message is complete: its tokens go with it. Returns how many; names them at the message's
/// end if whoever gets it may drop it unread.
std::size_t send_tokens(Writer& writer, bool named);

/// What F returns to who invokes it, with or without a Here in front of the arguments.
template <class F, class... Arguments>
struct Returned {
  static_assert(std::is_invocable_v<const F&, Arguments...>,
                "the function cannot be called with these arguments, nor with (const Here&, "
                "arguments...)");
  using Type = std::invoke_result_t<const F&, Arguments...>;
};
template <class F, class... Arguments>
requires std::is_invocable_v<const F&, const Here&, Arguments...>
struct Returned<F, Arguments...> {
  using Type = std::invoke_result_t<const F&, const Here&, Arguments...>;
};
template <class F, class... Arguments>
using ReturnedBy = typename Returned<F, Arguments...>::Type;

/// What an answer to an invocation brings: bytes of a frame, or an exception.
struct Answer {
  Node* node = nullptr;
  std::shared_ptr<const Frame> frame;
  std::span<const std::byte> value;
  std::exception_ptr exception;
};

/// Writes the arguments of a call, once there is a credit for it.
using Packer = runtime::detail::FunctionRef<void(Writer&)>;

/// What names a call that waits, in a message and back. An answer that comes after the call was
/// given up finds another generation there.
struct Ticket {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};

/// An invocation whose answer is awaited.
class Pending {
 public:
  virtual ~Pending() = default;

  /// Called once, by any OS thread; destroys the object if that belongs to nobody else.
  virtual void finish(Answer answer) = 0;

  /// What threads wait at, as reports of deadlocks name it; nullptr if that is not known.
  virtual const void* waited_at() const noexcept { return nullptr; }
};

template <class R>
R unpack_answer(const Answer& answer) {
  if (answer.exception != nullptr) std::rethrow_exception(answer.exception);
  if constexpr (!std::is_void_v<R>) {
    Reader reader(answer.value, *answer.node);
    return Packing<R>::unpack(reader);
  }
}

/// Internal calls of inline functions.
struct Inline {
  static Answer call(const Here& here, int rank, const Function& function, Packer pack);
  static void call_later(const Here& here, int rank, const Function& function, Packer pack,
                         std::unique_ptr<Pending> pending);
  static void write(const Here& here, int rank, const Function& function, Packer pack, Body& body,
                    std::unique_ptr<Pending> written);
};

/// A collective operation, by which ranks see that they ask for the same; where the parts come
/// together, and whether all ranks get them.
enum Operation : std::uint32_t { kGather, kAllGather, kMax, kMin, kBroadcast, kBarrier };
struct Collection {
  Operation operation{};
  int root = 0;
  std::uint32_t type = 0;  ///< of the values, as a hash

  friend bool operator==(const Collection&, const Collection&) = default;
};
template <class T>
std::uint32_t type_hash() noexcept {
  return static_cast<std::uint32_t>(typeid(T).hash_code());
}

/// Hands the answer to a Future.
template <class R>
class PendingFuture final : public Pending {
 public:
  Future<R> future() { return promise_.get_future(); }

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

namespace detail {

/// Arguments as the bytes that Packing would make of them, for those that it copies as they are.
template <class... Arguments>
class PackedItem {
 public:
  explicit PackedItem(const Arguments&... arguments) noexcept {
    std::size_t at = 0;
    [[maybe_unused]] const auto append = [&]<class T>(const T& argument) {
      at = Writer::aligned(at, alignof(T));
      std::memcpy(bytes_.data() + at, &argument, sizeof argument);
      at += sizeof argument;
    };
    (append(arguments), ...);
  }

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  /// So that items follow each other as they are aligned; something where there is no argument.
  static constexpr std::size_t size() noexcept {
    std::size_t at = 0;
    std::size_t alignment = 1;
    [[maybe_unused]] const auto count = [&](std::size_t size, std::size_t aligned) {
      at = Writer::aligned(at, aligned) + size;
      alignment = alignment < aligned ? aligned : alignment;
    };
    (count(sizeof(Arguments), alignof(Arguments)), ...);
    return at == 0 ? 1 : Writer::aligned(at, alignment);
  }

  std::array<std::byte, size()> bytes_{};
};

}  // namespace detail

/// How an inline function is asked for: see Here::invoke_inline().
template <class F, class... Arguments>
concept InlineFunction = std::is_nothrow_invocable_v<const F&, Arguments...> &&
    !std::is_invocable_v<const F&, const Here&, Arguments...>;

/// Where a function runs: its rank, and by whom it was invoked. By it the function reaches the
/// other ranks. A value that may be copied, also to threads that the function spawns; the Cluster
/// outlives it.
///
/// *What can be invoked.* An object without state, as a lambda without captures, of a type that all
/// ranks know, since they run the same program. It is called there with the arguments, or with
/// (const Here&, arguments...) if it takes that, as a lightweight thread of its own that may do
/// everything: wait, spawn, invoke, also back. Arguments and results are copied by Packing; a
/// std::span or std::string_view among the arguments lives as long as the call. A rank may invoke
/// on itself: then nothing is packed.
///
/// *No deadlock, bounded memory.* Each rank may have Options::window calls under way at each other
/// rank, for each *depth*: what is invoked through a Cluster has depth 0, what a function of depth
/// d invokes through its Here has depth d + 1. Who has no such credit suspends, and the messages
/// that come are received all the same. The credit returns with the answer. So calls of depth d
/// wait for calls of depth d + 1 only, and those of the greatest depth for nothing: each ends. A
/// rank holds at most window × ranks × depths threads for others. Room for the answer is the
/// caller's, which waits for it. Functions that wait for something else than for what they invoke
/// (for a token, for a later call) could keep all credits: a rank on which nothing moves for a
/// millisecond gives them back early, so that more calls come; memory is not bounded then. Below
/// depth 255 a credit returns when the function begins, for such a chain is a ring of posts rather
/// than a nest. tests/cluster/credits_model_test.cpp tries all orders.
class Here {
 public:
  int rank() const noexcept;
  /// How many ranks there are, lost ones included.
  int size() const noexcept;
  /// The rank that has invoked this function; this rank if nobody else has.
  int caller() const noexcept { return caller_; }
  bool is_lost(int rank) const;
  /// Whether a rank leaves, as Cluster::leave() has told: it serves calls until all have left, and
  /// asks for nothing any more.
  bool is_leaving(int rank) const;

  /// The same place, for calls that give up at a limit: they throw std::system_error, with
  /// std::errc::timed_out or std::errc::operation_canceled. The function runs on there.
  Here within(Limits limits) const {
    Here limited = *this;
    limited.limits_ = std::move(limits);
    return limited;
  }

  /// Runs function(arguments...) on `rank` and waits for what it returns, on the own rank without
  /// limits. Suspends a lightweight caller, blocks an OS thread.
  /// \throws RemoteError if an exception has escaped the function there, RankLost,
  /// std::system_error if a limit was reached, std::out_of_range if there is no such rank; what the
  /// function throws where it runs here.
  template <class F, class... Arguments>
  auto invoke(int rank, F function, Arguments... arguments) const
      -> detail::ReturnedBy<F, Arguments...>;

  /// The same, without waiting: the Future gets the result or the exception. May suspend for a
  /// credit. Limits hold for that only.
  template <class F, class... Arguments>
  auto async(int rank, F function, Arguments... arguments) const
      -> Future<detail::ReturnedBy<F, Arguments...>>;

  /// Runs function(arguments...) on `rank` some time; nobody learns when, but quiesce(). What
  /// escapes the function ends that rank's program. May suspend for a credit, or for the worker to
  /// send what many posts have filled.
  /// \throws RankLost, std::system_error, std::out_of_range as invoke() does
  template <class F, class... Arguments>
  void post(int rank, F function, Arguments... arguments) const;

  /// As invoke(), but the function runs in the poller of the other rank, between two threads there:
  /// sooner, and without a thread. So it must be short, cannot throw, and has no Here, by which it
  /// could wait for others.
  template <class F, class... Arguments>
  requires InlineFunction<F, Arguments...>
  auto invoke_inline(int rank, F function, Arguments... arguments) const
      -> detail::ReturnedBy<F, Arguments...>;

  /// As post(), but the function runs as that of invoke_inline() does; on the own rank at once.
  /// For many small items: those of one function to one rank that follow each other travel without
  /// headers of their own, and without a credit each, where Packing copies the arguments by bytes.
  template <class F, class... Arguments>
  requires InlineFunction<F, Arguments...>
  void post_inline(int rank, F function, Arguments... arguments) const;

  /// Waits until every post of every rank has been run, and those that they have posted. For any
  /// rank at any time, but not in a function that was posted, which would wait for itself.
  /// Suspends. \throws RankLost if a rank is lost: nobody knows of its posts.
  void quiesce() const;

 private:
  friend class Cluster;
  friend class detail::Node;
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

  /// What other ranks call of F.
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
  runtime::Runtime& runtime() const noexcept;

  /// Keeps the rank's node for a thread that nobody waits for.
  std::shared_ptr<const void> kept_node() const;

  /// The same rank, as a function sees it that it has invoked itself.
  Here below() const noexcept { return {*node_, rank(), depth_ + 1}; }

  detail::Answer call(int rank, Way way, const detail::Function& function,
                      detail::Packer pack) const;
  void call_later(int rank, Way way, const detail::Function& function, detail::Packer pack,
                  std::unique_ptr<detail::Pending> pending) const;
  void send_post(int rank, Way way, const detail::Function& function, detail::Packer pack) const;

  /// Posts inline, unless the rank is the own one. Returns whether it is not.
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

/// What the messages of a rank have cost so far.
struct ClusterStatistics {
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t frames_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t credit_waits = 0;   ///< calls that had to wait for a credit
  std::uint64_t polls = 0;          ///< looks for messages, in vain too
  std::uint64_t credits_early = 0;  ///< given back before a function had ended
};

struct ClusterOptions {
  /// How many calls of one depth a rank may have under way at another rank; at least 1.
  int window = 256;
  /// Messages to one rank are sent together as long as they have at most so many bytes, which MPIs
  /// send without asking the receiver first, and until
  std::size_t bundle_bytes = 4032;
  /// so long has passed, or the worker has nothing else to do.
  std::chrono::nanoseconds bundle_time = std::chrono::microseconds(2);
  /// How long leave() waits for the others before it takes them for lost.
  std::chrono::milliseconds patience = std::chrono::seconds(30);
  /// stderr is told of a rank of which something is awaited and from which nothing has come for so
  /// long, though its poller was asked. More than 0.
  std::chrono::milliseconds warn_after = std::chrono::seconds(5);
  /// After so long it is lost, for all ranks; at least warn_after. A rank that begins later than
  /// others by more than this, or that is stopped for longer, wants more. A process of the same
  /// machine that has ended is lost as soon as that is seen, one that a debugger holds is not.
  std::chrono::milliseconds lost_after = std::chrono::seconds(60);
  /// Whether stderr is told when the threads of all ranks wait for each other: what each of them
  /// waits for, rank by rank, once. After runtime::Options::deadlock_report_after, 0 for never; not
  /// once a rank is lost. The ranks go on waiting, as without. Alike on all ranks.
  bool report_deadlocks = true;
};

/// One rank's membership in a cluster: serves what the others invoke here from its making until it
/// leaves. It belongs to one Runtime, whose workers poll for messages.
///
/// Cost with one rank: nothing is attached to the Runtime.
class Cluster {
 public:
  /// A cluster of one rank.
  explicit Cluster(runtime::Runtime& runtime, ClusterOptions options = {});

  /// Joins by a link.
  /// \throws std::invalid_argument for options without sense, std::logic_error if two functions
  /// that are invoked have one name, std::system_error if the system refuses descriptors.
  Cluster(runtime::Runtime& runtime, std::unique_ptr<Link> link, ClusterOptions options = {});

  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Leaves; if an exception passes by, without waiting for others, who are told why.
  ~Cluster();

  int rank() const noexcept { return here().rank(); }
  int size() const noexcept { return here().size(); }

  /// This rank, for calls that are nobody's answer.
  Here here() const noexcept;

  /// Waits until all ranks want to leave or are lost. Before it says that this one does, its calls
  /// have been answered, but those that were given up, and all posts are done, unless a rank is
  /// lost. All ranks are to call it; its Here is not to be used afterwards. Suspends, or blocks an
  /// OS thread.
  void leave();

  /// Leaves at once: the other ranks get RankLost with this reason.
  void abandon(std::string_view reason);

  ClusterStatistics statistics() const;

 private:
  std::shared_ptr<detail::Node> node_;
  const int exceptions_ = std::uncaught_exceptions();  ///< when it was made
};

// --- Templates ---

namespace detail {

/// Arguments that outlive the call that got them: views become views of a copy.
template <class... Arguments>
class KeptArguments {
 public:
  explicit KeptArguments(const Here& here, Arguments&... arguments)
      : node_(&node_of(here)), kept_(keep(here.rank(), arguments...)) {}

  /// Calls function(arguments...), which may move from them.
  template <class Function>
  decltype(auto) apply(Function function) {
    if constexpr (kHasViews) {
      Reader reader(kept_, *node_);
      auto arguments = Packing<std::tuple<Arguments...>>::unpack(reader);
      return std::apply(function, std::move(arguments));
    } else {
      return std::apply(function, std::move(kept_));
    }
  }

 private:
  static constexpr bool kHasViews = (kIsView<Arguments> || ...);
  using Kept = std::conditional_t<kHasViews, Frame, std::tuple<Arguments...>>;

  static Kept keep(int rank, Arguments&... arguments) {
    if constexpr (kHasViews) {
      Frame frame;
      Writer writer(frame, rank);
      (Packing<Arguments>::pack(writer, arguments), ...);
      send_tokens(writer, false);
      return frame;
    } else {
      return Kept(std::move(arguments)...);
    }
  }

  Node* node_;
  Kept kept_;
};

}  // namespace detail

template <class F, class Result, class... Arguments>
Future<Result> Here::begin_own(Arguments&... arguments) const {
  runtime::Promise<Result> promise;
  Future<Result> future = promise.get_future();
  runtime().submit([here = below(), node = kept_node(), promise = std::move(promise),
                    kept = detail::KeptArguments<Arguments...>(*this, arguments...)]() mutable {
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
  // An OS thread has no threads to join.
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
    runtime().submit([here = below(), node = kept_node(),
                      kept = detail::KeptArguments<Arguments...>(*this, arguments...)]() mutable {
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
