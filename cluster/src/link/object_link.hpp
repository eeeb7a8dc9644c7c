// A link that a shared object serves, e.g. by an MPI that Kumiko itself knows nothing of.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <kumiko/cluster/link.hpp>

namespace kumiko::cluster::detail {

/// Opens the object and, by it, the link of this process. Once per process, by an OS thread, which
/// also destroys the link. May wait for the other ranks, and so does the destructor.
///
/// If this rank does not end in order, the link's destructor sees to it that the others end when
/// this process exits.
/// \param ranks  how many there must be, 0 if that is not known
/// \param mpi  how messages call it
/// \throws std::runtime_error if the object cannot be opened, or what it serves cannot be used
std::unique_ptr<Link> open_link(const std::filesystem::path& object, const std::string& mpi,
                                int ranks);

}  // namespace kumiko::cluster::detail
