#include "node.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <typeinfo>
#include <utility>

#include <kumiko/cluster/token.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "readable_name.hpp"
#include "waiting.hpp"

namespace kumiko::cluster::detail {

namespace {

/// From this depth on a credit returns when a function begins: see Here.
constexpr unsigned kDeepest = 255;

/// Between two looks at posts that are under way.
constexpr std::chrono::microseconds kFirstQuiesce{20};
constexpr std::chrono::microseconds kLongestQuiesce{1000};

/// A link that has nothing to sleep on is polled again after the time that nothing has come or gone
/// for, so twice as late each time, within these limits. The longer one also is how late a message
/// may be seen by a rank that has nothing to do; with it such a rank takes some 4 % of a core where
/// a timer costs 40 us. The third one holds while frames are on their way that go on by polls only.
constexpr std::chrono::microseconds kShortestPause{20};
constexpr std::chrono::microseconds kLongestPause{1000};
constexpr std::chrono::microseconds kLongestPauseOfTransfers{50};

/// How long a rank that ends at once tries to tell the others.
constexpr std::chrono::milliseconds kLastWords{1000};

/// From one look at the time for silent ranks to the next, unless a worker is about to sleep.
constexpr int kPollsPerLook = 256;

/// How long memory that a lost rank may still write to is waited for.
constexpr std::chrono::seconds kLongestOrphan{5};

/// The rank on which the parts of collective operations come together.
constexpr int kMeetingPlace = 0;

constexpr std::uint64_t kPostsDone = 0;
constexpr std::uint64_t kPostsSent = 1;

/// A call whose caller waits for it.
struct WaitingCall final : Pending {
  explicit WaitingCall(PendingCalls& all) : calls(all) {}

  PendingCalls& calls;
  Ticket ticket{};
  runtime::Entry<Answer> entry{};
  runtime::Token<Answer> token = entry.token();

  void finish(Answer answer) override { token.send(std::move(answer)); }
  const void* waited_at() const noexcept override { return &entry; }
  bool take_back() { return calls.take(ticket) != nullptr; }
  void fail(std::exception_ptr exception) { finish({nullptr, nullptr, {}, std::move(exception)}); }
};

/// A function as who wrote it knows it.
std::string name_of_function(const Function& function) {
  std::string name = readable_name(function.name());
  constexpr std::string_view kCallee = "kumiko::cluster::Here::Callee<";
  if (name.starts_with(kCallee))
    name = name.substr(kCallee.size(), name.size() - kCallee.size() - 1);
  return name;
}

bool asks_for_function(Kind kind) noexcept {
  return kind == Kind::kInvoke || kind == Kind::kInline || kind == Kind::kPost;
}

Frame failure_of(std::string_view type, std::string_view what) {
  Frame frame = empty_message();
  Writer writer(frame, 0);
  for (std::string_view text : {type, what}) Packing<std::string_view>::pack(writer, text);
  return frame;
}

/// How a process introduces itself: see Process.
using Introduction = std::tuple<std::string, std::uint64_t, std::uint64_t, std::int32_t>;

/// "the answer of rank 1 to f (0x...)", for people.
std::string what_is_pending(const Pending& call, int rank, const Function* function) {
  std::array<char, 32> place{};
  if (call.waited_at() != nullptr) {
    std::snprintf(place.data(), place.size(), " (%p)", call.waited_at());
  }
  const std::string whom = "rank " + std::to_string(rank);
  if (function == nullptr) return "an entry whose token is on " + whom + place.data();
  return "the answer of " + whom + " to " + name_of_function(*function) + place.data();
}

Process unpacked_process(std::span<const std::byte> payload, Node& node) {
  Reader reader(payload, node);
  auto [host, machine, start, id] = Packing<Introduction>::unpack(reader);
  return {std::move(host), machine, start, id};
}

const ClusterOptions& checked(const ClusterOptions& options) {
  if (options.window < 1) {
    throw std::invalid_argument("Cluster: a window of " + std::to_string(options.window) +
                                " calls; give at least 1");
  }
  return options;
}

}  // namespace

Node::Node(runtime::Runtime& runtime, const ClusterOptions& options)
    : Node(runtime, nullptr, options) {}

Node::Node(runtime::Runtime& runtime, std::unique_ptr<Link> link, const ClusterOptions& options)
    : runtime_(runtime),
      link_(std::move(link)),
      options_(checked(options)),
      program_(number_functions()),
      rank_(link_ == nullptr ? 0 : link_->rank()),
      size_(link_ == nullptr ? 1 : link_->size()),
      silence_(size_, {options.warn_after, options.lost_after}),
      deadlock_(rank_, size_,
                options.report_deadlocks ? runtime.deadlock_report_after()
                                         : std::chrono::milliseconds(0)),
      bell_(link_ == nullptr ? -1 : link_->pollable()) {
  if (size_ > 1) process_ = own_process();
  for (int i = 0; i < size_; ++i) peers_.push_back(std::make_unique<Peer>(options_.window));
}

Node::~Node() {
  if (link_ == nullptr || closing_) return;
  if (size_ == 1) {
    link_->close();
    return;
  }
  if (why_abandoned_.empty()) why_abandoned_ = first_loss_;
  link_->abandon(why_abandoned_.empty() ? "it has not left the cluster in order" : why_abandoned_);
}

void Node::check(int rank) const {
  if (rank >= 0 && rank < size_) return;
  throw std::out_of_range("there is no rank " + std::to_string(rank) + "; ranks are 0 to " +
                          std::to_string(size_ - 1));
}

// --- Sending -------------------------------------------------------------------------------------

void Node::add_to_outbox(int rank, Frame message, const MessageHeader& header) {
  set_header(message, header);
  peer(rank).outbox.add(std::move(message), options_.bundle_bytes, program_);
  if (counts(header.kind)) messages_sent_.fetch_add(1, std::memory_order_relaxed);
  // release: pairs with the acquire in flush(), which then finds the message.
  unsent_.store(true, std::memory_order_release);
}

void Node::send(int rank, Frame message, const MessageHeader& header) {
  add_to_outbox(rank, std::move(message), header);
  wake_poller();
}

void Node::wake_poller() noexcept {
  if (!runtime_.poll_soon()) bell_.ring();
}

/// What was begun at `latest` or before goes to a rank, unless that is lost. Returns whether
/// something has gone.
bool Node::send_outbox(int rank, Clock::time_point latest) {
  Peer& to = peer(rank);
  bool has_sent = false;
  for (Frame& frame : to.outbox.take(latest, program_)) {
    if (to.is_lost.load(std::memory_order_relaxed)) continue;
    frames_sent_.fetch_add(1, std::memory_order_relaxed);
    bytes_sent_.fetch_add(frame.size(), std::memory_order_relaxed);
    link_->send(rank, std::move(frame));
    if (!to.is_introduced_to) introduce_to(rank);
    has_sent = true;
  }
  return send_bodies(rank) || has_sent;
}

/// The receiver is told first, so that it knows where to when the bytes come.
bool Node::send_bodies(int rank) {
  Peer& to = peer(rank);
  std::vector<Outbox::Announced> announced = to.outbox.take_bodies();
  for (auto& [message, body] : announced) {
    const std::uint64_t number = to.bodies.add(std::move(body.sent));
    if (to.is_lost) continue;
    MessageHeader header;
    std::memcpy(&header, message.data() + sizeof(FrameHeader), sizeof header);
    header.amount = number;
    set_header(message, header);
    frames_sent_.fetch_add(1, std::memory_order_relaxed);
    bytes_sent_.fetch_add(message.size() + body.bytes.size(), std::memory_order_relaxed);
    link_->send(rank, sealed(std::move(message), 1, program_));
    link_->send_body(rank, number, body.bytes);
  }
  // Who has lost the rank meanwhile may not have found these.
  if (!announced.empty() && to.is_lost) {
    fail_bodies(rank, std::make_exception_ptr(RankLost(rank, "it was lost before it was written")));
  }
  return !announced.empty();
}

void Node::fail_bodies(int rank, const std::exception_ptr& exception) {
  for (auto& [message, body] : peer(rank).outbox.take_bodies()) {
    detail::finish(std::move(body.sent), exception);
  }
  for (std::unique_ptr<Pending>& sent : peer(rank).bodies.take_all()) {
    detail::finish(std::move(sent), exception);
  }
}

void Node::body_sent(int rank, std::uint64_t number) {
  detail::finish(peer(rank).bodies.take(number));
}

/// What is older than the time of a bundle goes, all of it if the worker has nothing else to do.
/// Returns whether something has gone.
bool Node::flush(bool idle) {
  // relaxed: credits that are missed here go with the next poll.
  if (owes_.load(std::memory_order_relaxed)) send_credits(idle);
  if (!unsent_.load(std::memory_order_relaxed)) return false;
  // Before unsent_ is off: see send_last_words().
  sending_.store(true, std::memory_order_relaxed);
  // acquire: pairs with the release in add_to_outbox(). Off before the look: what is added after
  // it sets it again. release: pairs with the acquire in send_last_words().
  unsent_.exchange(false, std::memory_order_acq_rel);
  const auto latest = idle ? Clock::time_point::max() : Clock::now() - options_.bundle_time;
  bool is_left = false;
  bool has_sent = false;
  for (int rank = 0; rank < size_; ++rank) {
    has_sent = send_outbox(rank, latest) || has_sent;
    is_left = is_left || !peer(rank).outbox.empty();
  }
  if (is_left) unsent_.store(true, std::memory_order_relaxed);
  sending_.store(false, std::memory_order_release);
  return has_sent;
}

void Node::send_credits(bool idle) {
  // acquire: pairs with the release in owe_credit().
  owes_.exchange(false, std::memory_order_acquire);
  bool is_left = false;
  for (int rank = 0; rank < size_; ++rank) {
    Outbox& outbox = peer(rank).outbox;
    const std::size_t owed_in_all = outbox.owed();
    if (owed_in_all == 0) continue;
    if (!idle && owed_in_all < enough_credits()) {
      is_left = true;
      continue;
    }
    const std::vector<std::size_t> owed = outbox.take_owed();
    for (std::size_t depth = 0; depth < owed.size(); ++depth) {
      if (owed[depth] == 0) continue;
      add_to_outbox(rank, empty_message(),
                    {.kind = Kind::kCredit,
                     .depth = static_cast<std::uint16_t>(depth),
                     .amount = owed[depth]});
    }
  }
  if (is_left) owes_.store(true, std::memory_order_relaxed);
}

std::size_t Node::owe_credit(int rank, unsigned depth) {
  const std::size_t owed = peer(rank).outbox.owe_credit(depth);
  owes_.store(true, std::memory_order_release);
  return owed;
}

// --- Calls ---------------------------------------------------------------------------------------

void Node::take_credit(const Request& request) {
  if (peer(request.rank).credits.take(std::min(request.depth, kDeepest), request.limits)) {
    credit_waits_.fetch_add(1, std::memory_order_relaxed);
  }
}

/// Tokens go with the message once all of it is written, so that they stay where they are if that
/// fails.
Frame Node::packed(int rank, Packer pack) {
  Frame message = empty_message();
  Writer writer(message, rank);
  pack(writer);
  send_tokens(writer, false);
  return message;
}

void Node::send_request(const Request& request, Ticket ticket, Packer pack) {
  const MessageHeader header{.kind = request.kind,
                             .depth = static_cast<std::uint16_t>(std::min(request.depth, kDeepest)),
                             .function = request.function.number(),
                             .slot = ticket.slot,
                             .generation = ticket.generation};
  Frame message = packed(request.rank, pack);
  if (request.body == nullptr) return send(request.rank, std::move(message), header);
  set_header(message, header);
  Peer& to = peer(request.rank);
  to.outbox.add(std::move(message), std::move(*request.body));
  messages_sent_.fetch_add(1, std::memory_order_relaxed);
  unsent_.store(true, std::memory_order_release);  // as in add_to_outbox()
  wake_poller();
  // Whoever has closed the rank since has not found it, and nobody flushes any more.
  if (to.is_lost) {
    fail_bodies(request.rank,
                std::make_exception_ptr(RankLost(request.rank, "it was lost before the write")));
  }
}

Answer Node::call(const Request& request, Packer pack) {
  take_credit(request);
  WaitingCall call(pending_);
  call.ticket = pending_.add(call, request.rank, &request.function);
  try {
    send_request(request, call.ticket, pack);
  } catch (...) {
    if (call.take_back()) {
      peer(request.rank).credits.give(std::min(request.depth, kDeepest), 1);
    } else {
      call.entry.wait();  // somebody ends it now
    }
    throw;
  }
  wait_within(call, request.limits);
  return call.entry.take();
}

void Node::call_later(const Request& request, Packer pack, std::unique_ptr<Pending> pending) {
  take_credit(request);
  const Ticket ticket = pending_.add(*pending, request.rank, &request.function);
  Pending* const call = pending.release();  // it destroys itself when it is answered
  try {
    send_request(request, ticket, pack);
  } catch (...) {
    if (pending_.take(ticket) != nullptr) {
      peer(request.rank).credits.give(std::min(request.depth, kDeepest), 1);
      call->finish({this, nullptr, {}, std::current_exception()});
    }
    throw;
  }
}

void Node::post(const Request& request, Packer pack) {
  take_credit(request);
  // Counted before it can be done, and before the function that sends it is.
  posts_sent_.fetch_add(1, std::memory_order_relaxed);
  try {
    send_request(request, {}, pack);
  } catch (...) {
    posts_done_.fetch_add(1, std::memory_order_release);
    peer(request.rank).credits.give(std::min(request.depth, kDeepest), 1);
    throw;
  }
}

/// Of two rounds the first sums the posts that are done, the second those that have been sent.
/// Between the two, at some moment T, done(T) >= the first sum and sent(T) <= the second; and
/// done <= sent always. So equal sums mean that at T every post was done (Mattern's four counters,
/// of which two suffice where the rounds follow each other).
void Node::quiesce(const Limits& limits) {
  auto pause = kFirstQuiesce;
  for (;;) {
    const std::uint64_t done = sum_of_posts(kPostsDone, limits);
    if (done == sum_of_posts(kPostsSent, limits)) return;
    if (limits.stop.stop_requested() || limits.deadline <= Clock::now()) throw limit_error(limits);
    runtime::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestQuiesce);
  }
}

std::uint64_t Node::sum_of_posts(std::uint64_t which, const Limits& limits) {
  std::vector<std::unique_ptr<WaitingCall>> calls;
  calls.reserve(static_cast<std::size_t>(size_));
  std::exception_ptr failure;
  for (int rank = 0; rank < size_ && failure == nullptr; ++rank) {
    if (rank == rank_) continue;
    auto call = std::make_unique<WaitingCall>(pending_);
    Frame message = empty_message();
    try {
      call->ticket = pending_.add(*call, rank);
    } catch (...) {
      failure = std::current_exception();
      break;
    }
    const MessageHeader header{.kind = Kind::kCount,
                               .slot = call->ticket.slot,
                               .generation = call->ticket.generation,
                               .amount = which};
    calls.push_back(std::move(call));
    send(rank, std::move(message), header);
  }
  // acquire: pairs with the release where a post ends, whose own posts come before that.
  std::uint64_t sum = which == kPostsDone ? posts_done_.load(std::memory_order_acquire)
                                          : posts_sent_.load(std::memory_order_relaxed);
  // Nothing throws before all have been answered.
  std::vector<Answer> answers;
  for (const std::unique_ptr<WaitingCall>& call : calls) {
    wait_within(*call, limits);
    answers.push_back(call->entry.take());
    if (answers.back().exception != nullptr) failure = answers.back().exception;
  }
  if (failure != nullptr) std::rethrow_exception(failure);
  for (const Answer& answer : answers) sum += unpack_answer<std::uint64_t>(answer);
  return sum;
}

// --- Receiving -----------------------------------------------------------------------------------

/// Who polls is nobody to whom an exception could be told, and messages would be lost with it.
int Node::poll(bool idle) noexcept {
  try {
    return poll_once(idle);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "kumiko: rank %d cannot go on, for a message could not be handled: %s\n",
                 rank_, exception.what());
  } catch (...) {
    std::fprintf(stderr, "kumiko: rank %d cannot go on, for a message could not be handled\n",
                 rank_);
  }
  std::abort();
}

int Node::poll_once(bool idle) {
  if (!is_open()) {
    bell_.silence(Clock::now());
    // What comes after the end is for nobody; it is taken so that the bell is silent.
    // Who has abandoned the others may wait for memory that they write to.
    if (!std::exchange(gave_up_landings_, true)) {
      for (int rank = 0; rank < size_; ++rank) link_->give_up_bodies(rank);
    }
    if (link_->pollable() >= 0 || !landings_.empty()) link_->poll(*this);
    return 0;
  }
  bell_.silence_rings();
  polls_.store(polls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const int frames = link_->poll(*this);
  relieve(idle);
  look_for_silence_at_times();
  const bool has_sent = flush(idle);
  look_whether_all_left();
  transferring_.store(link_->is_transferring(), std::memory_order_relaxed);
  // Most polls find nothing, and read no clock.
  if (frames == 0 && !has_sent) return 0;
  latest_frame_ = Clock::now();
  // A worker that sleeps meanwhile is to look sooner.
  if (!idle) poll_again(latest_frame_);
  if (link_->pollable() >= 0 && silence_.wants_look(stirs())) bell_.ring_at(silence_.next_look());
  if (first_frame_ != Clock::time_point{}) {
    const std::chrono::nanoseconds taken = latest_frame_ - first_frame_;
    polling_.store(polling_.load(std::memory_order_relaxed) + taken.count(),
                   std::memory_order_relaxed);
    first_frame_ = {};
  }
  return frames;
}

/// Where no descriptor wakes a worker that sleeps, the time does. Not set while it searches, for it
/// polls then: a timer costs a system call and an interrupt.
void Node::poll_again(Clock::time_point now) noexcept {
  if (link_->pollable() >= 0) return;
  const std::chrono::nanoseconds longest =
      link_->is_transferring() ? kLongestPauseOfTransfers : kLongestPause;
  polls_at_ =
      now + std::clamp<std::chrono::nanoseconds>(now - latest_frame_, kShortestPause, longest);
  bell_.ring_at(polls_at_);
}

bool Node::has_news() noexcept {
  const auto now = Clock::now();
  const bool is_rung = bell_.silence(now);
  if (!is_open()) return MessageSource::has_news();  // what is to be drained
  // The end of a link goes on by polls.
  if (deadlock_.is_due(now)) look_for_deadlock(now);
  const bool looks = silence_.wants_look(stirs());
  if (looks && silence_.is_due(now)) polls_since_look_ = kPollsPerLook;
  const bool is_due = (leaving_.load(std::memory_order_relaxed) && now >= polls_at_) ||
                      polls_since_look_ >= kPollsPerLook;
  if (is_rung || is_due || unsent_.load(std::memory_order_relaxed) || now >= guests_.looks_at() ||
      owes_.load(std::memory_order_relaxed) ||
      (link_->pollable() >= 0 ? MessageSource::has_news() : link_->look())) {
    return true;
  }
  if (guests_.looks_at() != Clock::time_point::max()) bell_.ring_at(guests_.looks_at());
  if (looks) bell_.ring_at(silence_.next_look());
  if (deadlock_.next_look() != Clock::time_point::max()) bell_.ring_at(deadlock_.next_look());
  poll_again(now);
  return false;
}

void Node::receive(int source, Frame frame) {
  if (first_frame_ == Clock::time_point{}) first_frame_ = Clock::now();
  if (source < 0 || source >= size_ || peer(source).is_lost) return;
  silence_.heard(source);
  const auto shared = std::make_shared<const Frame>(std::move(frame));
  FrameHeader header;
  const bool is_whole = shared->size() >= sizeof header;
  if (is_whole) std::memcpy(&header, shared->data(), sizeof header);
  if (!is_whole || header.magic != FrameHeader::kMagic) {
    return lost(source, "what came from it is not a frame of a cluster");
  }
  if (header.program != program_) {
    return lost(source,
                "it runs another program, or another build of it; start the same file "
                "everywhere");
  }
  std::size_t at = sizeof header;
  for (std::uint32_t i = 0; i < header.messages; ++i) {
    at = Writer::aligned(at, kMessageAlignment);
    MessageHeader message;
    if (at > shared->size() || shared->size() - at < sizeof message) {
      return lost(source, "a frame from it ends within a message");
    }
    std::memcpy(&message, shared->data() + at, sizeof message);
    at += sizeof message;
    if (message.kind > kLastKind || message.depth > kDeepest) {
      return lost(source, "a message from it is of no kind that is known");
    }
    if (asks_for_function(message.kind) && function_of(message.function) == nullptr) {
      return lost(source, "it asks for a function that is not there");
    }
    if (message.size > shared->size() - at) {
      return lost(source, "a frame from it ends within a message");
    }
    if (counts(message.kind)) messages_received_.fetch_add(1, std::memory_order_relaxed);
    try {
      dispatch({source, shared, message, {shared->data() + at, message.size}});
    } catch (const std::out_of_range& error) {
      return lost(source, error.what());
    }
    at += message.size;
  }
}

void Node::dispatch(Arrived message) {
  switch (message.header.kind) {
    case Kind::kInvoke:
    case Kind::kPost:
      return start_guest(std::move(message));
    case Kind::kInline:
      return answer_inline(message);
    case Kind::kReply:
    case Kind::kFailure:
      return finish(message);
    case Kind::kCredit:
      return peer(message.source).credits.give(message.header.depth, message.header.amount);
    case Kind::kCount:
      return send_count(message);
    case Kind::kMove:
      if (message.header.function >= static_cast<std::uint32_t>(size_)) {
        throw std::out_of_range("it moves a token to a rank that is not there");
      }
      return move_entry({message.header.slot, message.header.generation},
                        static_cast<int>(message.header.function),
                        static_cast<std::uint32_t>(message.header.amount));
    case Kind::kPart:
      return take_part(message.source, message.header, message.payload);
    case Kind::kCollected:
      return finish_collection(message);
    case Kind::kLeave:
      return note_leaving(message);
    case Kind::kAsk:
      return send_present(message.source);
    case Kind::kPresent:
      return silence_.introduce(message.source, unpacked_process(message.payload, *this));
    case Kind::kGivenUp:
      return note_given_up(message);
    case Kind::kWrite:
      return begin_landing(message);
    case Kind::kPassive:
      return take_passive(message);
    case Kind::kReport:
      return deadlock_.have_report();
  }
}

/// Counted from here on, so that the poll in which it comes has the bell ring if nothing moves.
void Node::start_guest(Arrived message) {
  guests_.expect();
  runtime_.submit(
      [self = shared_from_this(), arrived = std::move(message)] { self->run_guest(arrived); });
}

void Node::run_guest(const Arrived& message) {
  const MessageHeader& header = message.header;
  Guest guest{message.source, header.depth, header.depth >= kDeepest};
  if (guest.credit_returned) {
    send(message.source, empty_message(),
         {.kind = Kind::kCredit, .depth = header.depth, .amount = 1});
  }
  guests_.admit(guest);
  if (header.kind == Kind::kInvoke) {
    Reply reply = reply_to(message);
    reply.header.credit_returned = guests_.dismiss(guest);
    send(message.source, std::move(reply.message), reply.header);
    return;
  }
  // An exception ends the program, as that of any thread that nobody joins.
  function_of(header.function)
      ->run({*this, message.source, header.depth, message.payload}, nullptr);
  count_end_of_post();
  if (!guests_.dismiss(guest)) return_credit(message.source, header.depth);
}

/// Runs the function that is asked for.
Node::Reply Node::reply_to(const Arrived& message) {
  const MessageHeader& header = message.header;
  return answer(header, [&](Frame& result) {
    return function_of(header.function)
        ->run({*this, message.source, header.depth, message.payload}, &result);
  });
}

/// What run(result) has written, which returns how many tokens are in it, or what it throws.
template <class Run>
Node::Reply Node::answer(MessageHeader header, Run run) {
  header.kind = Kind::kReply;
  Frame result = empty_message();
  try {
    header.amount = run(result);
  } catch (const std::exception& exception) {
    header.kind = Kind::kFailure;
    result = failure_of(readable_name(typeid(exception).name()), exception.what());
  } catch (...) {
    header.kind = Kind::kFailure;
    result = failure_of("unknown", "an exception that is not a std::exception");
  }
  return {std::move(result), header};
}

void Node::answer_inline(const Arrived& message) {
  Reply reply = reply_to(message);
  add_to_outbox(message.source, std::move(reply.message), reply.header);
}

void Node::finish(const Arrived& message) {
  const MessageHeader& header = message.header;
  if (!header.credit_returned) peer(message.source).credits.give(header.depth, 1);
  std::string type;
  std::string what;
  if (header.kind == Kind::kFailure) {
    Reader reader(message.payload, *this);
    type = Packing<std::string>::unpack(reader);
    what = Packing<std::string>::unpack(reader);
  }
  Pending* const call = pending_.take({header.slot, header.generation});
  if (call == nullptr) return drop_tokens(message);  // it was given up
  if (header.kind == Kind::kReply) {
    return call->finish({this, message.frame, message.payload, nullptr});
  }
  call->finish({this,
                nullptr,
                {},
                std::make_exception_ptr(RemoteError(message.source, std::move(type), what))});
}

void Node::send_count(const Arrived& message) {
  // acquire: as in sum_of_posts().
  std::uint64_t count = message.header.amount == kPostsDone
                            ? posts_done_.load(std::memory_order_acquire)
                            : posts_sent_.load(std::memory_order_relaxed);
  MessageHeader header = message.header;
  header.kind = Kind::kReply;
  header.credit_returned = true;  // none was taken
  header.amount = 0;              // tokens
  Frame result = empty_message();
  Writer writer(result, message.source);
  Packing<std::uint64_t>::pack(writer, count);
  add_to_outbox(message.source, std::move(result), header);
}

// --- Regions -------------------------------------------------------------------------------------

/// The bytes come whether the region may be written or not: then to memory of their own.
void Node::begin_landing(const Arrived& message) {
  Reader reader(message.payload, *this);
  const auto access = Packing<Access>::unpack(reader);
  Landing landing{.source = message.source,
                  .number = message.header.amount,
                  .header = message.header,
                  .region = access.region};
  std::span<std::byte> memory;
  try {
    memory = regions_.begin_use(access.region, Rights::kWrite, access.offset, access.size);
  } catch (const std::logic_error&) {
    landing.failure = std::current_exception();
    landing.unread.resize(access.size);
    memory = landing.unread;
  }
  landings_.push_back(std::move(landing));
  link_->take_body(message.source, message.header.amount, memory);
}

void Node::body_taken(int source, std::uint64_t number) {
  const auto found = std::ranges::find_if(landings_, [&](const Landing& landing) {
    return landing.source == source && landing.number == number;
  });
  if (found == landings_.end()) return;
  const Landing landing = std::move(*found);
  landings_.erase(found);
  if (landing.failure == nullptr) regions_.end_use(landing.region);
  if (is_lost(source)) return;
  Reply reply = answer(landing.header, [&](Frame&) -> std::size_t {
    if (landing.failure != nullptr) std::rethrow_exception(landing.failure);
    return 0;
  });
  reply.header.credit_returned = false;
  add_to_outbox(source, std::move(reply.message), reply.header);
}

void Node::withdraw(Ticket region) {
  regions_.withdraw(region);
  for (const auto limit = Clock::now() + kLongestOrphan; !regions_.freed(region);) {
    if ((regions_.has_only_orphans(region) || !is_open()) && Clock::now() > limit) {
      std::fprintf(
          stderr,
          "kumiko: rank %d cannot go on, for a rank was lost while it wrote to memory that "
          "is to be used otherwise now\n",
          rank_);
      std::abort();
    }
    runtime::this_thread::sleep_for(kFirstQuiesce);
  }
}

// --- Entries -------------------------------------------------------------------------------------

void Node::assign(int home, Ticket ticket, Packer pack) {
  Frame message = packed(home, pack);
  const MessageHeader header{.kind = Kind::kReply,
                             .credit_returned = true,
                             .slot = ticket.slot,
                             .generation = ticket.generation};
  if (home != rank_) return send(home, std::move(message), header);
  Pending* const entry = pending_.take(ticket);
  if (entry == nullptr) return;
  const auto shared = std::make_shared<const Frame>(std::move(message));
  entry->finish({this, shared, std::span(*shared).subspan(kBeforePayload), nullptr});
}

void Node::assign_failure(int home, Ticket ticket, std::string_view type, std::string_view what) {
  if (home != rank_) {
    return send(home, failure_of(type, what),
                {.kind = Kind::kFailure,
                 .credit_returned = true,
                 .slot = ticket.slot,
                 .generation = ticket.generation});
  }
  Pending* const entry = pending_.take(ticket);
  if (entry == nullptr) return;
  entry->finish(
      {this,
       nullptr,
       {},
       std::make_exception_ptr(RemoteError(rank_, std::string(type), std::string(what)))});
}

void Node::move_entry(Ticket ticket, int to, std::uint32_t moves) {
  const auto [entry, exception] = pending_.note_move(ticket, to, moves);
  if (entry != nullptr) entry->finish({this, nullptr, {}, exception});
}

/// Nobody takes the result: the tokens in it, which stand at its end, are unused.
void Node::drop_tokens(const Arrived& message) {
  if (message.header.kind != Kind::kReply || message.header.amount == 0) return;
  const std::size_t size = message.header.amount * sizeof(TokenCore::Travelling);
  if (size > message.payload.size()) throw std::out_of_range("a reply is shorter than its tokens");
  Reader reader(message.payload.last(size), *this);
  while (reader.left() > 0) {
    const auto token = Packing<TokenCore::Travelling>::unpack(reader);
    assign_failure(token.home, token.ticket, "kumiko::cluster::RemoteToken",
                   "the token was in the result of a call that was given up");
  }
}

void Node::note_move(int home, Ticket ticket, int to, std::uint32_t moves) {
  if (home == rank_) return move_entry(ticket, to, moves);
  send(home, empty_message(),
       {.kind = Kind::kMove,
        .function = static_cast<std::uint32_t>(to),
        .slot = ticket.slot,
        .generation = ticket.generation,
        .amount = moves});
}

// --- Collections ---------------------------------------------------------------------------------

void Node::collect(Collection what, Packer pack, std::unique_ptr<Pending> pending) {
  Frame message = packed(kMeetingPlace, pack);
  const std::uint64_t number = collections_.begin(std::move(pending));
  const MessageHeader header{.kind = Kind::kPart,
                             .function = what.operation,
                             .slot = static_cast<std::uint32_t>(what.root),
                             .generation = what.type,
                             .amount = number};
  if (rank_ != kMeetingPlace) return send(kMeetingPlace, std::move(message), header);
  take_part(rank_, header, std::span(message).subspan(kBeforePayload));
  wake_poller();
}

/// The meeting place's: sends on what it has when every rank's part is there. The parts come
/// together on one rank whatever the root is, so that it sees whether all ranks ask for the same.
void Node::take_part(int source, const MessageHeader& header, std::span<const std::byte> part) {
  const Collection what{static_cast<Operation>(header.function), static_cast<int>(header.slot),
                        header.generation};
  const std::optional<Collections::Whole> whole = collections_.take_part(
      header.amount, source, size_, what, std::vector<std::byte>(part.begin(), part.end()));
  if (!whole) return;
  for (int rank = 0; rank < size_; ++rank) {
    const auto pack = [&](Writer& writer) {
      if (what.operation != kGather || rank == what.root) {
        writer.append(whole->parts.data(), whole->parts.size(), kMessageAlignment);
      }
    };
    Frame message = packed(rank, pack);
    const MessageHeader answer{
        .kind = Kind::kCollected, .credit_returned = whole->disagree, .amount = header.amount};
    if (rank != rank_) {
      add_to_outbox(rank, std::move(message), answer);
      continue;
    }
    const auto shared = std::make_shared<const Frame>(std::move(message));
    finish_collection({rank_, shared, answer, std::span(*shared).subspan(kBeforePayload)});
  }
}

void Node::finish_collection(const Arrived& message) {
  const std::unique_ptr<Pending> pending = collections_.take(message.header.amount);
  if (pending == nullptr) return;
  if (message.header.credit_returned) {
    pending->finish({this,
                     nullptr,
                     {},
                     std::make_exception_ptr(std::logic_error(
                         "the ranks of a cluster asked for different collective operations, roots "
                         "or types; all must ask for the same ones in the same order"))});
  } else {
    pending->finish({this, message.frame, message.payload, nullptr});
  }
}

void Node::fail_collections(std::uint64_t first, const std::exception_ptr& exception) {
  for (const std::unique_ptr<Pending>& pending : collections_.fail(first, exception)) {
    pending->finish({this, nullptr, {}, exception});
  }
}

// --- Credits that go back ------------------------------------------------------------------------

/// It goes with other messages, when the worker has nothing else to do, or when half of all credits
/// is owed.
void Node::return_credit(int rank, unsigned depth) {
  if (owe_credit(rank, depth) >= enough_credits()) wake_poller();
}

/// See Guests.
void Node::relieve(bool idle) {
  const int early =
      guests_.relieve(idle, [this](const Guest& guest) { owe_credit(guest.caller, guest.depth); });
  if (early > 0) {
    credits_early_.fetch_add(static_cast<std::uint64_t>(early), std::memory_order_relaxed);
  }
  if (guests_.looks_at() != Clock::time_point::max()) bell_.ring_at(guests_.looks_at());
}

// --- Silence -------------------------------------------------------------------------------------

/// The first frame to a rank is followed by who this one is, so that its end is noticed.
void Node::introduce_to(int rank) {
  peer(rank).is_introduced_to = true;
  if (rank != rank_) send_present(rank);
}

void Node::send_present(int rank) {
  const auto pack = [this](Writer& writer) {
    Introduction introduction{process_.host, process_.machine, process_.start, process_.id};
    Packing<Introduction>::pack(writer, introduction);
  };
  add_to_outbox(rank, packed(rank, pack), {.kind = Kind::kPresent});
}

/// What changes whenever something begins to be awaited of another rank. Somebody who waits for a
/// credit does so for calls that are under way.
std::uint64_t Node::stirs() {
  return messages_sent_.load(std::memory_order_relaxed) +
         messages_received_.load(std::memory_order_relaxed) + collections_.begun();
}

std::vector<bool> Node::awaited_ranks() {
  std::vector<bool> awaited(static_cast<std::size_t>(size_));
  pending_.mark_awaited(awaited);
  collections_.mark_awaited(awaited, kMeetingPlace);
  const bool is_leaving = leaving_.load(std::memory_order_relaxed) && !told_all_left_;
  for (int rank = 0; rank < size_; ++rank) {
    Peer& other = peer(rank);
    const auto place = static_cast<std::size_t>(rank);
    const bool is_left_waiting_for = is_leaving && !other.has_left.load(std::memory_order_relaxed);
    awaited[place] = rank != rank_ && !other.is_lost &&
                     (awaited[place] || is_left_waiting_for || other.credits.are_awaited());
  }
  return awaited;
}

/// The time is asked for once in many polls, most of which find nothing.
void Node::look_for_silence_at_times() {
  if (++polls_since_look_ < kPollsPerLook) return;
  polls_since_look_ = 0;
  if (const auto now = Clock::now(); silence_.is_due(now)) look_for_silence(now);
}

void Node::look_for_silence(Clock::time_point now) {
  silence_.note_stirs(stirs());
  for (const Silence::Step& step : silence_.look(now, awaited_ranks())) {
    switch (step.kind) {
      case Silence::Step::Kind::kAsk:
        add_to_outbox(step.rank, empty_message(), {.kind = Kind::kAsk});
        break;
      case Silence::Step::Kind::kWarn:
        std::fprintf(stderr,
                     "kumiko: rank %d waits for rank %d, from which nothing has come for %s\n",
                     rank_, step.rank, step.text.c_str());
        break;
      case Silence::Step::Kind::kLost:
      case Silence::Step::Kind::kEnded:
        give_up(step.rank, step.text, step.kind == Silence::Step::Kind::kEnded);
        break;
    }
  }
}

/// All ranks lose the same ones: others may wait for an answer that the lost one would have caused.
/// The rank itself learns of it, too, should it live on.
void Node::give_up(int rank, const std::string& reason, bool has_ended) {
  std::fprintf(stderr, "kumiko: rank %d gives rank %d up: %s\n", rank_, rank, reason.c_str());
  if (first_loss_.empty()) first_loss_ = "rank " + std::to_string(rank) + " is lost: " + reason;
  std::string_view text = reason;
  const MessageHeader header{.kind = Kind::kGivenUp, .function = static_cast<std::uint32_t>(rank)};
  for (int other = 0; other < size_; ++other) {
    if (other == rank_) continue;
    const auto pack = [&](Writer& writer) { Packing<std::string_view>::pack(writer, text); };
    add_to_outbox(other, packed(other, pack), header);
  }
  // Now, since nothing is sent to a rank that is lost.
  if (!has_ended) send_outbox(rank, Clock::time_point::max());
  lost(rank, reason);
}

void Node::note_given_up(const Arrived& message) {
  const auto rank = static_cast<int>(message.header.function);
  if (rank < 0 || rank >= size_) throw std::out_of_range("it gives up a rank that is not there");
  Reader reader(message.payload, *this);
  const auto reason = Packing<std::string>::unpack(reader);
  if (rank != rank_) return lost(rank, reason);
  if (first_loss_.empty()) first_loss_ = "the others have given it up: " + reason;
  for (int other = 0; other < size_; ++other) {
    if (other != rank_) lost(other, "it has given up this rank, for " + reason);
  }
}

// --- Deadlock ------------------------------------------------------------------------------------

/// Nothing but a message can wake any thread. Credits that may be returned early, or are yet to be
/// sent, would be messages. Who leaves waits for a time only.
std::optional<MessageCounts> Node::counts_if_passive() const {
  if (guests_.looks_at() != Clock::time_point::max() || owes_.load(std::memory_order_relaxed) ||
      ending_.load(std::memory_order_relaxed) || !runtime_.waits_for_source()) {
    return {};
  }
  return MessageCounts{messages_sent_.load(std::memory_order_relaxed),
                       messages_received_.load(std::memory_order_relaxed)};
}

/// Called before a sleep, when the workers lie down; so what is sent here has somebody look again.
void Node::look_for_deadlock(Clock::time_point now) {
  const DeadlockWatch::Step step = deadlock_.look(now, counts_if_passive());
  if (step.reports) return report_deadlock();
  if (step.asks) {
    for (int rank = 1; rank < size_; ++rank) {
      add_to_outbox(rank, empty_message(), {.kind = Kind::kPassive, .amount = step.round});
    }
  }
  if (step.answers) {
    Frame message = empty_message();
    Writer writer(message, 0);
    MessageCounts counts = step.counts;
    Packing<MessageCounts>::pack(writer, counts);
    add_to_outbox(0, std::move(message), {.kind = Kind::kPassive, .amount = step.round});
  }
}

void Node::take_passive(const Arrived& message) {
  if (rank_ != 0) return deadlock_.ask(message.header.amount);
  Reader reader(message.payload, *this);
  deadlock_.take_answer(message.source, message.header.amount,
                        Packing<MessageCounts>::unpack(reader));
}

/// One rank after the other tells, so that what they say is not mixed.
void Node::report_deadlock() {
  const std::string headline =
      "kumiko: rank " + std::to_string(rank_) +
      ": no thread of any rank can run, no deadline is pending and no message is under way; unless "
      "another OS thread wakes them, these wait forever:\n";
  if (!runtime_.report_waits_for_source(headline)) return deadlock_.put_off_report();
  std::fputs(what_is_awaited().c_str(), stderr);
  if (rank_ + 1 < size_) add_to_outbox(rank_ + 1, empty_message(), {.kind = Kind::kReport});
}

/// Which rank owes what, as lines.
std::string Node::what_is_awaited() {
  constexpr int kMostLines = 20;
  std::string text;
  const auto add_line = [&](const std::string& what) {
    text.append("  rank ").append(std::to_string(rank_)).append(" waits for ");
    text.append(what).append("\n");
  };
  int lines = 0;
  pending_.for_each([&](const Pending& call, int rank, const Function* function) {
    if (++lines <= kMostLines) add_line(what_is_pending(call, rank, function));
  });
  if (lines > kMostLines) add_line(std::to_string(lines - kMostLines) + " more answers or tokens");
  std::vector<bool> absent(static_cast<std::size_t>(size_));
  collections_.mark_awaited(absent, kMeetingPlace);
  for (int rank = 0; rank < size_; ++rank) {
    const std::string other = "rank " + std::to_string(rank);
    if (const std::size_t waiters = peer(rank).credits.waiters(); waiters != 0) {
      add_line(std::to_string(waiters) + " credits for calls at " + other);
    }
    if (absent[static_cast<std::size_t>(rank)]) add_line("a collective operation by " + other);
  }
  return text;
}

// --- The end -------------------------------------------------------------------------------------

void Node::note_leaving(const Arrived& message) {
  Reader reader(message.payload, *this);
  const std::string reason = Packing<std::string>::unpack(reader);
  if (!reason.empty()) return lost(message.source, reason);
  fail_collections(message.header.amount,
                   std::make_exception_ptr(RankLost(message.source, "it has left the cluster")));
  peer(message.source).has_left.store(true, std::memory_order_relaxed);
}

void Node::lost(int rank, const std::string& reason) {
  Peer& lost = peer(rank);
  if (lost.is_lost.exchange(true)) return;
  fail(rank, std::make_exception_ptr(RankLost(rank, reason)));
  for (const Landing& landing : landings_) {
    if (landing.source == rank && landing.failure == nullptr) regions_.orphan(landing.region);
  }
  link_->give_up_bodies(rank);
}

/// Calls at this rank end by an exception, now and later.
void Node::fail(int rank, const std::exception_ptr& exception) {
  peer(rank).credits.fail(exception);
  for (Pending* const call : pending_.fail(rank, exception)) {
    call->finish({this, nullptr, {}, exception});
  }
  fail_bodies(rank, exception);
  fail_collections(0, exception);
}

void Node::send_leaving(std::string_view reason) {
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    const auto pack = [&](Writer& writer) { Packing<std::string_view>::pack(writer, reason); };
    send(rank, packed(rank, pack), {.kind = Kind::kLeave, .amount = collections_.begun()});
  }
}

bool Node::are_all_there() const {
  return std::none_of(peers_.begin(), peers_.end(),
                      [](const auto& peer) -> bool { return peer->is_lost; });
}

/// When all have left, the link is closed, in which all take part; so it is not if one is lost.
void Node::look_whether_all_left() {
  // acquire: pairs with the release in leave().
  if (!leaving_.load(std::memory_order_acquire) || told_all_left_ || has_unsent()) return;
  for (int rank = 0; rank < size_; ++rank) {
    const Peer& other = peer(rank);
    if (rank != rank_ && !other.has_left.load(std::memory_order_relaxed) && !other.is_lost) return;
  }
  if (are_all_there() && !std::exchange(closing_, true)) link_->close();
  const bool is_patient = !out_of_patience_.load(std::memory_order_relaxed);
  if (closing_ && !link_->is_closed() && is_patient) return;
  told_all_left_ = true;
  all_left_token_.send(true);
}

void Node::leave() {
  if (!open_.load(std::memory_order_relaxed)) return;
  ending_.store(true, std::memory_order_relaxed);
  const auto limit = Clock::now() + options_.patience;
  try {
    quiesce(runtime::io::until(limit));
  } catch (const std::runtime_error&) {
    // A rank is lost, or does not answer: nobody can know of its posts.
  }
  if (size_ > 1) {
    while (pending_.has_calls(rank_) && Clock::now() < limit) {
      runtime::this_thread::sleep_for(kLongestQuiesce);
    }
    send_leaving({});
    // release: pairs with the acquire in look_whether_all_left().
    leaving_.store(true, std::memory_order_release);
    bell_.ring();
    if (!all_left_.wait_for(options_.patience)) {
      send_last_words("it has not waited any longer for the others to leave");
      for (int rank = 0; rank < size_; ++rank) {
        if (rank == rank_ || peer(rank).has_left.load(std::memory_order_relaxed)) continue;
        lost(rank, "it did not leave the cluster when the others did");
      }
      out_of_patience_.store(true, std::memory_order_relaxed);
      bell_.ring();
      all_left_.wait();
    }
  }
  close();
}

void Node::abandon(std::string_view reason) {
  if (!open_.load(std::memory_order_relaxed)) return;
  why_abandoned_ = reason;
  if (size_ > 1) send_last_words(reason.empty() ? "it has left the cluster" : reason);
  close();
}

/// Tells the others that this rank goes, and sees to it that they are told.
void Node::send_last_words(std::string_view reason) {
  send_leaving(reason);
  const auto limit = Clock::now() + kLastWords;
  const auto is_under_way = [this] {
    // acquire: pairs with the release in flush(), whose sending_ is seen then.
    return unsent_.load(std::memory_order_acquire) || sending_.load(std::memory_order_acquire) ||
           transferring_.load(std::memory_order_relaxed);
  };
  while (is_under_way() && Clock::now() < limit) {
    bell_.ring();
    runtime::this_thread::sleep_for(kFirstQuiesce);
  }
}

/// What still waits for another rank gets an exception.
void Node::close() {
  open_.store(false, std::memory_order_relaxed);
  for (int rank = 0; rank < size_; ++rank) {
    if (peer(rank).is_lost.exchange(true)) continue;
    fail(rank, std::make_exception_ptr(RankLost(rank, "this rank has left the cluster")));
  }
}

ClusterStatistics Node::statistics() const {
  const auto read = [](const auto& counter) { return counter.load(std::memory_order_relaxed); };
  return {read(messages_sent_), read(messages_received_),
          read(frames_sent_),   read(bytes_sent_),
          read(credit_waits_),  read(polls_),
          read(credits_early_), std::chrono::nanoseconds(read(polling_))};
}

}  // namespace kumiko::cluster::detail
