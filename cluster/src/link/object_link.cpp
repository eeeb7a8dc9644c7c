#include "link/object_link.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include <kumiko/runtime/kept_environment.hpp>

#include "mpi/link_abi.h"

namespace kumiko::cluster::detail {

namespace {

using Clock = std::chrono::steady_clock;

/// The longest wait for the other ranks at the end of a link that was not closed.
constexpr std::chrono::seconds kLongestClosing{10};
constexpr std::chrono::microseconds kClosingPause{100};

/// The time for which a rank that gives up stays, so that the others can print their messages.
constexpr std::chrono::milliseconds kGrace{500};

Receiver& receiver_of(void* receiver) { return *static_cast<Receiver*>(receiver); }

constexpr kumiko_link_host kHost{
    .arrived =
        [](void* receiver, int32_t source, const void* bytes, size_t size) {
          Frame frame(size);
          std::memcpy(frame.data(), bytes, size);
          receiver_of(receiver).receive(source, std::move(frame));
        },
    .make = [](size_t size, void** bytes) -> void* {
      auto frame = std::make_unique<Frame>(size);
      *bytes = frame->data();
      return frame.release();
    },
    .filled =
        [](void* receiver, int32_t source, void* filled) {
          const std::unique_ptr<Frame> frame(static_cast<Frame*>(filled));
          receiver_of(receiver).receive(source, std::move(*frame));
        },
    .release = [](void* frame) { delete static_cast<Frame*>(frame); },
    .body_sent = [](void* receiver, int32_t rank,
                    uint64_t number) { receiver_of(receiver).body_sent(rank, number); },
    .body_taken = [](void* receiver, int32_t source,
                     uint64_t number) { receiver_of(receiver).body_taken(source, number); },
};

/// The arguments of end_the_others(), which runs when the process exits after its rank has given
/// up.
struct LastAct {
  const kumiko_link_functions* functions;
  int rank;
  std::string reason;
};

void end_the_others(int status, void* act) {
  const auto& last = *static_cast<const LastAct*>(act);
  if (!last.reason.empty()) {
    std::fprintf(stderr, "kumiko: error: rank %d is gone: %s; the other ranks end with it\n",
                 last.rank, last.reason.c_str());
  }
  std::this_thread::sleep_for(kGrace);
  last.functions->abort(status == 0 ? 1 : status);
}

/// Events that have come and have not been reported yet.
class Inbox final : public Receiver {
 public:
  bool empty() const noexcept { return frames_.empty() && taken_.empty() && sent_.empty(); }

  /// Reports all events. Returns the number of frames and bodies.
  int hand_over(Receiver& receiver) noexcept {
    if (empty()) return 0;
    const auto frames = std::exchange(frames_, {});
    for (const auto& [source, frame] : frames) receiver.receive(source, std::move(*frame));
    const auto taken = std::exchange(taken_, {});
    for (const auto& [source, number] : taken) receiver.body_taken(source, number);
    for (const auto& [rank, number] : std::exchange(sent_, {})) receiver.body_sent(rank, number);
    return static_cast<int>(frames.size() + taken.size());
  }

  void receive(int source, Frame frame) noexcept override {
    frames_.emplace_back(source, std::make_unique<Frame>(std::move(frame)));
  }
  void lost(int /*rank*/, const std::string& /*reason*/) noexcept override {}
  void body_sent(int rank, std::uint64_t number) noexcept override {
    sent_.emplace_back(rank, number);
  }
  void body_taken(int source, std::uint64_t number) noexcept override {
    taken_.emplace_back(source, number);
  }

 private:
  std::vector<std::pair<int, std::unique_ptr<Frame>>> frames_;
  std::vector<std::pair<int, std::uint64_t>> sent_;
  std::vector<std::pair<int, std::uint64_t>> taken_;
};

class ObjectLink final : public Link {
 public:
  explicit ObjectLink(const kumiko_link_functions& functions) noexcept : functions_(functions) {}
  ObjectLink(const ObjectLink&) = delete;
  ObjectLink& operator=(const ObjectLink&) = delete;

  ~ObjectLink() override {
    if (end_ == End::kUnused) close_unused();
    if (end_ == End::kClosing) wait_until_closed();
    if (end_ == End::kClosed) {
      if (functions_.finish() == 0) return;
      abandon(functions_.error_text());
    }
    // Later, because the caller may still have to report an error.
    auto* const last_act = new (std::nothrow) LastAct{&functions_, rank(), std::move(reason_)};
    if (last_act == nullptr) std::abort();  // which ends the others, too
    on_exit(&end_the_others, last_act);
  }

  int rank() const noexcept override { return functions_.rank(); }
  int size() const noexcept override { return functions_.size(); }
  int pollable() const noexcept override { return -1; }
  bool is_transferring() const noexcept override { return functions_.under_way() != 0; }

  void send(int rank, Frame frame) noexcept override {
    if (is_broken_) return;
    auto kept = std::make_unique<Frame>(std::move(frame));
    const std::byte* const bytes = kept->data();
    const std::size_t size = kept->size();
    // The next poll reports the failure.
    is_broken_ = functions_.send(rank, bytes, size, kept.release()) != 0;
  }

  void send_body(int rank, std::uint64_t number,
                 std::span<const std::byte> bytes) noexcept override {
    if (is_broken_) return;
    is_broken_ = functions_.send_body(rank, number, bytes.data(), bytes.size()) != 0;
  }
  void take_body(int source, std::uint64_t number, std::span<std::byte> into) noexcept override {
    if (is_broken_) return;
    is_broken_ = functions_.take_body(source, number, into.data(), into.size()) != 0;
  }
  void give_up_bodies(int source) noexcept override {
    if (!is_broken_) is_broken_ = functions_.give_up_bodies(source) != 0;
  }

  bool look() noexcept override {
    std::int32_t frames = 0;
    Receiver& inbox = inbox_;
    is_broken_ = is_broken_ || functions_.poll(&inbox, &frames) != 0;
    return !inbox_.empty() || is_broken_ || end_ == End::kClosing;
  }

  int poll(Receiver& receiver) noexcept override {
    std::int32_t frames = inbox_.hand_over(receiver);
    is_broken_ = is_broken_ || functions_.poll(&receiver, &frames) != 0;
    if (is_broken_) report_failure(receiver);
    if (end_ == End::kClosing) continue_closing();
    return frames;
  }

  void close() noexcept override { end_ = End::kClosing; }
  bool is_closed() const noexcept override { return end_ != End::kClosing; }

  void abandon(std::string_view reason) noexcept override {
    reason_ = reason;
    end_ = End::kAbandoned;
  }

 private:
  enum class End { kUnused, kClosing, kClosed, kAbandoned };

  void report_failure(Receiver& receiver) {
    if (std::exchange(has_reported_, true)) return;
    const std::string reason = functions_.error_text();
    abandon(reason);
    for (int other = 0; other < size(); ++other) {
      if (other != rank()) receiver.lost(other, reason);
    }
  }

  void continue_closing() {
    std::int32_t is_done = 0;
    if (functions_.agree_to_close(&is_done) != 0) return abandon(functions_.error_text());
    if (is_done != 0) end_ = End::kClosed;
  }

  /// The link was not used: because of an exception, or because no rank makes a Cluster.
  void close_unused() {
    if (std::uncaught_exceptions() > 0) return abandon("it has ended by an exception");
    close();
  }

  void wait_until_closed() {
    const auto limit = Clock::now() + kLongestClosing;
    for (;;) {
      std::int32_t frames = 0;
      Receiver& inbox = inbox_;
      if (functions_.poll(&inbox, &frames) != 0) return abandon(functions_.error_text());
      continue_closing();
      if (end_ != End::kClosing) return;
      if (Clock::now() > limit) return abandon("the others did not come to the end of the cluster");
      std::this_thread::sleep_for(kClosingPause);
    }
  }

  const kumiko_link_functions& functions_;
  Inbox inbox_;
  End end_ = End::kUnused;
  std::string reason_;
  bool is_broken_ = false;
  bool has_reported_ = false;
};

const kumiko_link_functions& functions_of(const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& why) {
    return std::runtime_error("the link '" + file.string() + "' cannot be used: " + why);
  };
  // Local, because programs may have other libraries with these names. It is never closed.
  void* const object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) throw refuse(dlerror());
  const auto entry =
      reinterpret_cast<kumiko_link_entry_function>(dlsym(object, KUMIKO_LINK_ENTRY_SYMBOL));
  if (entry == nullptr)
    throw refuse("it has no " KUMIKO_LINK_ENTRY_SYMBOL "(); install Kumiko anew");
  const kumiko_link_functions* const functions = entry();
  if (functions == nullptr || functions->version != KUMIKO_LINK_ABI_VERSION) {
    throw refuse("it is of another version of Kumiko; install Kumiko anew");
  }
  return *functions;
}

}  // namespace

std::unique_ptr<Link> open_link(const std::filesystem::path& object, const std::string& mpi,
                                int ranks) {
  // An MPI and the libraries that it loads must not change this program.
  runtime::KeptEnvironment environment;
  const kumiko_link_functions& functions = functions_of(object);
  const bool is_open = functions.open(&kHost) == 0;
  environment.restore();
  if (!is_open) {
    throw std::runtime_error(mpi + " cannot be used: " + functions.error_text());
  }
  auto link = std::make_unique<ObjectLink>(functions);
  if (ranks == 0 || link->size() == ranks) return link;
  const int found = link->size();
  if (found > 1) link->abandon("it is not one of as many ranks as were launched");
  link.reset();
  throw std::runtime_error(
      "the launcher has started " + std::to_string(ranks) + " ranks, but " + mpi +
      " says that there " + (found == 1 ? "is " : "are ") + std::to_string(found) +
      ": the launcher belongs to another MPI; start the program with the launcher of " + mpi +
      ", or unset KUMIKO_LINK");
}

}  // namespace kumiko::cluster::detail
