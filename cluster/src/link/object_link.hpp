// A link that a shared object provides, so that Kumiko itself does not depend on an MPI.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <kumiko/cluster/link.hpp>

namespace kumiko::cluster::detail {

/// Opens the object and, by it, the link of this process. Once per process, by an OS thread, which
/// also destroys the link. May wait for the other ranks, and so does the destructor.
///
/// If this rank does not end in order, the others end when this process exits.
/// \param ranks  the number of ranks, 0 if it is not known
/// \param mpi  its name in messages
/// \throws std::runtime_error if the object cannot be opened, or its MPI cannot be used
std::unique_ptr<Link> open_link(const std::filesystem::path& object, const std::string& mpi,
                                int ranks);

}  // namespace kumiko::cluster::detail
