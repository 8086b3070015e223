// SPDX-License-Identifier: BSD-3-Clause
// What must be there until an operation of MPI's is over.

#include "pmpi/active_exchanges.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "pmpi/init_finalize.hpp"

namespace ortho::pmpi {

namespace {

struct UnderWay {
    std::mutex mutex;
    std::map<MPI_Request, std::shared_ptr<const Exchange>> exchanges;
};

UnderWay& exchanges_under_way()
{
    static UnderWay& instance = *new UnderWay; // a program that does not end MPI leaves it be
    return instance;
}

} // namespace

void keep_under_way(MPI_Request request, std::shared_ptr<const Exchange> exchange)
{
    static const bool first = [] {
        at_end([] {
            const std::lock_guard lock(exchanges_under_way().mutex);
            exchanges_under_way().exchanges.clear();
        });
        return true;
    }();
    static_cast<void>(first);
    const std::lock_guard lock(exchanges_under_way().mutex);
    exchanges_under_way().exchanges[request].swap(exchange);
}

} // namespace ortho::pmpi
