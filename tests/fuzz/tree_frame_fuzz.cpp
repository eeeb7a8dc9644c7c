// Takes random bytes for what a link of a tree has sent, sealed or not, and finds no crash and no
// read beyond them. What is believed can be passed on, and be written again as the same bytes; no
// handshake succeeds.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tree/frame.hpp"
#include "tree/handshake.hpp"

namespace kumiko::search::detail::tree {
namespace {

constexpr FrameLimits kLimits{200, 6};

void require(bool holds) {
  if (!holds) __builtin_trap();
}

/// The bytes, of just that size, so that AddressSanitizer sees what is read beyond them.
Frame copy_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

/// Whether the first frame, without its code, is what make_frame() makes of its parts.
bool is_written_alike(const Frame& frame, const FrameView& view) {
  Route passed = view.source(0);
  passed.erase(passed.begin());
  Route to;
  Frame rest = frame;
  for (auto next = FrameView::parse(rest, kLimits); !next->has_arrived();
       next = FrameView::parse(rest, kLimits)) {
    to.push_back(next->pass_on(7));
  }
  const Frame again = make_frame(view.kind(), passed, to, view.payload());
  return again.size() == frame.size() &&
         std::equal(again.begin(), again.end() - kMacBytes, frame.begin());
}

void take_for_a_frame(Bytes bytes) {
  Frame frame = copy_of(bytes);
  if (frame.size() >= kLengthBytes) {
    const std::optional<std::size_t> size = sealed_size(frame, kLimits);
    require(!size || *size <= kLimits.most_bytes());
  }
  const std::optional<FrameView> view = FrameView::parse(frame, kLimits);
  if (!view) return;
  require(!Seal(Mac{}).fits(frame));
  require(view->payload().size() <= kLimits.largest_frame);
  require(is_written_alike(frame, *view));
}

/// The same with a length that fits.
void take_for_a_frame_of_its_length(Bytes bytes) {
  if (bytes.size() < kLengthBytes) return;
  Frame frame = copy_of(bytes);
  put_number(std::span(frame).first(kLengthBytes), frame.size() - kLengthBytes);
  take_for_a_frame(frame);
}

void take_for_a_handshake(Bytes bytes) {
  const std::string secret = "secret";
  Handshake accepts(Role::kAccepts, secret, 1);
  Handshake joins(Role::kJoins, secret, 1);
  if (bytes.size() >= kHelloBytes) {
    const Frame hello = copy_of(bytes.first(kHelloBytes));
    static_cast<void>(accepts.take_hello(hello));
    static_cast<void>(joins.take_hello(hello));
  }
  if (bytes.size() >= kProofBytes) {
    require(accepts.take_proof(copy_of(bytes.last(kProofBytes))).has_value());
  }
  if (bytes.size() >= kVerdictBytes) {
    require(joins.take_verdict(copy_of(bytes.last(kVerdictBytes))).has_value());
  }
}

}  // namespace
}  // namespace kumiko::search::detail::tree

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kumiko::search::detail::tree;
  const auto bytes = std::as_bytes(std::span(data, size));
  take_for_a_frame(bytes);
  take_for_a_frame_of_its_length(bytes);
  take_for_a_handshake(bytes);
  return 0;
}
