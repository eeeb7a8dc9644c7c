// For builds without the page's script.
#include <span>
#include <stdexcept>

#include <kumiko/viz/report.hpp>

namespace kumiko::viz {

bool report_available() { return false; }

void write_report(const std::filesystem::path&, std::span<const ReportRun>, const ReportOptions&) {
  throw std::runtime_error(
      "this build cannot write reports; build Kumiko with -D KUMIKO_WITH_REPORT=ON");
}

void write_report(const std::filesystem::path& file, const ReportSearch&,
                  const ReportOptions& options) {
  write_report(file, std::span<const ReportRun>(), options);
}

}  // namespace kumiko::viz
