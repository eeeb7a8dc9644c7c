#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <kumiko/cluster/region.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "calls/node.hpp"
#include "calls/waiting.hpp"

namespace kumiko::cluster {

namespace {

using Clock = std::chrono::steady_clock;
using detail::Access;

/// The longest wait for memory that a lost rank may still write to.
constexpr std::chrono::seconds kLongestOrphan{5};

/// A write of at least this size goes directly from memory to memory. This takes two messages of a
/// link instead of one, which cost less than a copy of as many bytes.
constexpr std::size_t kInPlace = 4096;

void copy(std::span<std::byte> to, const std::byte* from) noexcept {
  if (!to.empty()) std::memcpy(to.data(), from, to.size());
}

std::size_t serve_read(const detail::Call& call, Frame* result) {
  Reader reader(call.arguments, call.node);
  const auto access = Packing<Access>::unpack(reader);
  call.node.regions().use(access.region, Rights::kRead, access.offset, access.size,
                          [&](std::span<std::byte> memory) {
                            Writer writer(*result, call.caller);
                            writer.append(memory.data(), memory.size());
                          });
  return 0;
}

std::size_t serve_write(const detail::Call& call, Frame* /*result*/) {
  Reader reader(call.arguments, call.node);
  const auto access = Packing<Access>::unpack(reader);
  const std::byte* const bytes = reader.take(access.size, 16);
  call.node.regions().use(access.region, Rights::kWrite, access.offset, access.size,
                          [&](std::span<std::byte> memory) { copy(memory, bytes); });
  return 0;
}

const detail::Function kReadFunction{"kumiko::cluster::read", &serve_read};
const detail::Function kWriteFunction{"kumiko::cluster::write", &serve_write};

}  // namespace

ExposedRegion::ExposedRegion(const Here& here, std::span<std::byte> memory, Rights rights)
    : node_(detail::node_of(here)),
      region_{here.rank(), node_.regions().add(memory, rights), memory.size(), rights} {}

/// Aborts the program if the memory cannot be reused, because a lost rank that was writing to it
/// may still do so.
ExposedRegion::~ExposedRegion() {
  detail::Regions& regions = node_.regions();
  const detail::Endpoint& endpoint = node_.endpoint();
  regions.withdraw(region_.ticket);
  auto limit = Clock::now() + kLongestOrphan;
  while (!regions.freed(region_.ticket)) {
    const bool is_open = endpoint.is_open.load(std::memory_order_relaxed);
    const bool may_not_end = regions.has_only_orphans(region_.ticket) || !is_open;
    if (!may_not_end) {
      limit = Clock::now() + kLongestOrphan;
    } else if (Clock::now() > limit) {
      std::fprintf(stderr,
                   "kumiko: rank %d aborts: a rank was lost while it wrote to memory of this rank "
                   "that is about to be reused\n",
                   endpoint.rank);
      std::abort();
    }
    if (!is_open) endpoint.runtime.submit([] {});  // so that a worker is awake, and polls
    runtime::this_thread::sleep_for(detail::kFirstPause);
  }
}

void read(const Here& here, const Region& region, std::size_t offset, std::span<std::byte> into) {
  detail::check_access(region.rights, Rights::kRead, region.size, offset, into.size());
  detail::Node& node = detail::node_of(here);
  if (region.rank == here.rank()) {
    node.regions().use(region.ticket, Rights::kRead, offset, into.size(),
                       [&](std::span<std::byte> memory) { copy(into, memory.data()); });
    return;
  }
  const auto pack = [&](Writer& writer) {
    Access access{region.ticket, offset, into.size()};
    Packing<Access>::pack(writer, access);
  };
  const detail::Answer answer = detail::Inline::call(here, region.rank, kReadFunction, pack);
  if (answer.exception != nullptr) std::rethrow_exception(answer.exception);
  Reader reader(answer.value, node);
  copy(into, reader.take(into.size()));
}

Writing write(const Here& here, const Region& region, std::size_t offset,
              std::span<const std::byte> bytes) {
  detail::check_access(region.rights, Rights::kWrite, region.size, offset, bytes.size());
  auto sent = std::make_unique<detail::PendingFuture<void>>();
  auto written = std::make_unique<detail::PendingFuture<void>>();
  Writing writing{sent->future(), written->future()};
  if (region.rank == here.rank()) {
    detail::node_of(here).regions().use(
        region.ticket, Rights::kWrite, offset, bytes.size(),
        [&](std::span<std::byte> memory) { copy(memory, bytes.data()); });
    detail::finish(std::move(written));
    detail::finish(std::move(sent));
    return writing;
  }
  const bool in_place = bytes.size() >= kInPlace;
  const auto pack = [&](Writer& writer) {
    Access access{region.ticket, offset, bytes.size()};
    Packing<Access>::pack(writer, access);
    if (!in_place) writer.append(bytes.data(), bytes.size(), 16);
  };
  if (in_place) {
    detail::Body body{bytes, std::move(sent)};
    detail::Inline::write(here, region.rank, kWriteFunction, pack, body, std::move(written));
  } else {
    detail::Inline::call_later(here, region.rank, kWriteFunction, pack, std::move(written));
    detail::finish(std::move(sent));
  }
  return writing;
}

}  // namespace kumiko::cluster
