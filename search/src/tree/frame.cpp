#include "tree/frame.hpp"

#include <algorithm>
#include <cstring>

namespace kumiko::search::detail::tree {

namespace {

constexpr std::size_t kKindAt = 4;
constexpr std::size_t kPassedAt = 6;
constexpr std::size_t kLinksAt = 8;

Bytes without_code(Bytes sealed) noexcept { return sealed.first(sealed.size() - kMacBytes); }

}  // namespace

Frame make_frame(Kind kind, const Route& on_behalf_of, std::span<const std::uint16_t> to,
                 Bytes payload) {
  const std::size_t links = on_behalf_of.size() + to.size();
  Frame frame(kHeaderBytes + 2 * links + payload.size() + kMacBytes);
  const std::span<std::byte> bytes(frame);
  put_number(bytes.first(kLengthBytes), frame.size() - kLengthBytes);
  put_number(bytes.subspan(kKindAt, 2), static_cast<std::uint16_t>(kind));
  put_number(bytes.subspan(kPassedAt, 2), on_behalf_of.size());
  put_number(bytes.subspan(kLinksAt, 2), links);
  std::size_t at = kHeaderBytes;
  const auto put_link = [&](std::uint16_t link) {
    put_number(bytes.subspan(at, 2), link);
    at += 2;
  };
  std::for_each(on_behalf_of.rbegin(), on_behalf_of.rend(), put_link);
  std::for_each(to.begin(), to.end(), put_link);
  if (!payload.empty()) std::memcpy(bytes.data() + at, payload.data(), payload.size());
  return frame;
}

std::optional<std::size_t> sealed_size(Bytes first, const FrameLimits& limits) noexcept {
  const std::uint64_t size = kLengthBytes + get_number(first.first(kLengthBytes));
  if (size < kHeaderBytes + kMacBytes || size > limits.most_bytes()) return std::nullopt;
  return size;
}

std::optional<FrameView> FrameView::parse(std::span<std::byte> sealed,
                                          const FrameLimits& limits) noexcept {
  if (sealed.size() < kHeaderBytes + kMacBytes) return std::nullopt;
  if (sealed_size(sealed, limits) != sealed.size()) return std::nullopt;
  const std::uint64_t kind = get_number(sealed.subspan(kKindAt, 2));
  const std::uint64_t passed = get_number(sealed.subspan(kPassedAt, 2));
  const std::uint64_t links = get_number(sealed.subspan(kLinksAt, 2));
  if (kind < static_cast<std::uint64_t>(Kind::kData) ||
      kind > static_cast<std::uint64_t>(Kind::kBye)) {
    return std::nullopt;
  }
  if (passed > links || links > limits.longest_route) return std::nullopt;
  const std::size_t room = sealed.size() - kHeaderBytes - kMacBytes;
  if (2 * links > room || room - 2 * links > limits.largest_frame) return std::nullopt;
  return FrameView(sealed, static_cast<Kind>(kind), passed, links);
}

Bytes FrameView::payload() const noexcept {
  return without_code(sealed_).subspan(kHeaderBytes + 2 * links_);
}

Route FrameView::source(std::uint16_t link) const {
  Route way;
  way.reserve(passed_ + 1);
  way.push_back(link);
  for (std::size_t i = passed_; i-- > 0;) {
    way.push_back(static_cast<std::uint16_t>(get_number(link_at(i))));
  }
  return way;
}

std::uint16_t FrameView::pass_on(std::uint16_t link) noexcept {
  const std::span<std::byte> here = link_at(passed_);
  const auto next = static_cast<std::uint16_t>(get_number(here));
  put_number(here, link);
  put_number(sealed_.subspan(kPassedAt, 2), ++passed_);
  return next;
}

Mac Seal::code_of_next(Bytes frame) {
  return Hmac(key_).add(number_++).add(without_code(frame)).finish();
}

void Seal::close(std::span<std::byte> frame) {
  const Mac code = code_of_next(frame);
  std::memcpy(frame.data() + frame.size() - kMacBytes, code.data(), kMacBytes);
}

bool Seal::fits(Bytes sealed) { return are_equal(code_of_next(sealed), sealed.last(kMacBytes)); }

}  // namespace kumiko::search::detail::tree
