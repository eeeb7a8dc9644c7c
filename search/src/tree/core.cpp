#include "tree/core.hpp"

#include <chrono>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>

#include <kumiko/runtime/io/operations.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>

#include "tree/checked_options.hpp"
#include "tree/conversation.hpp"

namespace kumiko::search::detail::tree {

namespace io = runtime::io;

namespace {

using std::chrono::milliseconds;

constexpr auto kRelaxed = std::memory_order_relaxed;

/// The pause after the system could not accept a connection and no unproved one can be closed.
constexpr milliseconds kAcceptPause{100};

/// After this number of frames of one link in a row, its reader yields to other threads.
constexpr int kFramesInARow = 16;

/// Closes a link with the message of an exception of the receiver.
void close_for(TreeLink& link, const std::exception& error) noexcept {
  try {
    link.close(error.what());
  } catch (const std::bad_alloc&) {
    link.close("no memory");
  }
}

}  // namespace

Core::Core(runtime::Runtime& runtime, TreeReceiver& receiver, TreeOptions options)
    : runtime_(runtime),
      receiver_(receiver),
      options_(checked(std::move(options))),
      limits_{options_.largest_frame, options_.longest_route} {}

template <class Body>
void Core::start(Body body) {
  start_by([this](auto thread) { runtime_.submit(std::move(thread)); }, std::move(body));
}

template <class Body>
void Core::start_at_once(Body body) {
  start_by([](auto thread) { runtime::Thread(std::move(thread)).detach(); }, std::move(body));
}

template <class Body, class Launch>
void Core::start_by(Launch launch, Body body) {
  {
    const std::lock_guard lock(mutex_);
    // While another thread runs, leave() waits for this one too.
    if (is_leaving() && threads_ == 0) throw std::logic_error("this process has left the tree");
    ++threads_;
  }
  const auto ended = [this]() noexcept {
    // Notified under the lock, since the caller of leave() may destroy this as soon as it gets it.
    const std::lock_guard lock(mutex_);
    --threads_;
    changed_.notify_all();
  };
  try {
    launch([ended, body = std::move(body)]() mutable {
      {
        Body own = std::move(body);  // closes its sockets before the thread counts as ended
        own();
      }
      ended();
    });
  } catch (...) {
    ended();
    throw;
  }
}

void Core::count(Refusal refusal) noexcept {
  refused_[static_cast<std::size_t>(refusal)].fetch_add(1, kRelaxed);
}

// --- Accepting -----------------------------------------------------------------------------------

io::Address Core::listen(const io::Address& address) {
  {
    const std::lock_guard lock(mutex_);
    if (listens_) throw std::logic_error("this process listens for children already");
    listens_ = true;
  }
  try {
    io::Listener listener = io::Listener::listen(address).value();
    const io::Address bound = listener.address().value();
    start([this, listener = std::move(listener)]() mutable { accept(std::move(listener)); });
    return bound;
  } catch (...) {
    const std::lock_guard lock(mutex_);
    listens_ = false;
    throw;
  }
}

/// Accepts connections as fast as they arrive. If it paced them, silent connections would fill the
/// system's queue, and a process that wants to join would time out there.
void Core::accept(io::Listener listener) {
  while (!is_leaving()) {
    io::Result<io::Socket> socket = listener.accept(io::unless(stop_.get_token()));
    if (socket) {
      add_unproved(*std::move(socket));
      continue;
    }
    if (socket.error() == std::errc::operation_canceled) return;
    if (socket.error() == std::errc::connection_aborted) continue;
    const bool lacks_descriptors = socket.error() == std::errc::too_many_files_open ||
                                   socket.error() == std::errc::too_many_files_open_in_system;
    // The connection stays in the system's queue meanwhile.
    if (lacks_descriptors && unproved_.close_one()) continue;
    static_cast<void>(io::sleep(io::within(kAcceptPause, stop_.get_token())));
  }
}

void Core::add_unproved(io::Socket socket) {
  std::optional<Unproved::Place> place;
  try {
    unproved_.make_room(options_.most_unproved);
    place = unproved_.add();
    // At once, so that a greeting that has arrived is read before later connections need room.
    start_at_once([this, socket = std::move(socket), place = *place]() mutable {
      shake_hands(std::move(socket), place);
    });
  } catch (const std::exception&) {
    if (place) unproved_.remove(*place);
    count(Refusal::kNoResources);
  }
}

std::optional<Refusal> Core::reserve_child(std::uint16_t& number) {
  const std::lock_guard lock(mutex_);
  if (children_ >= options_.most_children) return Refusal::kFull;
  if (next_child_ > std::numeric_limits<std::uint16_t>::max()) return Refusal::kFull;
  ++children_;
  number = static_cast<std::uint16_t>(next_child_++);
  return std::nullopt;
}

void Core::release_child() {
  const std::lock_guard lock(mutex_);
  --children_;
}

/// Sets `number` to another value than 0 if it has reserved a place for a child, even if it then
/// returns a refusal.
std::optional<Refusal> Core::admit(io::Socket& socket, Handshake& handshake, Unproved::Place place,
                                   std::uint16_t& number) {
  const io::Limits limits = io::within(options_.handshake_timeout, place->stop.get_token());
  if (const auto refusal = exchange_hellos(socket, handshake, limits)) return refusal;
  unproved_.note_greeting(place);
  Proof proof;
  if (const auto unheard = hear_proof(socket, proof, limits)) return unheard;
  std::optional<Refusal> refusal = handshake.take_proof(proof);
  if (!refusal) refusal = reserve_child(number);
  const auto unsaid = say_verdict(socket, handshake.verdict(refusal), limits);
  return refusal ? refusal : unsaid;
}

/// Returns the link to a child that has proved itself, or sets `refusal`.
std::shared_ptr<TreeLink> Core::make_child(io::Socket socket, Unproved::Place place,
                                           std::uint16_t& number, std::optional<Refusal>& refusal) {
  Handshake handshake(Role::kAccepts, options_.secret, options_.program);
  refusal = admit(socket, handshake, place, number);
  if (refusal) return nullptr;
  return std::make_shared<TreeLink>(number, std::move(socket), handshake.keys(), options_,
                                    traffic_);
}

void Core::shake_hands(io::Socket socket, Unproved::Place place) {
  std::uint16_t number = 0;
  std::optional<Refusal> refusal;
  std::shared_ptr<TreeLink> link;
  try {
    link = make_child(std::move(socket), place, number, refusal);
  } catch (const std::exception&) {
    refusal = Refusal::kNoResources;
  }
  // If the socket does not belong to the link, it is closed already, so its place is free.
  unproved_.remove(place);
  if (link && !enter(link)) refusal = Refusal::kNoResources;
  if (!refusal) return serve(link);
  if (number != 0) release_child();
  const bool was_pushed = refusal == Refusal::kLeft && !is_leaving();
  count(was_pushed ? Refusal::kPushedOut : *refusal);
}

// --- Joining -------------------------------------------------------------------------------------

void Core::join(const io::Address& address) {
  {
    const std::lock_guard lock(mutex_);
    if (has_parent_) throw std::logic_error("this process has, had or is about to have a parent");
    has_parent_ = true;
  }
  Attempt attempt;
  try {
    start([this, address, &attempt] { connect(address, attempt); });
  } catch (...) {
    const std::lock_guard lock(mutex_);
    has_parent_ = false;
    throw;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return attempt.has_ended; });
  if (!attempt.refusal) return;
  has_parent_ = false;
  lock.unlock();
  throw JoinError(*attempt.refusal, explain(*attempt.refusal, address.to_string(), attempt.system,
                                            options_.handshake_timeout));
}

void Core::connect(const io::Address& address, Attempt& attempt) {
  std::optional<Refusal> refusal;
  std::string system;
  std::shared_ptr<TreeLink> link;
  try {
    const io::Limits limits = io::within(options_.handshake_timeout, stop_.get_token());
    io::Result<io::Socket> socket = io::Socket::connect(address, limits);
    if (!socket) {
      const bool is_stopped = socket.error() == std::errc::operation_canceled;
      refusal = is_stopped ? Refusal::kLeft : Refusal::kCannotConnect;
      system = socket.error().message();
    } else {
      Handshake handshake(Role::kJoins, options_.secret, options_.program);
      refusal = ask_to_join(*socket, handshake, limits);
      if (!refusal) {
        link =
            std::make_shared<TreeLink>(0, *std::move(socket), handshake.keys(), options_, traffic_);
      }
    }
  } catch (const std::exception&) {
    refusal = Refusal::kNoResources;
  }
  if (link && !enter(link)) refusal = Refusal::kNoResources;
  const bool has_joined = !refusal;
  {
    const std::lock_guard lock(mutex_);
    attempt = {refusal, std::move(system), true};
    changed_.notify_all();
  }
  // From here on join() may have returned, so that `attempt` does not exist any more.
  if (has_joined) serve(link);
}

// --- Links ---------------------------------------------------------------------------------------

bool Core::enter(const std::shared_ptr<TreeLink>& link) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    links_.emplace(link->number(), link);
  } catch (const std::bad_alloc&) {
    return false;
  }
  // The other side takes this process for a neighbour, so it must be notified.
  if (is_leaving()) link->finish();
  if (is_closing_) link->close("");
  return true;
}

void Core::start_writer(const std::shared_ptr<TreeLink>& link) {
  try {
    start([link] {
      link->write();
      link->writer_ended();
    });
  } catch (...) {
    link->writer_ended();
    throw;
  }
}

void Core::serve(const std::shared_ptr<TreeLink>& link) noexcept {
  const std::uint16_t number = link->number();
  try {
    start_writer(link);
    receiver_.joined(number);
    int in_a_row = 0;
    while (std::optional<Frame> frame = link->read()) {
      take(*link, *std::move(frame));
      if (++in_a_row % kFramesInARow == 0) runtime::this_thread::yield();
    }
  } catch (const std::exception& error) {
    close_for(*link, error);
  } catch (...) {
    link->close("unknown error");
  }
  const std::string reason = link->end();
  {
    const std::lock_guard lock(mutex_);
    links_.erase(number);
    if (number != 0) --children_;
    if (is_leaving()) return;
  }
  receiver_.lost(number, reason);
}

void Core::take(TreeLink& link, Frame frame) {
  std::optional<FrameView> view = FrameView::parse(frame, limits_);
  if (!view) return link.close("it has sent a malformed frame");
  if (view->kind() == Kind::kBye) return link.close("it has left");
  if (view->kind() == Kind::kHeartbeat || is_leaving()) return;
  if (view->has_arrived()) {
    frames_received_.fetch_add(1, kRelaxed);
    const Bytes payload = view->payload();
    return receiver_.receive(view->source(link.number()), Frame(payload.begin(), payload.end()));
  }
  const std::uint16_t next = view->pass_on(link.number());
  const bool is_queued = queue(next, std::move(frame));
  (is_queued ? frames_passed_on_ : frames_dropped_).fetch_add(1, kRelaxed);
}

bool Core::queue(std::uint16_t link, Frame frame) {
  std::shared_ptr<TreeLink> found;
  {
    const std::lock_guard lock(mutex_);
    const auto place = links_.find(link);
    if (place != links_.end()) found = place->second;
  }
  return found && found->queue(std::move(frame));
}

void Core::send(const Route& to, const Frame& frame, const Route& on_behalf_of) {
  if (to.empty()) throw std::invalid_argument("Tree::send: the route is empty; it leads nowhere");
  if (frame.size() > options_.largest_frame) {
    throw std::length_error("Tree::send: a frame of " + std::to_string(frame.size()) +
                            " bytes is above TreeOptions::largest_frame; send it in parts, or "
                            "raise that in all processes");
  }
  const std::span<const std::uint16_t> behind_neighbour = std::span(to).subspan(1);
  const bool is_queued =
      on_behalf_of.size() + to.size() <= options_.longest_route &&
      queue(to.front(), make_frame(Kind::kData, on_behalf_of, behind_neighbour, frame));
  (is_queued ? frames_sent_ : frames_dropped_).fetch_add(1, kRelaxed);
}

std::vector<std::uint16_t> Core::neighbours() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint16_t> numbers;
  numbers.reserve(links_.size());
  for (const auto& entry : links_) numbers.push_back(entry.first);
  return numbers;
}

// --- Leaving -------------------------------------------------------------------------------------

void Core::leave() noexcept {
  std::unique_lock lock(mutex_);
  if (!is_leaving()) {
    leaving_.store(true, kRelaxed);
    stop_.request_stop();
    unproved_.stop_all();
    for (const auto& entry : links_) entry.second->finish();
  }
  const auto has_ended = [&] { return threads_ == 0; };
  if (changed_.wait_for(lock, options_.leave_within, has_ended)) return;
  is_closing_ = true;
  for (const auto& entry : links_) entry.second->close("");
  changed_.wait(lock, has_ended);
}

TreeStatistics Core::statistics() const {
  TreeStatistics all;
  all.frames_sent = frames_sent_.load(kRelaxed);
  all.frames_received = frames_received_.load(kRelaxed);
  all.frames_passed_on = frames_passed_on_.load(kRelaxed);
  all.frames_dropped = frames_dropped_.load(kRelaxed);
  all.bytes_sent = traffic_.bytes_sent.load(kRelaxed);
  all.bytes_received = traffic_.bytes_received.load(kRelaxed);
  for (std::size_t i = 0; i < kRefusals; ++i) all.refused[i] = refused_[i].load(kRelaxed);
  all.most_unproved = unproved_.most();
  return all;
}

}  // namespace kumiko::search::detail::tree
