#include "trace/otf2_library.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <memory>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>

namespace kumiko::io::otf2 {

void Complaints::require(OTF2_ErrorCode code) const {
  if (code != OTF2_SUCCESS) fail(OTF2_Error_GetDescription(code));
}

void Complaints::fail(const std::string& cause) const {
  throw OutputError(first_.empty() ? cause : first_);
}

OTF2_ErrorCode Complaints::note(void* self, const char* /*file*/, std::uint64_t /*line*/,
                                const char* /*function*/, OTF2_ErrorCode code, const char* format,
                                va_list values) {
  std::string& first = static_cast<Complaints*>(self)->first_;
  if (!first.empty()) return code;
  std::array<char, 200> text{};
  if (format != nullptr) std::vsnprintf(text.data(), text.size(), format, values);
  first = fmt::format("{}: {}", OTF2_Error_GetDescription(code), text.data());
  return code;
}

namespace {

constexpr const char* kIncomplete = "not all of it reached the disk; is it full?";

/// All of one location's events.
std::uint64_t count_events(OTF2_Reader* reader, OTF2_LocationRef location) {
  OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader, location);
  std::uint64_t read = 0;
  if (events == nullptr || OTF2_Reader_ReadAllLocalEvents(reader, events, &read) != OTF2_SUCCESS) {
    return OTF2_UNDEFINED_UINT64;
  }
  return read;
}

bool has_definitions(OTF2_Reader* reader) {
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  std::uint64_t expected = 0;
  std::uint64_t read = 0;
  return definitions != nullptr &&
         OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &expected) == OTF2_SUCCESS &&
         OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read) == OTF2_SUCCESS &&
         read == expected;
}

}  // namespace

void require_whole(const std::filesystem::path& anchor, std::span<const std::uint64_t> events,
                   const Complaints& complaints) {
  const std::unique_ptr<OTF2_Reader, decltype(&OTF2_Reader_Close)> reader(
      OTF2_Reader_Open(anchor.c_str()), &OTF2_Reader_Close);
  if (!reader) throw OutputError(kIncomplete);
  complaints.require(OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()));
  bool whole = has_definitions(reader.get());
  for (OTF2_LocationRef location = 0; location < events.size(); ++location) {
    complaints.require(OTF2_Reader_SelectLocation(reader.get(), location));
  }
  complaints.require(OTF2_Reader_OpenEvtFiles(reader.get()));
  for (OTF2_LocationRef location = 0; whole && location < events.size(); ++location) {
    whole = count_events(reader.get(), location) == events[location];
  }
  complaints.require(OTF2_Reader_CloseEvtFiles(reader.get()));
  if (!whole) throw OutputError(kIncomplete);
}

}  // namespace kumiko::io::otf2
