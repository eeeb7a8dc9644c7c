#include <kumiko/runtime/io/file_descriptor.hpp>
#include <kumiko/runtime/io/operations.hpp>

namespace kumiko::runtime::io {

FileDescriptor::~FileDescriptor() { static_cast<void>(close()); }

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    static_cast<void>(close());
    descriptor_ = other.release();
  }
  return *this;
}

Result<void> FileDescriptor::close() {
  // Taken first: whoever sees this object meanwhile must not use the number any more.
  const int descriptor = release();
  if (descriptor < 0) return {};
  return io::close(descriptor);
}

}  // namespace kumiko::runtime::io
