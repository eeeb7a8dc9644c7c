#include "record/descriptor.hpp"

namespace kumiko::runtime::detail {

namespace {

constexpr std::size_t kCanaryWords = 8;
constexpr std::uint64_t kCanary = 0x6b756d696b6f2121;  // unlikely as data

std::uint64_t* canary(const Descriptor& thread) noexcept {
  return reinterpret_cast<std::uint64_t*>(thread.stack_bottom());
}

}  // namespace

void Descriptor::set_canary() noexcept {
  guarded = false;
  std::fill_n(canary(*this), kCanaryWords, kCanary);
}

bool Descriptor::has_overflown() const noexcept {
  const auto intact = [](std::uint64_t word) { return word == kCanary; };
  return !guarded && !std::all_of(canary(*this), canary(*this) + kCanaryWords, intact);
}

}  // namespace kumiko::runtime::detail
