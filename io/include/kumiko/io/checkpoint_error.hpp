// Errors for files that cannot be used as a checkpoint.
#pragma once

#include <stdexcept>

namespace kumiko::io {

/// A file cannot be used as a checkpoint; what() names the file and what is wrong with it.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The file has been read, and is not what a version of this program has written.
class DamagedCheckpoint : public CheckpointError {
 public:
  using CheckpointError::CheckpointError;
};

/// Nothing says that the file ever was a checkpoint: it neither begins as an HDF5 file nor ends
/// with a seal.
class NotACheckpoint : public DamagedCheckpoint {
 public:
  using DamagedCheckpoint::DamagedCheckpoint;
};

}  // namespace kumiko::io
