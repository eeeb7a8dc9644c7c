// Writes one rank's records into the checkpoints that rank 0 makes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/runtime/mutex.hpp>

namespace kumiko::io {

/// Keeps the records of a rank other than rank 0, from the time when the run was saved until
/// rank 0's write_checkpoint() requests them. Then lightweight threads hash the records and write
/// them to their places in the file, which rank 0 has made and which both ranks must see. The run
/// continues meanwhile.
class ShareWriter {
 public:
  /// The rank must outlive it.
  explicit ShareWriter(amr::Communicator& communicator);
  /// Waits for writes in progress.
  ~ShareWriter();
  ShareWriter(const ShareWriter&) = delete;
  ShareWriter& operator=(const ShareWriter&) = delete;

  /// Takes the records from amr::Simulation::follow(); they replace records that have not been
  /// requested.
  void take(amr::SavedRecords&& records);

 private:
  std::vector<std::byte> answer(std::span<const std::byte> question);

  amr::Communicator& communicator_;
  runtime::Mutex mutex_;
  amr::SavedRecords records_;  ///< guarded by it
};

}  // namespace kumiko::io
