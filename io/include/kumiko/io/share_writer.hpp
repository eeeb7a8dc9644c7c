// Writes one rank's records into the checkpoints that rank 0 makes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <kumiko/amr/communicator.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/cluster/twin.hpp>
#include <kumiko/runtime/mutex.hpp>

namespace kumiko::io {

struct WriteAnswer;
struct WriteRequest;

/// Keeps the records of a rank other than rank 0, from the time when the run was saved until
/// rank 0's write_checkpoint() requests them. Then lightweight threads hash the records and write
/// them to their places in the file, which rank 0 has made and which both ranks must see. The run
/// continues meanwhile. Rank 0 has one too, to reach those of the others.
class ShareWriter {
 public:
  /// Writes records to the file of a request.
  using Write = std::function<WriteAnswer(const WriteRequest&, const amr::SavedRecords&)>;

  /// Each rank makes one. The communicator must outlive it.
  explicit ShareWriter(const amr::Communicator& communicator);
  /// As the other, with a function to write with.
  ShareWriter(const amr::Communicator& communicator, Write write);
  /// Waits for writes in progress.
  ~ShareWriter() = default;
  ShareWriter(const ShareWriter&) = delete;
  ShareWriter& operator=(const ShareWriter&) = delete;

  /// Takes the records from amr::Simulation::follow(); they replace records that have not been
  /// requested.
  void take(amr::SavedRecords&& records);
  /// Writes the records that have been taken. On a lightweight thread.
  WriteAnswer write(const WriteRequest& request);
  /// The number of ranks.
  int ranks() const;
  /// Has another rank write its records. On a lightweight thread, which suspends. Throws
  /// cluster::RankLost, or cluster::RemoteError with what write() throws there.
  WriteAnswer write_there(std::int32_t rank, const WriteRequest& request) const;

 private:
  Write write_;
  runtime::Mutex mutex_;
  amr::SavedRecords records_;  ///< guarded by it
  std::optional<cluster::Twin<ShareWriter>> twin_;
};

}  // namespace kumiko::io
