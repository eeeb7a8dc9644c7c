#include <stdexcept>

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include "peers.hpp"

namespace kumiko::bench {

namespace {

hid_t check(hid_t status) {
  if (status < 0) throw std::runtime_error("a call of the HDF5 library failed");
  return status;
}

}  // namespace

void write_by_library(const std::filesystem::path& file, const io::Checkpoint& checkpoint) {
  const std::vector<double>& values = checkpoint.run.levels.front().values;
  const hsize_t extent = values.size();
  const hid_t id = check(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const hid_t space = check(H5Screate_simple(1, &extent, nullptr));
  const hid_t dataset = check(
      H5Dcreate2(id, "records", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  check(H5Dclose(dataset));
  check(H5Sclose(space));
  check(H5Fclose(id));
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::fdatasync(descriptor) == 0;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) throw std::runtime_error("fdatasync failed");
}

}  // namespace kumiko::bench
