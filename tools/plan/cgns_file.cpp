// SPDX-License-Identifier: BSD-3-Clause
// Block-structured grids in files of CGNS.

#include "plan/cgns_file.hpp"

#include "base/error.hpp"

#ifdef HAVE_CGNS
#include <cgnslib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "base/index.hpp"
#endif

namespace plan {

using ortho::base::ErrorKind;

#ifdef HAVE_CGNS

namespace {

using ortho::at;
using ortho::mosaic::Contact;
using ortho::mosaic::Index;

/// A file that is being read.
class File {
public:
    explicit File(const std::string& name) : name_(name)
    {
        require(std::ifstream(name).good(), "cannot be read");
        ask(cg_open(name.c_str(), CG_MODE_READ, &number_));
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { cg_close(number_); }

    BlockGrid read()
    {
        int bases = 0;
        int number = 0;
        std::array<char, 33> base_name{};
        int space = 0;
        ask(cg_nbases(number_, &bases));
        require(bases > 0, "has no base");
        ask(cg_base_read(number_, 1, base_name.data(), &grid_.dimensions, &space));
        require(grid_.dimensions >= 1 && grid_.dimensions <= 3, "has ", grid_.dimensions,
                " dimensions of cells");
        ask(cg_nzones(number_, 1, &number));
        require(number > 0, "has no zone in its base ", base_name.data());
        for (int zone = 1; zone <= number; ++zone) read_zone(zone);
        for (int zone = 1; zone <= number; ++zone) read_interfaces(zone);
        return std::move(grid_);
    }

private:
    using Range = std::array<cgsize_t, 6>; ///< of vertices, from 1 on: begin, then end

    template <class... Words>
    void require(bool holds, const Words&... words) const
    {
        ortho::base::require(holds, ErrorKind::arg, "file", name_, " ", words...);
    }
    void ask(int status) const
    {
        require(status == CG_OK, "is not understood: CGNS says \"", cg_get_error(), "\"");
    }

    void read_zone(int zone)
    {
        std::array<char, 33> name{};
        std::array<cgsize_t, 9> size{};
        CGNS_ENUMT(ZoneType_t) type{};
        ask(cg_zone_type(number_, 1, zone, &type));
        ask(cg_zone_read(number_, 1, zone, name.data(), size.data()));
        require(type == CGNS_ENUMV(Structured), "has zone ", name.data(), ", which is not structured");
        Index cells{1, 1, 1, 1};
        for (int k = 0; k < grid_.dimensions; ++k) {
            cells[at(k)] = size[at(k)] - 1;
            require(cells[at(k)] > 0, "has zone ", name.data(), ", with ", size[at(k)],
                    " vertices in dimension ", k);
        }
        grid_.names.emplace_back(name.data());
        grid_.sizes.push_back(cells);
    }

    void read_interfaces(int zone)
    {
        int matched = 0;
        int others = 0;
        ask(cg_n1to1(number_, 1, zone, &matched));
        ask(cg_nconns(number_, 1, zone, &others));
        grid_.left_out += others;
        for (int i = 1; i <= matched; ++i) {
            std::array<char, 33> name{};
            std::array<char, 100> donor{}; // CGNS 4 has "Base/Zone"
            std::array<int, 3> transform{};
            Range here{};
            Range there{};
            ask(cg_1to1_read(number_, 1, zone, i, name.data(), donor.data(), here.data(), there.data(),
                             transform.data()));
            const auto found = std::ranges::find(grid_.names, donor.data());
            const std::string what = grid_.names[at(zone - 1)] + "/" + name.data();
            require(found != grid_.names.end(), "has interface ", what, " to zone ", donor.data(),
                    ", which is not there");
            add_contact(what, zone - 1, static_cast<int>(found - grid_.names.begin()), here, there,
                        transform);
        }
    }

    /// Vertex `begin` is there's `begin`, and from there on T leads to vertex `end`.
    void add_contact(const std::string& what, int tile, int donor, const Range& here, const Range& there,
                     const std::array<int, 3>& transform)
    {
        const auto d = at(grid_.dimensions);
        std::array<std::int64_t, 3> origin{};
        std::array<bool, 3> is_taken{};
        for (std::size_t k = 0; k < d; ++k) {
            const int to = transform[k];
            require(to != 0 && to >= -grid_.dimensions && to <= grid_.dimensions &&
                        !is_taken[at(std::abs(to) - 1)],
                    "has interface ", what, " with Transform[", k, "] = ", to,
                    ", which makes it no signed permutation of ", d, " dimensions");
            const auto j = at(std::abs(to) - 1);
            is_taken[j] = true;
            const int sign = to < 0 ? -1 : 1;
            origin[j] = there[j] - 1 - sign * (here[k] - 1);
            require(there[d + j] - there[j] == sign * (here[d + k] - here[k]), "has interface ", what,
                    " with ranges that do not match: ", here[k], " to ", here[d + k], " in dimension ", k,
                    ", and ", there[j], " to ", there[d + j], " in dimension ", j, " of ",
                    grid_.names[at(donor)]);
        }
        Contact contact{.tile = tile,
                        .dimension = -1,
                        .donor = donor,
                        .map = ortho::mosaic::map_of(grid_.dimensions, transform.data(), origin.data())};
        for (std::size_t k = 0; k < d; ++k) {
            const auto [low, high] = std::minmax(here[k], here[d + k]);
            const std::int64_t size = grid_.sizes[at(tile)][k];
            require(low >= 1 && high <= size + 1, "has interface ", what, " with vertices ", low, " to ",
                    high, " in dimension ", k, ", which has ", size + 1);
            contact.part.set(k, low - 1, high - 1);
            if (low < high) continue;
            require(contact.dimension < 0 && (low == 1 || low == size + 1), "has interface ", what,
                    ", which is no face of its zone");
            contact.dimension = static_cast<int>(k);
            contact.side = low == 1 ? -1 : 1;
        }
        require(contact.dimension >= 0, "has interface ", what, ", which is no face of its zone");
        grid_.contacts.push_back(contact);
        if (!contact.is_fold()) return;
        // A part of a side that leads to another part: the way back has the same map.
        for (std::size_t k = 0; k < d; ++k) {
            const auto [low, high] = std::minmax(there[k], there[d + k]);
            contact.part.set(k, low - 1, high - 1);
        }
        grid_.contacts.push_back(contact);
    }

    std::string name_;
    int number_ = -1;
    BlockGrid grid_;
};

} // namespace

BlockGrid read_cgns(const std::string& file) { return File(file).read(); }

#else

BlockGrid read_cgns(const std::string& file)
{
    ortho::base::fail(ErrorKind::arg, "file", file, " is not read: this ortho-plan was built without CGNS");
}

#endif

} // namespace plan
