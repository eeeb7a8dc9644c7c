// Errors for files that cannot be used as a checkpoint.
#pragma once

#include <stdexcept>

namespace kumiko::io {

/// A file cannot be used as a checkpoint; what() names the file and what is wrong with it.
struct CheckpointError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// The file has been read, and is not what a version of this program has written.
struct DamagedCheckpoint : CheckpointError {
  using CheckpointError::CheckpointError;
};

/// Nothing says that the file ever was a checkpoint: it neither begins as an HDF5 file nor ends
/// with a seal.
struct NotACheckpoint : DamagedCheckpoint {
  using DamagedCheckpoint::DamagedCheckpoint;
};

}  // namespace kumiko::io
