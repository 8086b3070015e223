// SPDX-License-Identifier: BSD-3-Clause
// Ghost layers of several arrays of one shape, exchanged in three ways.
#pragma once

#include <mpi.h>
#include <mpiortho.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "app.hpp"
#include "dist_graph.hpp"

namespace apps {

/// The exchange of fields that keep their addresses.
template <std::size_t D>
class BoxExchange {
public:
    using Field = mpiortho::field<double, D>;
    using Point = mpiortho::point<D>;

    /// crosses(i, side): does field i need the ghosts on that side?
    template <class Crosses>
    BoxExchange(const mpiortho::grid<D>& g, std::span<Field> fields, const Crosses& crosses)
        : neighbors_(g),
          graph_(g.all(), neighbors_.ranks),
          comm_(g.all()),
          halo_(mpiortho::halo(g, fields, {.crosses = crosses}))
    {
        for (const Point& offset : neighbors_.offsets) {
            Partner partner;
            Point back{};
            for (std::size_t k = 0; k < D; ++k) back[k] = -offset[k];
            for (std::size_t i = 0; i < fields.size(); ++i) {
                if (crosses(static_cast<int>(i), back))
                    partner.sent.push_back({&fields[i], region(fields[i], offset, false)});
                if (crosses(static_cast<int>(i), offset))
                    partner.received.push_back({&fields[i], region(fields[i], offset, true)});
            }
            partner.out.resize(cells_of(partner.sent));
            partner.in.resize(cells_of(partner.received));
            send_types_.push_back(type_of(partner.sent));
            receive_types_.push_back(type_of(partner.received));
            partners_.push_back(std::move(partner));
        }
        counts_.assign(partners_.size() + 1, 1);
        displacements_.assign(partners_.size() + 1, 0);
        requests_.resize(2 * partners_.size());
    }
    BoxExchange(const BoxExchange&) = delete;
    BoxExchange& operator=(const BoxExchange&) = delete;
    ~BoxExchange()
    {
        for (auto* types : {&send_types_, &receive_types_})
            for (MPI_Datatype& type : *types) MPI_Type_free(&type);
    }

    void run(Form form)
    {
        switch (form) {
        case Form::by_hand: by_hand(); break;
        case Form::neighbor:
            MPI_Neighbor_alltoallw(MPI_BOTTOM, counts_.data(), displacements_.data(), send_types_.data(),
                                   MPI_BOTTOM, counts_.data(), displacements_.data(), receive_types_.data(),
                                   graph_.get());
            break;
        case Form::ours: halo_.run(); break;
        }
    }

private:
    struct Part {
        Field* field;
        mpiortho::box<D> box;

        auto rows() const { return mpiortho::cells_of<D, true, 1>({box}); }
    };
    struct Partner {
        std::vector<Part> sent, received;
        std::vector<double> out, in; // packed
    };

    /// The ghosts on a side, or the owned cells next to them.
    static mpiortho::box<D> region(const Field& field, const Point& side, bool ghosts)
    {
        mpiortho::box<D> result;
        for (std::size_t k = 0; k < D; ++k) {
            const int n = field.extents()[k];
            const int at = side[k] < 0 ? (ghosts ? -1 : 0) : n - (ghosts ? 0 : 1);
            result.first[k] = side[k] == 0 ? 0 : at;
            result.last[k] = side[k] == 0 ? n : at + 1;
        }
        return result;
    }
    static std::size_t cells_of(const std::vector<Part>& parts)
    {
        std::size_t n = 0;
        for (const Part& part : parts) n += part.box.size();
        return n;
    }

    /// All parts as one datatype, with addresses from MPI_BOTTOM on.
    static MPI_Datatype type_of(const std::vector<Part>& parts)
    {
        std::vector<MPI_Datatype> types;
        std::vector<MPI_Aint> addresses;
        for (const Part& part : parts) {
            int sizes[D], extents[D], begin[D];
            for (std::size_t k = 0; k < D; ++k) {
                sizes[k] = part.field->extents()[k] + 2;
                extents[k] = part.box.last[k] - part.box.first[k];
                begin[k] = part.box.first[k] + 1;
            }
            MPI_Aint address = 0;
            MPI_Datatype type = MPI_DATATYPE_NULL;
            MPI_Get_address(part.field->data(), &address);
            MPI_Type_create_subarray(static_cast<int>(D), sizes, extents, begin, MPI_ORDER_C, MPI_DOUBLE,
                                     &type);
            types.push_back(type);
            addresses.push_back(address);
        }
        const std::vector<int> ones(parts.size(), 1);
        MPI_Datatype result = MPI_DATATYPE_NULL;
        MPI_Type_create_struct(static_cast<int>(parts.size()), ones.data(), addresses.data(), types.data(),
                               &result);
        MPI_Type_commit(&result);
        for (MPI_Datatype& type : types) MPI_Type_free(&type);
        return result;
    }

    void by_hand()
    {
        const std::size_t n = partners_.size();
        for (std::size_t i = 0; i < n; ++i) {
            Partner& p = partners_[i];
            MPI_Irecv(p.in.data(), static_cast<int>(p.in.size()), MPI_DOUBLE, neighbors_.ranks[i], 0, comm_,
                      &requests_[i]);
        }
        for (std::size_t i = 0; i < n; ++i) {
            Partner& p = partners_[i];
            auto to = p.out.begin();
            for (const Part& part : p.sent)
                for (const auto& row : part.rows()) to = std::ranges::copy((*part.field)[row], to).out;
            MPI_Isend(p.out.data(), static_cast<int>(p.out.size()), MPI_DOUBLE, neighbors_.ranks[i], 0, comm_,
                      &requests_[n + i]);
        }
        MPI_Waitall(static_cast<int>(2 * n), requests_.data(), MPI_STATUSES_IGNORE);
        for (Partner& p : partners_) {
            auto from = p.in.begin();
            for (const Part& part : p.received)
                for (const auto& row : part.rows())
                    for (double& x : (*part.field)[row]) x = *from++;
        }
    }

    Neighbors<D> neighbors_;
    DistGraph graph_;
    MPI_Comm comm_;
    mpiortho::halo<D> halo_;
    std::vector<Partner> partners_;
    std::vector<MPI_Datatype> send_types_, receive_types_;
    std::vector<int> counts_;
    std::vector<MPI_Aint> displacements_;
    std::vector<MPI_Request> requests_;
};

} // namespace apps
