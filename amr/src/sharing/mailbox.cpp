#include "sharing/mailbox.hpp"

#include <utility>

namespace kumiko::amr {

Mailbox::Mailbox(Communicator& communicator)
    : communicator_(communicator), sent_(static_cast<std::size_t>(communicator.size())) {
  if (communicator.here() != nullptr) twin_.emplace(*communicator.here(), *this);
}

Mailbox::~Mailbox() { abandon(); }

void Mailbox::begin() {
  const std::lock_guard lock(mutex_);
  ++round_;
  read_ = 0;
  sent_.assign(sent_.size(), 0);
}

void Mailbox::send(std::int32_t to, std::span<const std::byte> text) {
  std::uint64_t round = 0;
  {
    const std::lock_guard lock(mutex_);
    ++sent_[static_cast<std::size_t>(to)];
    round = round_;
  }
  twin_->post(
      to,
      [](Mailbox& there, const cluster::Here& here, std::uint64_t of_round,
         std::span<const std::byte> what) { there.receive(here.caller(), of_round, what); },
      round, text);
}

void Mailbox::receive(std::int32_t from, std::uint64_t round, std::span<const std::byte> text) {
  std::unique_lock lock(mutex_);
  if (round == round_ && is_open_) return read(lock, from, text);
  kept_[round].push_back({from, {text.begin(), text.end()}});
  changed_.notify_all();
}

/// Hands a message on, without the lock.
void Mailbox::read(std::unique_lock<runtime::Mutex>& lock, std::int32_t from,
                   std::span<const std::byte> text) {
  ++reading_;
  lock.unlock();
  std::exception_ptr failed;
  try {
    reader_(from, text);
  } catch (...) {
    failed = std::current_exception();
  }
  lock.lock();
  if (failed && !failed_) failed_ = failed;
  ++read_;
  if (--reading_ == 0) changed_.notify_all();
}

template <class Ready>
void Mailbox::wait(std::unique_lock<runtime::Mutex>& lock, Ready ready) {
  while (!changed_.wait_for(lock, kAskEvery, ready)) {
    lock.unlock();
    communicator_.check_others();
    lock.lock();
  }
}

std::vector<Mailbox::Message> Mailbox::collect(std::size_t count) {
  std::unique_lock lock(mutex_);
  wait(lock, [&] { return kept_[round_].size() >= count; });
  auto messages = kept_.extract(round_);
  return std::move(messages.mapped());
}

void Mailbox::open(Reader read) {
  std::unique_lock lock(mutex_);
  reader_ = std::move(read);
  is_open_ = true;
  const auto early = kept_.extract(round_);
  if (early.empty()) return;
  for (const Message& message : early.mapped()) this->read(lock, message.from, message.text);
}

void Mailbox::close() {
  // Each rank says how many messages it has sent to each other rank.
  std::vector<std::uint32_t> own;
  {
    const std::lock_guard lock(mutex_);
    own = sent_;
  }
  const auto all = gather(communicator_, std::move(own));
  const auto to_this = static_cast<std::size_t>(communicator_.rank());
  std::size_t expected = 0;
  for (const std::vector<std::uint32_t>& sent : all) expected += sent[to_this];
  std::unique_lock lock(mutex_);
  wait(lock, [&] { return reading_ == 0 && (read_ == expected || failed_); });
  is_open_ = false;
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
}

void Mailbox::abandon() noexcept {
  std::unique_lock lock(mutex_);
  is_open_ = false;
  changed_.wait(lock, [&] { return reading_ == 0; });
}

}  // namespace kumiko::amr
