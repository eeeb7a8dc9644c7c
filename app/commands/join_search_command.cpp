// kumiko search join: helps with a search that another process serves.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/core.h>

#include <kumiko/runtime/runtime.hpp>
#include <kumiko/search/search_tree.hpp>

#include "commands/search_peer.hpp"
#include "commands/stop_signals.hpp"
#include "options/commands.hpp"
#include "terminal/request.hpp"
#include "terminal/status_line.hpp"

namespace kumiko::app {

namespace {

using runtime::Runtime;
using runtime::io::Address;
using search::SearchTree;

struct JoinRequest : PeerRequest {
  std::string parent;  ///< address of the process to join
};

int join(const JoinRequest& request) {
  const std::string secret = read_secret(request.secret);
  const Address parent = address_of(request.parent, "the address");
  const StopSignals signals;
  Runtime runtime({.workers = workers_of(request)});
  StatusLine status;
  SearchTree tree(runtime, {.secret = secret},
                  [&status](const std::string& line) { status.tell(line); });
  tree.join(parent);
  fmt::print("joined {}\n", parent.to_string());
  if (!request.listen.empty()) listen_and_tell(tree, request);
  static_cast<void>(std::fflush(stdout));
  const search::HelpEnd end = tree.help(signals.token());
  if (end.why == search::HelpEnd::kSearchDone) fmt::print("the search is done\n");
  if (end.why == search::HelpEnd::kStopped) fmt::print("left, as asked\n");
  print_exchange(tree.statistics());
  if (end.why != search::HelpEnd::kParentLost) return kDone;
  throw std::runtime_error(
      fmt::format("lost the connection to {}: {}; the search may still be running: join it again, "
                  "or through another process",
                  parent.to_string(), end.reason));
}

}  // namespace

Action join_search_command(Options& options) {
  const auto request = std::make_shared<JoinRequest>();
  options.add("ADDRESS", &request->parent, "HOST:PORT of the search, or of a relay",
              {.is_required = true});
  add_peer(options, *request,
           "HOST:PORT at which others join this process, a relay for those that cannot reach the "
           "parent",
           false);
  return [request] { return join(*request); };
}

}  // namespace kumiko::app
