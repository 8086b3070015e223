// SPDX-License-Identifier: BSD-3-Clause
// Messages that nobody receives, since the calls of their two processes do not fit.

#include "transport/unmatched_messages.hpp"

#include <cstddef>

#include "mpi/failure.hpp"
#include "transport/bound_datatypes.hpp"

namespace ortho::transport {

bool take_in(MPI_Comm comm, int tag, std::span<UnmatchedMessage> misfits)
{
    bool all = true;
    for (UnmatchedMessage& misfit : misfits)
        while (misfit.messages > 0) {
            int flag = 0;
            MPI_Message message = MPI_MESSAGE_NULL;
            MPI_Status status;
            mpi::check(PMPI_Improbe(misfit.partner, tag, comm, &flag, &message, &status));
            if (flag == 0) {
                all = false;
                break;
            }
            MPI_Count bytes = 0;
            mpi::check(PMPI_Get_elements_x(&status, MPI_BYTE, &bytes));
            const auto size = static_cast<std::size_t>(bytes);
            BoundDatatypes layouts;
            const DataLocation room = layouts.bytes_at(layouts.row(size), size);
            mpi::check(PMPI_Mrecv(room.address, room.elements(), room.type, &message, MPI_STATUS_IGNORE));
            --misfit.messages;
        }
    return all;
}

} // namespace ortho::transport
