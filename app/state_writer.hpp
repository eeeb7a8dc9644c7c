// Puts states of a run into files while the run goes on.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <optional>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "problem.hpp"

namespace kumiko::app {

/// One file at a time: the state is copied when it is asked for, and written by lightweight threads
/// beside those of the steps, or by a runtime of one worker where the backend has none.
class StateWriter {
 public:
  StateWriter(const Problem& problem, amr::Backend& backend);
  /// Waits for the file that is being written; what goes wrong then is not told.
  ~StateWriter();
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;

  /// Begins to write a state or a checkpoint, when the file before is done. Throws what settle()
  /// throws.
  void write_state(const std::filesystem::path& file, const amr::Simulation& simulation,
                   const RunFigures& figures);
  void write_checkpoint(const std::filesystem::path& file, const amr::Simulation& simulation,
                        const RunFigures& figures);

  /// Waits for the file that is being written. Throws what hindered it; for a checkpoint only if
  /// checkpoint.on_failure says so, else a warning is printed. Older checkpoints beyond
  /// checkpoint.keep go when a new one is there.
  void settle();

  /// The latest file that is there, of those written here: a run goes on from states as well.
  const std::optional<std::filesystem::path>& latest() const { return latest_; }
  /// The longest time from a request to the file.
  double longest_s() const { return longest_s_; }

 private:
  void start(const std::filesystem::path& file, const amr::Simulation& simulation,
             const RunFigures& figures);
  /// In the handler of an exception: passes it on, or prints a warning.
  void handle_failure() const;

  const Problem& problem_;
  amr::Backend& backend_;
  std::unique_ptr<runtime::Runtime> own_;  ///< where the backend has no runtime
  std::future<double> pending_;            ///< seconds that it took
  std::filesystem::path file_;             ///< being written
  bool is_checkpoint_ = false;
  std::optional<std::filesystem::path> latest_;
  double longest_s_ = 0.0;
};

}  // namespace kumiko::app
