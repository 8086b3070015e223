// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: arrays that are cut into tiles, in one file, from which any number of processes can go on.

#include "checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace {

/// All processes throw if one has failed.
void require_all(bool good, MPI_Comm comm, const std::string& otherwise)
{
    int all_good = good ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &all_good, 1, MPI_INT, MPI_MIN, comm);
    if (all_good == 0) throw std::runtime_error(otherwise);
}

/// A file that all processes have open, each with a view of its tile of one array after the other.
class SharedFile {
public:
    /// Errors of opening are told by is_open().
    SharedFile(const std::string& name, int mode, MPI_Comm comm)
        : is_open_(MPI_File_open(comm, name.c_str(), mode, MPI_INFO_NULL, &file_) == MPI_SUCCESS)
    {}
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;
    ~SharedFile() { close(); }

    bool is_open() const { return is_open_; }
    MPI_File get() const { return file_; }
    bool close()
    {
        if (!is_open_) return true;
        is_open_ = false;
        return MPI_File_close(&file_) == MPI_SUCCESS;
    }
    /// From here on the file is this tile of array `i`.
    bool show(int i, const Checkpoint& what, const Tiles& tiles)
    {
        const int whole[] = {static_cast<int>(what.rows), static_cast<int>(what.columns)};
        const int part[] = {tiles.rows().size, tiles.columns().size};
        const int begin[] = {tiles.rows().begin, tiles.columns().begin};
        const auto bytes = static_cast<MPI_Offset>(sizeof(double)) * what.rows * what.columns;
        MPI_Datatype tile = MPI_DATATYPE_NULL;
        MPI_Type_create_subarray(2, whole, part, begin, MPI_ORDER_C, MPI_DOUBLE, &tile);
        MPI_Type_commit(&tile);
        const int code = MPI_File_set_view(file_, static_cast<MPI_Offset>(sizeof what) + i * bytes,
                                           MPI_DOUBLE, tile, "native", MPI_INFO_NULL);
        MPI_Type_free(&tile);
        return code == MPI_SUCCESS;
    }

private:
    MPI_File file_ = MPI_FILE_NULL;
    bool is_open_;
};

bool is_whole(const MPI_Status& status, std::size_t numbers)
{
    int count = 0;
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    return count >= 0 && static_cast<std::size_t>(count) == numbers;
}

/// Makes the contents of a file, or the names in a folder, last through a crash of the machine, too.
bool reach_disk(const std::string& name)
{
    const int file = open(name.c_str(), O_RDONLY);
    if (file < 0) return false;
    const bool good = fsync(file) == 0;
    return close(file) == 0 && good;
}

std::string folder_of(const std::string& file)
{
    const std::size_t slash = file.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : file.substr(0, slash);
}

} // namespace

void write_checkpoint(const std::string& file, const Checkpoint& what, MPI_Comm comm, const Tiles& tiles,
                      const std::function<std::vector<double>(int)>& tile)
{
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const std::string fresh = file + ".new";
    const std::string failure = "cannot write the checkpoint " + fresh;
    if (rank == 0) std::remove(fresh.c_str()); // of a run that was killed
    MPI_Barrier(comm);
    SharedFile out(fresh, MPI_MODE_CREATE | MPI_MODE_WRONLY, comm);
    require_all(out.is_open(), comm, failure);
    bool good = rank != 0 || MPI_File_write_at(out.get(), 0, &what, sizeof what, MPI_BYTE,
                                               MPI_STATUS_IGNORE) == MPI_SUCCESS;
    for (int i = 0; i < what.arrays; ++i) {
        const std::vector<double> mine = tile(i);
        MPI_Status status;
        const bool is_shown = out.show(i, what, tiles);
        const int code = MPI_File_write_all(out.get(), mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE,
                                            &status);
        good = good && is_shown && code == MPI_SUCCESS && is_whole(status, mine.size());
    }
    good = MPI_File_sync(out.get()) == MPI_SUCCESS && good;
    good = out.close() && good;
    require_all(good, comm, failure);
    if (rank == 0)
        good = reach_disk(fresh) && std::rename(fresh.c_str(), file.c_str()) == 0 &&
               reach_disk(folder_of(file));
    require_all(good, comm, "cannot write the checkpoint " + file);
}

std::int64_t read_checkpoint(const std::string& file, const Checkpoint& what, MPI_Comm comm,
                             const Tiles& tiles,
                             const std::function<void(int, const std::vector<double>&)>& set_tile)
{
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    int is_there = rank == 0 && access(file.c_str(), F_OK) == 0 ? 1 : 0;
    MPI_Bcast(&is_there, 1, MPI_INT, 0, comm);
    if (is_there == 0) return -1;
    SharedFile in(file, MPI_MODE_RDONLY, comm);
    require_all(in.is_open(), comm, "cannot read the checkpoint " + file);

    Checkpoint found;
    MPI_Offset bytes = 0;
    MPI_Status status;
    bool good = MPI_File_get_size(in.get(), &bytes) == MPI_SUCCESS;
    if (bytes >= static_cast<MPI_Offset>(sizeof found))
        good = good &&
               MPI_File_read_at_all(in.get(), 0, &found, sizeof found, MPI_BYTE, &status) == MPI_SUCCESS;
    const auto wanted = static_cast<MPI_Offset>(sizeof found) +
                        static_cast<MPI_Offset>(sizeof(double)) * what.arrays * what.rows * what.columns;
    const bool is_ours = std::memcmp(found.program, what.program, sizeof found.program) == 0 &&
                         found.rows == what.rows && found.columns == what.columns &&
                         found.arrays == what.arrays && found.parameter == what.parameter && bytes == wanted;
    require_all(good && is_ours, comm, file + " is no checkpoint of this run");

    std::vector<double> mine(static_cast<std::size_t>(tiles.rows().size) *
                             static_cast<std::size_t>(tiles.columns().size));
    for (int i = 0; i < what.arrays; ++i) {
        const bool is_shown = in.show(i, what, tiles);
        const int code = MPI_File_read_all(in.get(), mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE,
                                           &status);
        good = good && is_shown && code == MPI_SUCCESS && is_whole(status, mine.size());
        set_tile(i, mine);
    }
    require_all(good, comm, "cannot read the checkpoint " + file);
    return found.step;
}
