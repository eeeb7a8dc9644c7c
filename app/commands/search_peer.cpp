#include "commands/search_peer.hpp"

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/core.h>
#include <sys/stat.h>

#include <kumiko/cluster/launch.hpp>
#include <kumiko/runtime/io/address.hpp>

#include "run/shared_options.hpp"
#include "terminal/counted.hpp"
#include "terminal/request.hpp"

namespace kumiko::app {

namespace {

using runtime::io::Address;
using search::SearchTree;

/// Fewer could be guessed.
constexpr std::size_t kShortestSecret = 16;

/// How others reach an address of this machine: any of its addresses has the machine's name.
std::string reachable(const Address& address) {
  std::string text = address.to_string();
  if (!text.starts_with("0.0.0.0:") && !text.starts_with("[::]:")) return text;
  const std::string name = runtime::io::host_name();
  return name.empty() ? text : fmt::format("{}:{}", name, address.port());
}

}  // namespace

void add_peer(Options& options, PeerRequest& request, const char* listen_help,
              bool listens_always) {
  options.add("--listen", &request.listen, listen_help,
              {.is_required = listens_always, .check = not_empty()});
  options.add("--secret", &request.secret,
              "a file that all processes have and only its owner may read: a process with the same "
              "secret may join",
              {.is_required = true});
  options.add("-w,--workers", &request.workers, "OS threads that work (default: all available)",
              {.check = between(1, kMostWorkers)});
}

int workers_of(const PeerRequest& request) {
  return request.workers > 0 ? request.workers : cluster::workers_by_local_ranks();
}

std::string read_secret(const std::filesystem::path& file) {
  struct stat status {};
  refuse_if(::stat(file.c_str(), &status) != 0,
            "cannot read the secret '{}'; make one: head -c 32 /dev/urandom | base64 > {}; chmod "
            "600 {}",
            file.string(), file.string(), file.string());
  refuse_if(S_ISDIR(status.st_mode), "the secret '{}' is a folder; name a file", file.string());
  // A pipe is what a shell's <(COMMAND) gives.
  refuse_if(!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode),
            "the secret '{}' is not a regular file; name one", file.string());
  refuse_if((status.st_mode & (S_IRWXG | S_IRWXO)) != 0,
            "others may read the secret '{}'; keep it to yourself: chmod 600 {}", file.string(),
            file.string());
  std::ifstream stream(file, std::ios::binary);
  std::string secret{std::istreambuf_iterator<char>(stream), {}};
  while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) secret.pop_back();
  refuse_if(!stream.good() && !stream.eof(), "cannot read the secret '{}'", file.string());
  refuse_if(secret.size() < kShortestSecret,
            "the secret in '{}' has {}, which can be guessed; use {} or more: head -c "
            "32 /dev/urandom | base64 > {}",
            file.string(), counted(secret.size(), "character"), kShortestSecret, file.string());
  return secret;
}

Address address_of(const std::string& text, const char* option) {
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon == std::string::npos ? 0 : colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  refuse_if(host.empty() || port.empty() || port.find_first_not_of("0123456789") != port.npos,
            "{} '{}' is not HOST:PORT; write it as 0.0.0.0:5555 or [::1]:5555", option, text);
  const std::string fault = whole_number(0, 65535).fault(port);
  refuse_if(!fault.empty(), "{} '{}': the port {}", option, text, fault);
  const auto found = runtime::io::resolve(host, port);
  refuse_if(!found || found->empty(), "{}: the host '{}' is not known", option, host);
  return found->front();
}

void listen_and_tell(SearchTree& tree, const PeerRequest& request) {
  const Address wanted = address_of(request.listen, "--listen");
  Address address;
  try {
    address = tree.listen(wanted);
  } catch (const std::system_error& error) {
    throw RequestError("cannot listen at {}: {}; name an address of this machine and a free port",
                       wanted.to_string(), error.code().message());
  }
  fmt::print("listening at {}; others join: kumiko search join {} --secret {}\n",
             address.to_string(), reachable(address), request.secret.string());
  static_cast<void>(std::fflush(stdout));
}

void print_exchange(const search::ExchangeStatistics& parts) {
  const auto bytes = static_cast<double>(parts.bytes);
  fmt::print(
      "parts given to others {}, taken from others {}, given again {}; asked others {}, {} in "
      "vain; "
      "{} bytes sent\n",
      parts.given, parts.taken, parts.again, counted(parts.asks, "time"), parts.refusals,
      parts.bytes);
  fmt::print("in {:.1f} s: {:.3g} parts a second, {:.3g} bytes a second\n", parts.seconds,
             static_cast<double>(parts.given + parts.taken) / parts.seconds, bytes / parts.seconds);
}

}  // namespace kumiko::app
