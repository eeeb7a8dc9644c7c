// Turns the OTF2 library's complaints into errors, and checks that what it has written is there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include <otf2/otf2.h>

namespace kumiko::io::otf2 {

/// Collects the library's first complaint, which it would print, while it lives.
class Complaints {
 public:
  Complaints() : former_(OTF2_Error_RegisterCallback(note, this)) {}
  ~Complaints() { OTF2_Error_RegisterCallback(former_, nullptr); }
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;

  /// Throws OutputError with the cause when a call has failed.
  void require(OTF2_ErrorCode code) const;
  template <class Handle>
  Handle* require(Handle* handle) const {
    if (handle == nullptr) fail("the OTF2 library gives no cause");
    return handle;
  }

 private:
  [[noreturn]] void fail(const std::string& cause) const;
  static OTF2_ErrorCode note(void* self, const char* file, std::uint64_t line, const char* function,
                             OTF2_ErrorCode code, const char* format, va_list values);

  std::string first_;
  OTF2_ErrorCallback former_;
};

/// Reads an archive, since the library says nothing when the disk is full while it closes a file.
/// Throws OutputError unless all is there.
/// \param anchor  the archive's `*.otf2`
/// \param events  how many each location has
void require_whole(const std::filesystem::path& anchor, std::span<const std::uint64_t> events,
                   const Complaints& complaints);

}  // namespace kumiko::io::otf2
