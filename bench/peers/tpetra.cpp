// SPDX-License-Identifier: BSD-3-Clause
// Trilinos: Tpetra's Import from owners to ghosts, and Export that adds ghosts to their owners, with each way
// to send that its Distributor has.  Rsend is left out: it needs a barrier in each call.
#include <Tpetra_Core.hpp>
#include <Tpetra_Export.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_MultiVector.hpp>

#include "peer.hpp"

namespace {

using Map = Tpetra::Map<>;
using Vectors = Tpetra::MultiVector<double>;
using Global = Map::global_ordinal_type;

/// A vector on an array that somebody else has.
Vectors on(const Teuchos::RCP<const Map>& map, double* data)
{
    using Dual = Vectors::dual_view_type;
    const Dual::t_dev view(data, map->getNodeNumElements(), 1);
    return Vectors(map, Dual(view, view));
}

std::vector<peer::Way> ways(const peer::Table& table, const Pattern& pattern, bool reverse)
{
    const auto comm = Tpetra::getDefaultComm();
    const std::vector<Global> numbers(pattern.numbers.begin(), pattern.numbers.end());
    const auto all = static_cast<Tpetra::global_size_t>(pattern.first.back());
    const auto owned = Teuchos::rcp(new Map(all, static_cast<std::size_t>(pattern.owned), 0, comm));
    const auto ghosts = Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                             Teuchos::ArrayView<const Global>(numbers), 0, comm));
    std::vector<peer::Way> result;
    for (const char* type : {"Isend", "Send", "Ssend"}) {
        const auto list = Teuchos::parameterList();
        list->set("Send type", type);
        const auto importer = Teuchos::rcp(new Tpetra::Import<>(owned, ghosts, list));
        const auto exporter = Teuchos::rcp(new Tpetra::Export<>(ghosts, owned, list));
        auto vectors = std::make_shared<std::vector<Vectors>>(); // on the arrays of the first call
        result.push_back(peer::on_array(type, table, pattern, 1, reverse, [=](double* u, double* copies) {
            if (vectors->empty()) *vectors = {on(owned, u), on(ghosts, copies)};
            auto& v = *vectors;
            if (reverse)
                v[0].doExport(v[1], *exporter, Tpetra::ADD);
            else
                v[1].doImport(v[0], *importer, Tpetra::INSERT);
        }));
    }
    return result;
}

} // namespace

int main(int argc, char** argv)
{
    setenv("OMP_NUM_THREADS", "1", 0);
    Tpetra::ScopeGuard scope(&argc, &argv);
    peer::Table table("Tpetra", argc, argv);
    table.for_patterns([&](const Pattern& pattern, const std::string& name) {
        peer::compare_ghosts<1>(table, pattern, name, [&](const Pattern& p, std::size_t, bool reverse) {
            return ways(table, p, reverse);
        });
    });
    return 0;
}
