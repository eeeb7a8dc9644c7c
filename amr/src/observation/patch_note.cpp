#include "observation/patch_note.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace kumiko::amr {

namespace {

/// Text in a given room, for signal handlers: what does not fit is left out.
class NoteText {
 public:
  explicit NoteText(std::span<char> room) : room_(room) {}

  NoteText& operator<<(std::string_view text) {
    const std::size_t count = std::min(text.size(), room_.size() - used_);
    std::copy_n(text.data(), count, room_.data() + used_);
    used_ += count;
    return *this;
  }
  template <class Number>
  requires std::is_arithmetic_v<Number> NoteText& operator<<(Number number) {
    char* const end = room_.data() + room_.size();
    const auto [past, error] = std::to_chars(room_.data() + used_, end, number);
    if (error == std::errc()) used_ = static_cast<std::size_t>(past - room_.data());
    return *this;
  }
  std::size_t used() const { return used_; }

 private:
  std::span<char> room_;
  std::size_t used_ = 0;
};

}  // namespace

std::size_t PatchNote::write(std::span<char> room) const noexcept {
  NoteText line(room);
  line << work_ << " of level " << patch_.level << " patch (" << patch_.i << ", " << patch_.j
       << ")";
  if (base_step_ != kNoStep) line << " in base step " << base_step_;
  return (line << " at t = " << time_).used();
}

std::string PatchNote::text() const {
  std::array<char, 200> room;
  return {room.data(), write(room)};
}

}  // namespace kumiko::amr
