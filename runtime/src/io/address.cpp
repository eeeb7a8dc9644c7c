#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/io/blocking.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/thread.hpp>

namespace kumiko::runtime::io {

namespace {

class ResolveCategory final : public std::error_category {
 public:
  const char* name() const noexcept override { return "resolve"; }
  std::string message(int error) const override { return gai_strerror(error); }
};

struct FreeAddresses {
  void operator()(addrinfo* first) const noexcept { freeaddrinfo(first); }
};

Result<std::vector<Address>> look_up(const std::string& host, const std::string& service) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.empty() ? nullptr : host.c_str(),
                                service.empty() ? nullptr : service.c_str(), &hints, &found);
  if (error == EAI_SYSTEM) return std::error_code(errno, std::generic_category());
  if (error != 0) return std::error_code(error, resolve_category());
  const std::unique_ptr<addrinfo, FreeAddresses> first(found);
  std::vector<Address> addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    addresses.emplace_back(entry->ai_addr, entry->ai_addrlen);
  }
  return addresses;
}

/// Looks up on an OS thread of the pool.
Result<std::vector<Address>> look_up_elsewhere(const std::string& host,
                                               const std::string& service) {
  try {
    return blocking([&] { return look_up(host, service); });
  } catch (const std::system_error& refused) {
    return refused.code();
  }
}

bool has_nul(const std::string& text) { return text.find('\0') != std::string::npos; }

/// A look-up that may outlive the call that wants it.
struct LookUp {
  std::string host;
  std::string service;
  Mutex mutex;
  ConditionVariable ended;
  std::optional<Result<std::vector<Address>>> result;

  void run() {
    auto found = look_up_elsewhere(host, service);
    const std::lock_guard lock(mutex);
    result.emplace(std::move(found));
    ended.notify_all();
  }
};

bool is_limited(const Limits& limits) {
  return limits.deadline != std::chrono::steady_clock::time_point::max() ||
         limits.stop.stop_possible();
}

}  // namespace

const std::error_category& resolve_category() noexcept {
  static const ResolveCategory category;
  return category;
}

Result<std::vector<Address>> resolve(const std::string& host, const std::string& service,
                                     const Limits& limits) {
  if (has_nul(host) || has_nul(service)) return std::make_error_code(std::errc::invalid_argument);
  if (!is_limited(limits) || runtime::detail::running_thread() == nullptr) {
    return look_up_elsewhere(host, service);
  }
  const auto shared = std::make_shared<LookUp>();
  shared->host = host;
  shared->service = service;
  Thread([shared] { shared->run(); }).detach();
  std::unique_lock lock(shared->mutex);
  const auto has_ended = [&] { return shared->result.has_value(); };
  if (!shared->ended.wait_until(lock, limits.stop, limits.deadline, has_ended)) {
    return std::make_error_code(limits.stop.stop_requested() ? std::errc::operation_canceled
                                                             : std::errc::timed_out);
  }
  return *std::move(shared->result);
}

Address::Address(const sockaddr* address, socklen_t size) noexcept
    : size_(std::min<socklen_t>(size, sizeof storage_)) {
  std::memcpy(&storage_, address, size_);
}

Result<Address> Address::parse(const std::string& numeric, std::uint16_t port) {
  sockaddr_in v4{};
  if (inet_pton(AF_INET, numeric.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    return Address(reinterpret_cast<const sockaddr*>(&v4), sizeof v4);
  }
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET6, numeric.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    return Address(reinterpret_cast<const sockaddr*>(&v6), sizeof v6);
  }
  return std::make_error_code(std::errc::invalid_argument);
}

Address Address::loopback(std::uint16_t port) noexcept {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return {reinterpret_cast<const sockaddr*>(&address), sizeof address};
}

Result<Address> Address::path(const std::string& path) {
  if (path.empty() || has_nul(path)) return std::make_error_code(std::errc::invalid_argument);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return std::make_error_code(std::errc::filename_too_long);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return Address(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

std::uint16_t Address::port() const noexcept {
  if (family() == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port);
  if (family() != AF_INET6) return 0;
  return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port);
}

std::string Address::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (family() == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&storage_)->sin_addr, text.data(),
              text.size());
    return std::string(text.data()) + ":" + std::to_string(port());
  }
  if (family() == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_addr, text.data(),
              text.size());
    return "[" + std::string(text.data()) + "]:" + std::to_string(port());
  }
  if (family() != AF_UNIX) return "";
  const auto* const path = reinterpret_cast<const sockaddr_un*>(&storage_);
  return std::string(path->sun_path, strnlen(path->sun_path, sizeof path->sun_path));
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size()) == 0 ? name.data() : "";
}

}  // namespace kumiko::runtime::io
