// The machine, the time and the program of a run.
#pragma once

#include <string>

namespace kumiko::io {

/// These data are only in the summary and in sidecars. All other files of two equal runs are equal
/// to the bit.
struct Origin {
  std::string host = {};  ///< name of the machine
  std::string cpu = {};   ///< model of its processors
  std::string date = {};  ///< when the run began or was continued: ISO 8601 in UTC, to the second
  std::string version = {};   ///< of Kumiko
  std::string compiler = {};  ///< the compiler that built the program, with its version
};

}  // namespace kumiko::io
