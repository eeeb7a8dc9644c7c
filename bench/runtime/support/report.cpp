#include "report.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>

namespace kumiko::bench {

namespace {

/// The most memory that was resident so far. Not getrusage: its maximum also covers what the
/// process was before execve, a copy of the driver.
std::int64_t peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("VmHWM:")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::int64_t kibibytes = 0;
    words >> kibibytes;
    return kibibytes * 1024;
  }
  return 0;
}

}  // namespace

void print_report(std::string_view benchmark, std::string_view system, int workers,
                  const Arguments& arguments, const Measurement& measurement) {
  std::ostringstream line;
  line.precision(9);
  const char* separator = "";
  line << R"({"benchmark": ")" << benchmark << R"(", "system": ")" << system << R"(", "workers": )"
       << workers << R"(, "parameters": {)";
  for (const auto& [name, value] : arguments.asked()) {
    line << separator << '"' << name << R"(": ")" << value << '"';
    separator = ", ";
  }
  line << R"(}, "seconds": )" << measurement.seconds << R"(, "operations": )"
       << measurement.operations << R"(, "ns_per_operation": )"
       << measurement.seconds * 1e9 / static_cast<double>(measurement.operations)
       << R"(, "result": {)";
  separator = "";
  for (const auto& [name, value] : measurement.result) {
    line << separator << '"' << name << R"(": )" << value;
    separator = ", ";
  }
  line << R"(}, "peak_rss_bytes": )" << peak_rss_bytes() << "}\n";
  std::fputs(line.str().c_str(), stdout);
}

}  // namespace kumiko::bench
