// Errors for files that cannot be used as a checkpoint.
#pragma once

#include <stdexcept>

namespace kumiko::io {

/// A file cannot be used as a checkpoint; what() names the file and the cause.
struct CheckpointError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// The file has been read, but its contents are not those that any version of this program writes.
struct DamagedCheckpoint : CheckpointError {
  using CheckpointError::CheckpointError;
};

/// The file has no sign of a checkpoint: it neither begins as an HDF5 file nor ends with a seal.
struct NotACheckpoint : DamagedCheckpoint {
  using DamagedCheckpoint::DamagedCheckpoint;
};

}  // namespace kumiko::io
