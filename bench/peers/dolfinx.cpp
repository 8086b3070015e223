// SPDX-License-Identifier: BSD-3-Clause
// DOLFINx: the Scatterer of its vectors, with buffers that are kept from call to call.
#include <dolfinx/common/IndexMap.h>
#include <dolfinx/common/Scatterer.h>
#include <dolfinx/common/log.h>

#include "peer.hpp"

namespace {

/// As la::Vector does it.
struct Exchange {
    dolfinx::common::IndexMap map;
    dolfinx::common::Scatterer scatterer;
    std::vector<double> local, remote;
    MPI_Request request = MPI_REQUEST_NULL;

    Exchange(const Pattern& pattern, int words)
        : map(MPI_COMM_WORLD, static_cast<std::int32_t>(pattern.owned),
              std::vector<std::int64_t>(pattern.numbers.begin(), pattern.numbers.end()), owners(pattern)),
          scatterer(map, words),
          local(static_cast<std::size_t>(scatterer.local_buffer_size())),
          remote(static_cast<std::size_t>(scatterer.remote_buffer_size()))
    {}
    void fill(std::span<const double> u, std::span<double> ghosts)
    {
        scatterer.scatter_fwd_begin(u, std::span(local), std::span(remote), pack, request);
        scatterer.scatter_fwd_end(std::span<const double>(remote), ghosts, unpack, request);
    }
    void add(std::span<double> u, std::span<const double> ghosts)
    {
        scatterer.scatter_rev_begin(ghosts, std::span(remote), std::span(local), pack, request);
        scatterer.scatter_rev_end(std::span<const double>(local), u, unpack, std::plus<>{}, request);
    }

private:
    static std::vector<int> owners(const Pattern& pattern)
    {
        std::vector<int> result;
        for (const MPI_Count number : pattern.numbers) result.push_back(pattern.owner(number));
        return result;
    }
    static void pack(std::span<const double> in, const std::vector<std::int32_t>& at, std::span<double> out)
    {
        for (std::size_t i = 0; i < at.size(); ++i) out[i] = in[static_cast<std::size_t>(at[i])];
    }
    static constexpr auto unpack = [](auto in, const auto& at, auto out, auto op) {
        for (std::size_t i = 0; i < at.size(); ++i) {
            double& to = out[static_cast<std::size_t>(at[i])];
            to = op(to, in[i]);
        }
    };
};

template <std::size_t Words>
void compare(peer::Table& table, const Pattern& pattern, const std::string& name)
{
    auto exchange = std::make_shared<Exchange>(pattern, static_cast<int>(Words));
    peer::compare_ghosts<Words>(
        table, pattern, name, [&](const Pattern& p, std::size_t, bool reverse) -> std::vector<peer::Way> {
            const std::size_t owned = static_cast<std::size_t>(p.owned) * Words,
                              copies = p.numbers.size() * Words;
            return {peer::on_array("scatterer", table, p, Words, reverse, [=](double* u, double* ghosts) {
                if (reverse)
                    exchange->add({u, owned}, {ghosts, copies});
                else
                    exchange->fill({u, owned}, {ghosts, copies});
            })};
        });
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    loguru::g_stderr_verbosity = loguru::Verbosity_WARNING;
    {
        peer::Table table("DOLFINx", argc, argv);
        table.for_patterns([&](const Pattern& pattern, const std::string& name) {
            compare<1>(table, pattern, name);
            compare<3>(table, pattern, name);
        });
    }
    MPI_Finalize();
    return 0;
}
