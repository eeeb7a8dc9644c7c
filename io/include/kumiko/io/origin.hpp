// Where, when and by what a run is computed.
#pragma once

#include <string>

namespace kumiko::io {

/// It stands in the summary and in sidecars alone: what two equal runs write elsewhere is equal to
/// the bit.
struct Origin {
  std::string host = {};      ///< name of the machine
  std::string cpu = {};       ///< model of its processors
  std::string date = {};      ///< when the run began, or went on: ISO 8601 in UTC, to the second
  std::string version = {};   ///< of Kumiko
  std::string compiler = {};  ///< that built the program, and its version
};

}  // namespace kumiko::io
