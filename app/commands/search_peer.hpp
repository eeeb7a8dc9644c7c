// What the commands of a shared search have in common: the secret, the addresses, the exchange.
#pragma once

#include <filesystem>
#include <string>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/search/search_tree.hpp>

#include "options/options.hpp"

namespace kumiko::app {

/// What every process of a shared search is asked for.
struct PeerRequest {
  std::string listen;
  std::filesystem::path secret;
  int workers = 0;  ///< 0: as many as there are cores
};

/// Declares --listen, --secret and --workers.
void add_peer(Options& options, PeerRequest& request, const char* listen_help, bool listens_always);

int workers_of(const PeerRequest& request);

/// What the file says, without the line's end. Throws RequestError for one that others may read.
std::string read_secret(const std::filesystem::path& file);

/// The address that HOST:PORT or [HOST]:PORT stands for. Throws RequestError.
/// \param option  that gives it
runtime::io::Address address_of(const std::string& text, const char* option);

/// Lets others join, and prints how they do. Throws RequestError.
void listen_and_tell(search::SearchTree& tree, const PeerRequest& request);

void print_exchange(const search::ExchangeStatistics& parts);

}  // namespace kumiko::app
