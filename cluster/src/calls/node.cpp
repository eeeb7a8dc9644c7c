#include "calls/node.hpp"

#include <utility>

namespace kumiko::cluster::detail {

Node::Node(runtime::Runtime& runtime, std::unique_ptr<Link> link, const ClusterOptions& options)
    : endpoint_(*this, runtime, std::move(link), options) {}

}  // namespace kumiko::cluster::detail
