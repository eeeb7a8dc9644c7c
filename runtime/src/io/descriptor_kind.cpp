#include "io/descriptor_kind.hpp"

#include <cerrno>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace kumiko::runtime::detail {

namespace {

int socket_option(int descriptor, int option) noexcept {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

DescriptorKind classify_socket(int descriptor) noexcept {
  const int domain = socket_option(descriptor, SO_DOMAIN);
  const bool over_ip = domain == AF_INET || domain == AF_INET6;
  return over_ip && socket_option(descriptor, SO_PROTOCOL) == IPPROTO_TCP ? DescriptorKind::kTcp
                                                                          : DescriptorKind::kSocket;
}

}  // namespace

int classify(int descriptor, DescriptorKind& kind) noexcept {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return -errno;
  if (S_ISSOCK(status.st_mode)) {
    kind = classify_socket(descriptor);
  } else if (S_ISFIFO(status.st_mode)) {
    kind = DescriptorKind::kPipe;
  } else if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode)) {
    kind = DescriptorKind::kFile;
  } else if (S_ISCHR(status.st_mode)) {
    kind = DescriptorKind::kDevice;
  } else {
    kind = DescriptorKind::kOther;
  }
  return 0;
}

}  // namespace kumiko::runtime::detail
