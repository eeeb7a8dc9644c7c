#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/trace_file.hpp>

namespace kumiko::io {

bool otf2_available() { return false; }

void write_otf2(const std::filesystem::path& folder, const amr::Trace& /*trace*/) {
  throw OutputError(fmt::format(
      "cannot write '{}': this build has no OTF2; configure it with KUMIKO_WITH_OTF2=ON",
      folder.string()));
}

}  // namespace kumiko::io
