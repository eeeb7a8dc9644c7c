// ping_ucx: an active message of UCX's there and back between two processes, both of which ask for
// messages all the time.
//
//   ping_ucx batches=100 calls=100
//
// One process is forked from the other; they tell each other their addresses over a pair of
// sockets.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <sys/wait.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

#include "support/arguments.hpp"
#include "support/json_line.hpp"
#include "ways.hpp"

namespace kumiko::bench {
namespace {

constexpr unsigned kPing = 1;  ///< the active message's number

void check(ucs_status_t status, const char* call) {
  if (status != UCS_OK)
    throw std::runtime_error(std::string(call) + ": " + ucs_status_string(status));
}

void write_all(int socket, const void* bytes, std::size_t size) {
  if (::send(socket, bytes, size, MSG_NOSIGNAL) != static_cast<ssize_t>(size)) {
    throw std::runtime_error("the other process has ended");
  }
}

void read_all(int socket, void* bytes, std::size_t size) {
  if (recv(socket, bytes, size, MSG_WAITALL) != static_cast<ssize_t>(size)) {
    throw std::runtime_error("the other process has ended");
  }
}

/// A process's end of the connection.
class Peer {
 public:
  explicit Peer(int socket) {
    ucp_params_t parameters{};
    parameters.field_mask = UCP_PARAM_FIELD_FEATURES;
    parameters.features = UCP_FEATURE_AM;
    check(ucp_init(&parameters, nullptr, &context_), "ucp_init");
    ucp_worker_params_t single{};
    single.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    single.thread_mode = UCS_THREAD_MODE_SINGLE;
    check(ucp_worker_create(context_, &single, &worker_), "ucp_worker_create");
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                         UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = kPing;
    handler.arg = this;
    handler.cb = [](void* self, const void*, size_t, void*, size_t,
                    const ucp_am_recv_param_t*) -> ucs_status_t {
      ++static_cast<Peer*>(self)->received_;
      return UCS_OK;
    };
    check(ucp_worker_set_am_recv_handler(worker_, &handler), "ucp_worker_set_am_recv_handler");
    connect(socket);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() {
    ucp_request_param_t none{};
    finish(ucp_ep_close_nbx(endpoint_, &none));
    ucp_worker_destroy(worker_);
    ucp_cleanup(context_);
  }

  void send() {
    static const std::uint64_t value = 0;
    const ucp_request_param_t none{};
    finish(ucp_am_send_nbx(endpoint_, kPing, nullptr, 0, &value, sizeof value, &none));
  }

  /// Waits for the next one.
  void receive() {
    while (received_ == taken_) ucp_worker_progress(worker_);
    ++taken_;
  }

 private:
  void connect(int socket) {
    ucp_address_t* own = nullptr;
    std::size_t size = 0;
    check(ucp_worker_get_address(worker_, &own, &size), "ucp_worker_get_address");
    write_all(socket, &size, sizeof size);
    write_all(socket, own, size);
    ucp_worker_release_address(worker_, own);
    read_all(socket, &size, sizeof size);
    std::vector<char> other(size);
    read_all(socket, other.data(), size);
    ucp_ep_params_t parameters{};
    parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    parameters.address = reinterpret_cast<const ucp_address_t*>(other.data());
    check(ucp_ep_create(worker_, &parameters, &endpoint_), "ucp_ep_create");
  }

  void finish(ucs_status_ptr_t request) {
    if (request == nullptr) return;
    if (UCS_PTR_IS_ERR(request)) check(UCS_PTR_STATUS(request), "UCX");
    while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(worker_);
    ucp_request_free(request);
  }

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
  std::uint64_t received_ = 0;  ///< messages that have come,
  std::uint64_t taken_ = 0;     ///< of which so many were waited for
};

void ping_pong(int socket, bool asks, Turns turns) {
  Peer peer(socket);
  JsonLine report;
  const auto run = [&](long calls) {
    for (long i = 0; i < calls; ++i) {
      if (asks) peer.send();
      peer.receive();
      if (!asks) peer.send();
    }
  };
  measure_in_turn({{"am", run}}, turns, report);
  // None ends while the other still needs it.
  char is_done = 0;
  write_all(socket, &is_done, 1);
  read_all(socket, &is_done, 1);
  if (asks) report.print();
}

void run(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const Turns turns{arguments.integer("batches", 100), arguments.integer("calls", 100)};
  arguments.reject_unknown();
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) throw std::runtime_error("socketpair");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork");
  const bool asks = child != 0;
  close(sockets[asks ? 1 : 0]);
  ping_pong(sockets[asks ? 0 : 1], asks, turns);
  if (asks) waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  try {
    kumiko::bench::run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
