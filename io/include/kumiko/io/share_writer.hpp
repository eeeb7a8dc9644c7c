// Writes one owner's records into the checkpoints that owner 0 makes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/runtime/mutex.hpp>

namespace kumiko::io {

/// Has the records of an owner that follows owner 0, from when the run was saved until owner 0's
/// write_checkpoint() asks for them: then lightweight threads hash them and put them where they
/// belong in the file, which owner 0 has made and both must see. The run goes on meanwhile.
class ShareWriter {
 public:
  /// The owner must outlive it.
  explicit ShareWriter(amr::Owner& owner);
  /// Waits for what is being written.
  ~ShareWriter();
  ShareWriter(const ShareWriter&) = delete;
  ShareWriter& operator=(const ShareWriter&) = delete;

  /// What amr::Simulation::follow() hands over, in place of what nobody has asked for.
  void take(amr::SavedRecords&& records);

 private:
  std::vector<std::byte> answer(std::span<const std::byte> question);

  amr::Owner& owner_;
  runtime::Mutex mutex_;
  amr::SavedRecords records_;  ///< guarded by it
};

}  // namespace kumiko::io
