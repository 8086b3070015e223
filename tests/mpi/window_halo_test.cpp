// SPDX-License-Identifier: BSD-3-Clause
// Ghost layers of two-dimensional arrays: filled by Put, filled by Get, and added to their owners by
// Accumulate.

namespace {

using Pair = std::array<int, 2>;

constexpr Pair owned{4, 3}; // elements of each process
constexpr int depth = 2;    // of the ghosts on each side
constexpr Pair sizes{owned[0] + 2 * depth, owned[1] + 2 * depth};
constexpr std::size_t elements = std::size_t{sizes[0]} * sizes[1];
constexpr std::array<Pair, 8> sides{Pair{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};

/// One region of the array as a datatype.
class Region {
public:
    Region(Pair begin, Pair extent)
    {
        MPI_Type_create_subarray(2, sizes.data(), extent.data(), begin.data(), MPI_ORDER_C, MPI_LONG, &type);
        MPI_Type_commit(&type);
    }
    ~Region() { MPI_Type_free(&type); }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

    MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// Where region `side` of the ghosts begins, and where the owned layers next to that face do.
Region ghosts(Pair side)
{
    Pair begin{}, extent{};
    for (std::size_t k = 0; k < 2; ++k) {
        begin[k] = side[k] < 0 ? 0 : side[k] > 0 ? depth + owned[k] : depth;
        extent[k] = side[k] == 0 ? owned[k] : depth;
    }
    return {begin, extent};
}
Region layers(Pair side)
{
    Pair begin{}, extent{};
    for (std::size_t k = 0; k < 2; ++k) {
        begin[k] = side[k] > 0 ? owned[k] : depth;
        extent[k] = side[k] == 0 ? owned[k] : depth;
    }
    return {begin, extent};
}

Pair opposite(Pair side) { return {-side[0], -side[1]}; }

/// A grid of processes, and this process's array, in a window.
class Field {
public:
    Field(Pair grid, Pair periodic) : grid_(grid), periodic_(periodic)
    {
        CHECK_OK(ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, 2, grid.data(), periodic.data(), 8,
                                                sides[0].data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm_));
        CHECK_OK(ORTHO_Cart_neighborhood_get(comm_, 0, nullptr, MPI_UNWEIGHTED, 8, targets.data(),
                                             MPI_UNWEIGHTED));
        CHECK_OK(ORTHO_Cart_coordinates(comm_, test::rank(), here_.data()));
        CHECK_OK(ORTHO_Win_allocate(static_cast<MPI_Aint>(elements * sizeof(long)), 1, MPI_INFO_NULL, comm_,
                                    &data, &win));
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    }
    ~Field()
    {
        CHECK_OK(ORTHO_Win_free(&win));
        MPI_Comm_free(&comm_);
    }
    Field(const Field&) = delete;
    Field& operator=(const Field&) = delete;

    /// Which element of the whole array is this, at (i, j) of this process's?  Negative off the grid.
    long global(int i, int j) const
    {
        const Pair local{i, j};
        long number = 0;
        for (std::size_t k = 0; k < 2; ++k) {
            const int length = grid_[k] * owned[k];
            int x = here_[k] * owned[k] + local[k] - depth;
            if (periodic_[k] != 0) x = ((x % length) + length) % length;
            if (x < 0 || x >= length) return -1;
            number = number * length + x;
        }
        return number;
    }
    static bool is_owned(int i, int j)
    {
        return i >= depth && i < depth + owned[0] && j >= depth && j < depth + owned[1];
    }
    /// Is the process next to that face there?
    bool has_neighbor(Pair side) const
    {
        for (std::size_t k = 0; k < 2; ++k) {
            const int x = here_[k] + side[k];
            if (periodic_[k] == 0 && (x < 0 || x >= grid_[k])) return false;
        }
        return true;
    }
    long& operator()(int i, int j) { return data[i * sizes[1] + j]; }

    template <class Value>
    void fill(Value value)
    {
        for (int i = 0; i < sizes[0]; ++i)
            for (int j = 0; j < sizes[1]; ++j) (*this)(i, j) = value(i, j);
    }
    template <class Value>
    void expect(Value value)
    {
        for (int i = 0; i < sizes[0]; ++i)
            for (int j = 0; j < sizes[1]; ++j) CHECK_EQ((*this)(i, j), value(i, j));
    }

    std::array<int, 8> targets{};
    long* data = nullptr;
    MPI_Win win = MPI_WIN_NULL;

private:
    Pair grid_, periodic_, here_{};
    MPI_Comm comm_ = MPI_COMM_NULL;
};

/// By Put the owned layers go into the neighbors' ghosts, by Get the other way round.
void ghosts_are_filled(Field& field, bool by_put)
{
    for (const long seed : {1000L, 2000L}) {
        field.fill([&](int i, int j) { return Field::is_owned(i, j) ? seed + field.global(i, j) : -1; });
        CHECK_OK(ORTHO_Win_fence(MPI_MODE_NOPRECEDE, field.win));
        for (std::size_t i = 0; i < sides.size(); ++i) {
            const Pair side = sides[i];
            const Region mine = by_put ? layers(side) : ghosts(side);
            const Region theirs = by_put ? ghosts(opposite(side)) : layers(opposite(side));
            // Where the grid ends, the target is MPI_PROC_NULL.
            if (by_put)
                CHECK_OK(ORTHO_Put(field.data, 1, mine.type, field.targets[i], 0, 1, theirs.type, field.win));
            else
                CHECK_OK(ORTHO_Get(field.data, 1, mine.type, field.targets[i], 0, 1, theirs.type, field.win));
        }
        CHECK_OK(ORTHO_Win_fence(MPI_MODE_NOSUCCEED, field.win));
        field.expect([&](int i, int j) { return field.global(i, j) < 0 ? -1 : seed + field.global(i, j); });
    }
}

/// Every ghost adds 1 to its owner.
void ghosts_are_added_to_their_owners(Field& field)
{
    field.fill([](int i, int j) { return Field::is_owned(i, j) ? 500 : 1; });
    std::vector<long> ones(elements, 1); // what is accumulated is not in the window
    CHECK_OK(ORTHO_Win_fence(0, field.win));
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const Region mine = ghosts(sides[i]);
        const Region theirs = layers(opposite(sides[i]));
        CHECK_OK(ORTHO_Accumulate(ones.data(), 1, mine.type, field.targets[i], 0, 1, theirs.type, MPI_SUM,
                                  field.win));
    }
    CHECK_OK(ORTHO_Win_fence(MPI_MODE_NOSUCCEED, field.win));
    field.expect([&](int i, int j) {
        if (!Field::is_owned(i, j)) return 1L;
        long sum = 500;
        for (const Pair side : sides) {
            const Pair local{i, j};
            bool is_near = field.has_neighbor(side);
            for (std::size_t k = 0; k < 2; ++k) {
                if (side[k] < 0) is_near = is_near && local[k] < 2 * depth;
                if (side[k] > 0) is_near = is_near && local[k] >= owned[k];
            }
            sum += is_near ? 1 : 0;
        }
        return sum;
    });
}

void on_grid(Pair grid, Pair periodic)
{
    Field field(grid, periodic);
    ghosts_are_filled(field, true);
    ghosts_are_filled(field, false);
    ghosts_are_added_to_their_owners(field);
}

} // namespace

TEST_MAIN()
{
    const int p = test::size();
    for (int first = 1; first <= p; ++first) {
        if (p % first != 0) continue;
        for (const int periods : {0, 1, 2, 3}) on_grid({first, p / first}, {periods & 1, periods >> 1});
    }
}
