// Keeps other processes out of a provisional file or folder.
#pragma once

#include <filesystem>

#include <kumiko/runtime/io/file_descriptor.hpp>

namespace kumiko::io {

/// Locks a file by flock(2). \return false if another descriptor holds the lock. Where locks are
/// missing, or would keep this process's other descriptors from writing (SMB), it returns true.
bool try_lock(int descriptor);

/// Makes a provisional file, or takes over the one that a killed process has left, and locks it
/// until the descriptor is closed. Its contents stay. Throws OutputError, also if another process
/// writes the file `target`.
runtime::io::FileDescriptor lock_part_file(const std::filesystem::path& part,
                                           const std::filesystem::path& target);

/// As lock_part_file(), for a folder, which is empty then.
runtime::io::FileDescriptor lock_part_folder(const std::filesystem::path& part,
                                             const std::filesystem::path& target);

}  // namespace kumiko::io
