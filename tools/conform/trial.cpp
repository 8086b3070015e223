// SPDX-License-Identifier: BSD-3-Clause
#include "conform/trial.hpp"

#include <mpiortho.h>

#if defined(OPEN_MPI) && !defined(ORTHO_MPI_PERSISTENT)
#include <mpi-ext.h> // persistent collectives under other names
#endif

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "conform/expected_blocks.hpp"
#include "neighbor_calls.hpp"

namespace conform {

namespace {

using ortho::grid::gap;

using ortho::at;

/// The code of the last error; the handler below notes it.
int last_error = MPI_SUCCESS;

extern "C" void conform_note_error(MPI_Comm*, int* code, ...) { last_error = *code; }

void note_errors(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(conform_note_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
}

/// A list for MPI, with MPI_PROC_NULL for slots without a neighbor; never a null pointer.
std::vector<int> to_mpi(std::vector<int> list)
{
    std::ranges::replace(list, gap, MPI_PROC_NULL);
    list.reserve(1);
    return list;
}

MPI_Comm make_comm(const Case& what, Whose whose, MPI_Comm base)
{
    MPI_Comm comm = MPI_COMM_NULL;
    if (what.grid) {
        const auto& sizes = what.grid->sizes;
        const std::vector<int> periods(what.grid->periodic.begin(), what.grid->periodic.end());
        const int d = static_cast<int>(sizes.size());
        if (whose == Whose::mpi) {
            MPI_Cart_create(base, d, sizes.data(), periods.data(), 0, &comm);
            return comm;
        }
        std::vector<int> steps(at(2 * d * d), 0);
        for (int k = 0; k < d; ++k) {
            steps[at(2 * k * d + k)] = -1;
            steps[at((2 * k + 1) * d + k)] = 1;
        }
        ORTHO_Cart_neighborhood_create(base, d, sizes.data(), periods.data(), 2 * d, steps.data(),
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
        return comm;
    }
    int rank = 0;
    MPI_Comm_rank(base, &rank);
    const auto& lists = what.mpi[at(rank)].lists;
    const std::vector<int> sources = to_mpi(lists.sources);
    const std::vector<int> targets = to_mpi(lists.targets);
    const auto create = whose == Whose::mpi ? MPI_Dist_graph_create_adjacent
                                            : ORTHO_Dist_graph_create_adjacent;
    create(base, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
           static_cast<int>(targets.size()), targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    return comm;
}

// Functions of requests, MPI's and ours.
int start(MPI_Request* request) { return MPI_Start(request); }
int wait(MPI_Request* request) { return MPI_Wait(request, MPI_STATUS_IGNORE); }
int release(MPI_Request* request) { return MPI_Request_free(request); }
int start(ORTHO_Request* request) { return ORTHO_Start(request); }
int wait(ORTHO_Request* request) { return ORTHO_Wait(request, MPI_STATUS_IGNORE); }
int release(ORTHO_Request* request) { return ORTHO_Request_free(request); }

/// The functions that Open MPI 4 has for MPI_Neighbor_alltoall_init and so on.
void add_extensions([[maybe_unused]] const std::string& collective, [[maybe_unused]] bench::Data* d,
                    [[maybe_unused]] bench::Calls<MPI_Request>& calls)
{
#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && !defined(ORTHO_MPI_PERSISTENT)
#define CONFORM_INIT(name, ...)                                                                              \
    if (collective == #name)                                                                                 \
    calls.init = [d](MPI_Comm comm, MPI_Info info, MPI_Request* request) {                                   \
        MPIX_Neighbor_##name##_init(__VA_ARGS__, comm, info, request);                                       \
    }
    CONFORM_INIT(alltoall, d->send.data(), d->count, MPI_INT, d->receive.data(), d->count, MPI_INT);
    CONFORM_INIT(alltoallv, d->send.data(), d->send_counts.data(), d->send_places.data(), MPI_INT,
                 d->receive.data(), d->receive_counts.data(), d->receive_places.data(), MPI_INT);
    CONFORM_INIT(alltoallw, d->send.data(), d->send_counts.data(), d->send_bytes.data(), d->types.data(),
                 d->receive.data(), d->receive_counts.data(), d->receive_bytes.data(), d->types.data());
    CONFORM_INIT(allgather, d->send.data(), d->count, MPI_INT, d->receive.data(), d->count, MPI_INT);
    CONFORM_INIT(allgatherv, d->send.data(), d->count, MPI_INT, d->receive.data(), d->receive_counts.data(),
                 d->receive_places.data(), MPI_INT);
#undef CONFORM_INIT
#endif
}

/// Makes two calls; `prepare` makes new data before each, `look` checks the results after it.  False if there
/// is no such call.
template <class Request, class Prepare, class Look>
bool call_twice(const bench::Calls<Request>& calls, Form form, MPI_Comm comm, Request null, Prepare prepare,
                Look look)
{
    if (form == Form::persistent && !calls.init) return false;
    Request request = null;
    for (int call = 0; call < 2; ++call) {
        prepare(call);
        last_error = MPI_SUCCESS;
        switch (form) {
        case Form::blocking: calls.blocking(comm); break;
        case Form::nonblocking:
            calls.start(comm, &request);
            wait(&request);
            break;
        case Form::persistent:
            if (call == 0) calls.init(comm, MPI_INFO_NULL, &request);
            if (request == null) break;
            start(&request);
            wait(&request);
            break;
        }
        look(call);
    }
    if (form == Form::persistent && request != null) release(&request);
    return true;
}

/// Describes the error that was noted.
std::string error_text(Whose whose, int process)
{
    std::string text(1024, '\0');
    int length = 0;
    if (whose == Whose::ours)
        ORTHO_Error_message(text.data(), static_cast<int>(text.size()), &length);
    else
        MPI_Error_string(last_error, text.data(), &length);
    text.resize(std::min(at(length), text.size() - 1));
    std::ranges::replace(text, '\n', ' ');
    return "process " + std::to_string(process) + " gets an error: " + text;
}

/// The words of the first process that has any, at rank 0; all processes know whether there are any.
Result first_words(MPI_Comm comm, const std::string& words)
{
    constexpr int room = 512;
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    std::string mine = words.substr(0, room - 1);
    mine.resize(room, '\0');
    std::string all(at(size * room), '\0');
    MPI_Gather(mine.data(), room, MPI_CHAR, all.data(), room, MPI_CHAR, 0, comm);
    int wrong = words.empty() ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, comm);
    if (wrong == 0) return {Outcome::right, ""};
    for (int i = 0; i < size; ++i)
        if (all[at(i * room)] != '\0') return {Outcome::wrong, all.c_str() + i * room};
    return {Outcome::wrong, ""};
}

} // namespace

Trial::Trial(const Case& what, Whose whose, MPI_Comm comm)
    : pattern_(whose == Whose::mpi ? what.mpi : what.ours),
      whose_(whose),
      base_(comm),
      comm_(make_comm(what, whose, comm))
{
    note_errors(comm_);
}

Trial::~Trial() { MPI_Comm_free(&comm_); }

Result Trial::run(const char* collective, Form form) const
{
    int rank = 0;
    MPI_Comm_rank(base_, &rank);
    const Part& part = pattern_[at(rank)];
    const std::string name = collective;
    const bool personal = name.starts_with("alltoall");
    const Placement placement{name.ends_with('v') || name.ends_with('w')};

    bench::Exchange exchange;
    exchange.sources = part.lists.sources;
    exchange.targets = part.lists.targets;
    bench::Data data(exchange, rank, personal, ints_per_block);
    if (placement.scattered) {
        const auto scatter = [&](std::size_t slots, std::vector<int>& places, std::vector<MPI_Aint>& bytes) {
            for (std::size_t i = 0; i < slots; ++i) {
                places[i] = placement.place(static_cast<int>(i), static_cast<int>(slots));
                bytes[i] = MPI_Aint{sizeof(int)} * places[i];
            }
        };
        scatter(exchange.targets.size(), data.send_places, data.send_bytes);
        scatter(exchange.sources.size(), data.receive_places, data.receive_bytes);
    }
    const std::vector<int> blank(at(placement.ints(static_cast<int>(exchange.sources.size()))), untouched);
    data.send = sent(part, personal, placement, 0);
    data.receive = blank;

    std::string words;
    // Persistent calls keep the buffers' addresses: only the content changes.
    const auto prepare = [&](int call) {
        std::ranges::copy(sent(part, personal, placement, call), data.send.begin());
        std::ranges::copy(blank, data.receive.begin());
    };
    const auto look = [&](int call) {
        if (!words.empty()) return;
        words = last_error != MPI_SUCCESS ? error_text(whose_, rank)
                                          : mistake(pattern_, rank, personal, placement, call, data.receive);
        if (!words.empty() && call > 0) words += " (in the second call)";
    };
    bench::Family family = bench::family(name, &data);
    if (!family.mpi.init) add_extensions(name, &data, family.mpi);
    const bool there = whose_ == Whose::mpi
                           ? call_twice<MPI_Request>(family.mpi, form, comm_, MPI_REQUEST_NULL, prepare, look)
                           : call_twice<ORTHO_Request>(family.ours, form, comm_, ORTHO_REQUEST_NULL, prepare,
                                                       look);
    if (!there) return {Outcome::not_there, ""};
    return first_words(base_, words);
}

void note_errors_everywhere()
{
    note_errors(MPI_COMM_WORLD);
    note_errors(MPI_COMM_SELF);
}

} // namespace conform
