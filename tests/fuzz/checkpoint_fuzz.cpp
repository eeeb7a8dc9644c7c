// Reads checkpoints whose contents have been changed at random, goes on from those that are
// believed, and finds no crash, no hang and no leak. What is changed are the values of Kumiko's own
// datasets and attributes; hashes and seal are made anew, so that they hold. The structure of the
// HDF5 file stays: the library is not made for damaged structures, and the seal is there for that.
// With KUMIKO_FUZZ_COMPRESSION=deflate the records are compressed, and the table of their places
// changes instead of them.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <hdf5.h>
#include <unistd.h>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/plugin/registry.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "checkpoint/checkpoint_views.hpp"
#include "hdf5/seal.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace kumiko::io::test {
namespace {

/// Bytes of a file that may change.
struct Region {
  std::uint64_t offset;
  std::uint64_t length;
};

/// A level's records, whose hashes change with them.
struct PlainRecords {
  std::uint64_t offset;
  std::uint64_t patches;
  std::uint64_t hashes;
};

constexpr std::size_t kRecord = amr::kPatchPoints * sizeof(double);

template <class Factory>
const Factory& required(const Factory* factory) {
  if (factory == nullptr) throw std::logic_error("the case or the solver is gone");
  return *factory;
}

/// The run that the checkpoints are of.
class Run {
 public:
  Run() {
    options_.points_x = options_.points_y = 32;
    options_.levels = 2;
    options_.steps = 640;
    options_.refinement.memory_limit = std::size_t{64} << 20U;
  }

  Checkpoint checkpoint() {
    amr::Simulation simulation(*case_, *solver_, *backend_, options_);
    simulation.advance(3);
    Checkpoint checkpoint{{}, simulation.save()};
    checkpoint.attributes.configuration = "[case]\nname = \"zalesak\"\n";
    checkpoint.attributes.component_names = {"u"};
    runtime::Runtime runtime({.workers = 1});
    write_checkpoint(file_, checkpoint, simulation.hierarchy().geometry(), runtime, compression_);
    return checkpoint;
  }
  const std::filesystem::path& file() const { return file_; }
  bool is_compressed() const { return compression_ != Compression::kNone; }

  void go_on(const amr::SavedRun& saved) {
    amr::Simulation simulation(*case_, *solver_, *backend_, options_, saved);
    if (simulation.step() < options_.steps) simulation.advance(1);
  }

 private:
  const plugin::CaseFactory& case_factory_ = required(plugin::find_case("zalesak"));
  const plugin::SolverFactory& solver_factory_ =
      required(plugin::find_solver("semi_lagrangian_cubic"));
  std::unique_ptr<amr::Case> case_ = case_factory_.make(amr::defaults(case_factory_.parameters));
  std::unique_ptr<amr::Solver> solver_ =
      solver_factory_.make(amr::defaults(solver_factory_.parameters));
  std::unique_ptr<amr::Backend> backend_ = amr::make_backend("serial", 1);
  amr::SimulationOptions options_;
  Compression compression_ = std::getenv("KUMIKO_FUZZ_COMPRESSION") == nullptr
                                 ? Compression::kNone
                                 : Compression::kDeflate;
  std::filesystem::path file_ = std::filesystem::temp_directory_path() /
                                ("kumiko-fuzz-" + std::to_string(::getpid()) + ".hdf");
};

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A whole checkpoint, and where its values stand.
class Base {
 public:
  explicit Base(Run& run) : levels_(run.checkpoint().run.levels.size()) {
    bytes_ = content_of(run.file());
    bytes_.resize(table_offset());
    const hid_t file = H5Fopen(run.file().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, add_object, this);
    if (!run.is_compressed()) {
      for (std::size_t level = 0; level < levels_; ++level) find_records(file, level);
    }
    H5Fclose(file);
    find_attributes(run.file());
    std::filesystem::remove(run.file());
  }

  const std::vector<Region>& regions() const { return regions_; }
  std::size_t size() const {
    std::size_t sum = 0;
    for (const Region& region : regions_) sum += region.length;
    return sum;
  }

  /// All values one after the other, as they were.
  std::string values() const {
    std::string values;
    for (const Region& region : regions_) values += bytes_.substr(region.offset, region.length);
    return values;
  }

  /// The file with other values, and hashes and a seal that hold. Fewer values leave the rest.
  std::string file_with(const std::uint8_t* values, std::size_t size) const {
    std::string file = bytes_;
    for (const Region& region : regions_) {
      const std::size_t count = std::min<std::size_t>(size, region.length);
      std::memcpy(file.data() + region.offset, values, count);
      values += count;
      size -= count;
    }
    for (const PlainRecords& records : records_) {
      for (std::uint64_t patch = 0; patch < records.patches; ++patch) {
        const std::uint64_t hash = hash_of(
            std::as_bytes(std::span(file.data() + records.offset + patch * kRecord, kRecord)));
        std::memcpy(file.data() + records.hashes + patch * sizeof(hash), &hash, sizeof(hash));
      }
    }
    const Extent all{0, file.size(), hash_of(std::as_bytes(std::span(file))), Extent::kMetadata, 0};
    return file + make_seal({&all, 1});
  }

 private:
  std::uint64_t table_offset() const {
    std::uint64_t offset = 0;
    std::memcpy(&offset, bytes_.data() + bytes_.size() - 32, sizeof(offset));
    return offset;
  }

  static herr_t add_object(hid_t file, const char* name, const H5O_info_t* info, void* self) {
    Base& base = *static_cast<Base*>(self);
    for (hsize_t at = 0; at < info->num_attrs; ++at) base.attributes_.push_back({name, at});
    if (info->type != H5O_TYPE_DATASET) return 0;
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const haddr_t offset = H5Dget_offset(dataset);  // virtual datasets have none
    const std::uint64_t length = offset == HADDR_UNDEF ? 0 : H5Dget_storage_size(dataset);
    const bool is_hashes = std::string(name).ends_with("/hashes");
    if (length > 0 && !is_hashes) base.regions_.push_back({offset, length});
    H5Dclose(dataset);
    return 0;
  }

  static std::uint64_t offset_of(hid_t file, const std::string& path) {
    const hid_t dataset = H5Dopen2(file, path.c_str(), H5P_DEFAULT);
    const std::uint64_t offset = H5Dget_offset(dataset);
    H5Dclose(dataset);
    return offset;
  }

  void find_records(hid_t file, std::size_t level) {
    const std::string path = records_path(static_cast<int>(level));
    const hid_t dataset = H5Dopen2(file, path.c_str(), H5P_DEFAULT);
    const std::uint64_t length = H5Dget_storage_size(dataset);
    H5Dclose(dataset);
    records_.push_back({offset_of(file, path), length / kRecord,
                        offset_of(file, "/kumiko/level_" + std::to_string(level) + "/hashes")});
  }

  /// The library does not say where an attribute's value stands: it is what changes with it.
  void find_attributes(const std::filesystem::path& path) {
    for (const auto& [object, index] : attributes_) {
      const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      const hid_t attribute = H5Aopen_by_idx(file, object.c_str(), H5_INDEX_NAME, H5_ITER_NATIVE,
                                             index, H5P_DEFAULT, H5P_DEFAULT);
      const hid_t type = H5Aget_type(attribute);
      std::vector<std::uint8_t> value(H5Aget_storage_size(attribute));
      H5Aread(attribute, type, value.data());
      for (std::uint8_t& byte : value) byte ^= 0xffU;
      H5Awrite(attribute, type, value.data());
      H5Fflush(file, H5F_SCOPE_GLOBAL);
      const std::string changed = content_of(path);
      add_difference(changed, value.size());
      for (std::uint8_t& byte : value) byte ^= 0xffU;
      H5Awrite(attribute, type, value.data());
      H5Tclose(type);
      H5Aclose(attribute);
      H5Fclose(file);
    }
  }

  void add_difference(const std::string& changed, std::size_t length) {
    for (std::size_t at = 0; at + length <= bytes_.size(); ++at) {
      if (changed[at] == bytes_[at]) continue;
      regions_.push_back({at, length});
      return;
    }
    throw std::logic_error("an attribute cannot be found");
  }

  std::size_t levels_;
  std::string bytes_;  ///< without the seal
  std::vector<Region> regions_;
  std::vector<PlainRecords> records_;
  std::vector<std::pair<std::string, hsize_t>> attributes_;  ///< of which object, which
};

Run& run() {
  static Run the_run;
  return the_run;
}

const Base& base() {
  static const Base the_base(run());
  return the_base;
}

/// Files are made where memory is the disk.
std::filesystem::path mutant_path() {
  return "/dev/shm/kumiko-fuzz-" + std::to_string(::getpid()) + ".hdf";
}

class MutantFile {
 public:
  explicit MutantFile(const std::string& bytes) {
    std::ofstream stream(path_, std::ios::binary);
    stream << bytes;
    if (!stream.flush()) std::abort();
  }
  ~MutantFile() { std::filesystem::remove(path_); }
  MutantFile(const MutantFile&) = delete;
  MutantFile& operator=(const MutantFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ = mutant_path();
};

void read_and_go_on(const std::uint8_t* data, std::size_t size) {
  const MutantFile file(base().file_with(data, size));
  verify_checkpoint(file.path());  // whatever it holds, its seal holds
  try {
    run().go_on(read_checkpoint(file.path()).run);
  } catch (const CheckpointError&) {        // what the reader refuses
  } catch (const std::invalid_argument&) {  // what the engine refuses
  } catch (const std::runtime_error&) {     // values that are not finite, memory, CFL numbers
  }
}

}  // namespace
}  // namespace kumiko::io::test

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  using namespace kumiko::io::test;
  // What nobody has changed must be believed.
  const std::string values = base().values();
  const MutantFile file(
      base().file_with(reinterpret_cast<const std::uint8_t*>(values.data()), values.size()));
  run().go_on(kumiko::io::read_checkpoint(file.path()).run);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kumiko::io::test::read_and_go_on(data, size);
  return 0;
}

/// Changes one region, and leaves every value where it stands.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace kumiko::io::test;
  const std::string values = base().values();
  if (most < values.size()) return size;
  if (size < values.size()) {
    std::memcpy(data + size, values.data() + size, values.size() - size);
  }
  const std::vector<Region>& regions = base().regions();
  const std::size_t chosen = seed % regions.size();
  std::size_t begin = 0;
  for (std::size_t at = 0; at < chosen; ++at) begin += regions[at].length;
  LLVMFuzzerMutate(data + begin, regions[chosen].length, regions[chosen].length);
  return values.size();
}
