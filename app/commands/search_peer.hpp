// Shared by the commands of a shared search: the secret, the addresses, the exchange's report.
#pragma once

#include <filesystem>
#include <string>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/search/search_tree.hpp>

#include "options/options.hpp"

namespace kumiko::app {

/// The options of every process of a shared search.
struct PeerRequest {
  std::string listen;
  std::filesystem::path secret;
  int workers = 0;  ///< 0: as many as there are cores
};

/// Declares --listen, --secret and --workers.
void add_peer(Options& options, PeerRequest& request, const char* listen_help, bool listens_always);

int workers_of(const PeerRequest& request);

/// The text of a file, without the line's end. Throws RequestError if other users may read it.
std::string read_secret(const std::filesystem::path& file);

/// The address of HOST:PORT or [HOST]:PORT. Throws RequestError.
/// \param option  names the option of the text in messages
runtime::io::Address address_of(const std::string& text, const char* option);

/// Listens at --listen, and prints the command by which others join. Throws RequestError.
void listen_and_tell(search::SearchTree& tree, const PeerRequest& request);

void print_exchange(const search::ExchangeStatistics& parts);

}  // namespace kumiko::app
