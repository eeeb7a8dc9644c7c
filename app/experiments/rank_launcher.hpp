// Runs a case on ranks, each time by a launcher, as one does by hand.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "run/shared_options.hpp"

namespace kumiko::app {

class RankLauncher {
 public:
  /// \param command  starts ranks, in the shell's words, with {ranks} and perhaps {workers} in it;
  ///                 empty: mpirun of an MPI whose link lies next to this program
  /// Throws RequestError where there is none, or the command says nothing of {ranks}.
  explicit RankLauncher(const std::string& command);

  /// Runs a case to its last step by `kumiko run`, without files of states. \return its summary.
  /// Throws std::runtime_error with what the run says.
  /// \param folder  gets a hidden folder during the run; empty: the folder of temporary files does
  nlohmann::ordered_json run(const CaseRequest& request, const std::filesystem::path& folder,
                             int ranks, int workers) const;

 private:
  std::string command_;
};

}  // namespace kumiko::app
