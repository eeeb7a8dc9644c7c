#include "calls/collections.hpp"

#include <mutex>
#include <stdexcept>
#include <utility>

namespace kumiko::cluster::detail {

namespace {

/// The parts by rank: for each a size of 8 bytes and the bytes, both at a multiple of 16.
Frame joined(const std::vector<std::vector<std::byte>>& parts) {
  Frame frame;
  Writer writer(frame, 0);
  for (const std::vector<std::byte>& part : parts) {
    const std::uint64_t size = part.size();
    writer.append(&size, sizeof size, 16);
    writer.append(part.data(), part.size(), 16);
  }
  return frame;
}

}  // namespace

void Collections::begin(const Collection& what, Packer pack, std::unique_ptr<Pending> pending) {
  Frame message = Sender::packed(kCollector, pack);
  const std::uint64_t number = add(std::move(pending));
  const MessageHeader header{.kind = Kind::kPart,
                             .function = what.operation,
                             .slot = static_cast<std::uint32_t>(what.root),
                             .generation = what.type,
                             .amount = number};
  if (endpoint_.rank != kCollector) return sender_.send(kCollector, std::move(message), header);
  take_part(endpoint_.rank, header, std::span(message).subspan(kBeforePayload));
  sender_.wake_poller();
}

std::uint64_t Collections::add(std::unique_ptr<Pending> pending) {
  const std::lock_guard lock(guard_);
  if (next_ >= first_failed_) std::rethrow_exception(exception_);
  waiting_.emplace(next_, std::move(pending));
  return next_++;
}

/// The operation of this number; nullptr if it has ended.
std::unique_ptr<Pending> Collections::take(std::uint64_t number) {
  const std::lock_guard lock(guard_);
  const auto place = waiting_.find(number);
  if (place == waiting_.end()) return nullptr;
  std::unique_ptr<Pending> pending = std::move(place->second);
  waiting_.erase(place);
  return pending;
}

/// Keeps a rank's part. Returns all parts if it is the last one.
std::optional<Collections::Gathered> Collections::add_part(std::uint64_t number, int rank,
                                                           const Collection& what,
                                                           std::vector<std::byte> part) {
  const std::lock_guard lock(guard_);
  if (number >= first_failed_) return {};
  Gathered& gathered = gathered_[number];
  if (gathered.parts.empty()) {
    gathered.parts.resize(static_cast<std::size_t>(endpoint_.size));
    gathered.has_come.resize(static_cast<std::size_t>(endpoint_.size));
    gathered.what = what;
  }
  gathered.disagree = gathered.disagree || gathered.what != what;
  gathered.parts[static_cast<std::size_t>(rank)] = std::move(part);
  gathered.has_come[static_cast<std::size_t>(rank)] = true;
  if (++gathered.count < endpoint_.size) return {};
  Gathered complete = std::move(gathered);
  gathered_.erase(number);
  return complete;
}

/// The parts come together on one rank whatever the root is, so that it sees whether all ranks ask
/// for the same operation.
void Collections::take_part(int source, const MessageHeader& header,
                            std::span<const std::byte> part) {
  const Collection what{static_cast<Operation>(header.function), static_cast<int>(header.slot),
                        header.generation};
  const std::optional<Gathered> complete =
      add_part(header.amount, source, what, std::vector<std::byte>(part.begin(), part.end()));
  if (!complete) return;
  const Frame parts = complete->disagree ? Frame() : joined(complete->parts);
  for (int rank = 0; rank < endpoint_.size; ++rank) {
    const auto pack = [&](Writer& writer) {
      if (what.operation != kGather || rank == what.root) {
        writer.append(parts.data(), parts.size(), kMessageAlignment);
      }
    };
    Frame message = Sender::packed(rank, pack);
    const MessageHeader result{
        .kind = Kind::kCollected, .credit_returned = complete->disagree, .amount = header.amount};
    if (rank != endpoint_.rank) {
      sender_.add(rank, std::move(message), result);
      continue;
    }
    const auto shared = std::make_shared<const Frame>(std::move(message));
    finish({rank, shared, result, std::span(*shared).subspan(kBeforePayload)});
  }
}

void Collections::finish(const IncomingMessage& message) {
  const std::unique_ptr<Pending> pending = take(message.header.amount);
  if (pending == nullptr) return;
  if (!message.header.credit_returned) {
    return pending->finish({&endpoint_.node, message.frame, message.payload, nullptr});
  }
  pending->finish(failure(std::make_exception_ptr(std::logic_error(
      "the ranks of a cluster asked for different collective operations, roots or types; all must "
      "ask for the same ones in the same order"))));
}

void Collections::fail(std::uint64_t first, const std::exception_ptr& exception) {
  std::vector<std::unique_ptr<Pending>> failed;
  {
    const std::lock_guard lock(guard_);
    if (first < first_failed_) {
      first_failed_ = first;
      exception_ = exception;
    }
    const auto begin = waiting_.lower_bound(first);
    for (auto at = begin; at != waiting_.end(); ++at) failed.push_back(std::move(at->second));
    waiting_.erase(begin, waiting_.end());
    gathered_.erase(gathered_.lower_bound(first), gathered_.end());
  }
  for (const std::unique_ptr<Pending>& pending : failed) pending->finish(failure(exception));
}

std::uint64_t Collections::begun() {
  const std::lock_guard lock(guard_);
  return next_;
}

void Collections::mark_awaited(std::vector<bool>& ranks) {
  const std::lock_guard lock(guard_);
  if (!waiting_.empty()) ranks[static_cast<std::size_t>(kCollector)] = true;
  for (const auto& [number, gathered] : gathered_) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (!gathered.has_come[rank]) ranks[rank] = true;
    }
  }
}

}  // namespace kumiko::cluster::detail
