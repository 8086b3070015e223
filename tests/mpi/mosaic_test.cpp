// SPDX-License-Identifier: BSD-3-Clause
// Exchanges between the patches of random mosaics, of folds and cubes, against arithmetic on single elements: all
// kinds of fields, layouts and numbers of patches; adjoints; what is wrong.
#include <cmath>

#include "ghost_shapes.hpp"
#include "mosaic_cases.hpp"

using mosaic_cases::Arithmetic;
using mosaic_cases::Case;
using mosaic_cases::Field;
using mosaic_cases::Index;
using mosaic_cases::Kind;
using mosaic_cases::Location;
using mosaic_cases::Patch;
using mosaic_cases::Random;
using mosaic_cases::Source;
using mosaic_cases::uniform;

namespace {

constexpr double untouched = -7e7;

/// Contacts of the library's interface and of cases are alike.
template <class To, class From>
To contact_of(const From& from)
{
    To result{};
    result.tile = from.tile;
    result.dimension = from.dimension;
    result.side = from.side;
    result.donor = from.donor;
    std::ranges::copy(from.first, std::begin(result.first));
    std::ranges::copy(from.count, std::begin(result.count));
    std::ranges::copy(from.transform, std::begin(result.transform));
    std::ranges::copy(from.origin, std::begin(result.origin));
    std::ranges::copy(from.shift, std::begin(result.shift));
    return result;
}

/// The sizes of tiles as the library wants them.
std::vector<MPI_Count> flat(int d, const std::vector<Index>& sizes)
{
    std::vector<MPI_Count> result;
    for (const Index& size : sizes) result.insert(result.end(), size.begin(), size.begin() + d);
    return result;
}

/// A mosaic, whose patches some processes own.
class Mosaic {
public:
    Mosaic(const Case& its, const std::vector<int>& owners) : case_(its), owners_(owners)
    {
        for (std::size_t p = 0; p < its.patches.size(); ++p)
            if (owners[p] == test::rank()) mine_.push_back(p);
        CHECK_OK(create(MPI_COMM_WORLD, &handle_));
    }

    void free()
    {
        CHECK_OK(ORTHO_Mosaic_free(&handle_));
        CHECK(handle_ == ORTHO_MOSAIC_NULL);
    }
    ORTHO_Mosaic get() const { return handle_; }
    const std::vector<std::size_t>& mine() const { return mine_; }

    /// The owners of some cells, of all patches and of holes.
    void check_owners(Random& random) const
    {
        for (int n = 0; n < 20; ++n) {
            const int tile = uniform(random, 0, static_cast<int>(case_.sizes.size()) - 1);
            MPI_Count cell[4];
            for (std::size_t k = 0; k < at(case_.d); ++k)
                cell[k] = uniform(random, 0, static_cast<int>(case_.sizes[at(tile)][k]) - 1);
            int expected = -1, expected_patch = -1;
            for (std::size_t p = 0; p < case_.patches.size(); ++p) {
                bool has = case_.patches[p].tile == tile;
                for (std::size_t k = 0; k < at(case_.d); ++k)
                    has = has && cell[k] >= case_.patches[p].cells.first[k] &&
                          cell[k] < case_.patches[p].cells.first[k] + case_.patches[p].cells.count[k];
                if (!has) continue;
                expected = owners_[p];
                expected_patch = static_cast<int>(std::count(
                    owners_.begin(), owners_.begin() + static_cast<std::ptrdiff_t>(p), owners_[p]));
            }
            int rank = -5, patch = -5;
            CHECK_OK(ORTHO_Mosaic_owner(handle_, tile, cell, &rank, &patch));
            CHECK_EQ(rank, expected);
            CHECK_EQ(patch, expected_patch);
        }
    }

private:
    int create(MPI_Comm comm, ORTHO_Mosaic* mosaic) const
    {
        const std::vector<MPI_Count> sizes = flat(case_.d, case_.sizes);
        std::vector<ORTHO_Contact> contacts;
        for (const auto& contact : case_.contacts) contacts.push_back(contact_of<ORTHO_Contact>(contact));
        std::vector<ORTHO_Patch> patches;
        for (const std::size_t p : mine_) {
            ORTHO_Patch& made = patches.emplace_back();
            made.tile = case_.patches[p].tile;
            std::ranges::copy(case_.patches[p].cells.first, made.first);
            std::ranges::copy(case_.patches[p].cells.count, made.count);
        }
        return ORTHO_Mosaic_create(comm, case_.d, static_cast<int>(case_.sizes.size()), sizes.data(),
                                   static_cast<int>(contacts.size()), contacts.data(),
                                   static_cast<int>(patches.size()), patches.data(), MPI_INFO_NULL, mosaic);
    }

    const Case& case_;
    const std::vector<int>& owners_;
    std::vector<std::size_t> mine_;
    test::Mosaic handle_;
};

/// How arrays of a field lie in memory.
struct Form {
    int pairs = 1;     ///< numbers of an element
    int undivided = 1; ///< elements of a further dimension; it may be that there are none
    bool is_packed = true;
    test::Axes axes;
    Ints along; ///< array dimensions along the mosaic's
};

/// One field on one patch.
class Array {
public:
    Array(Random& mine, const Case& its, std::size_t patch, const Field& field, const Form& form)
    {
        const auto& [tile, cells] = its.patches[patch];
        Ints sizes;
        for (std::size_t k = 0; k < at(its.d); ++k) {
            low_.push_back(static_cast<int>(cells.first[k] - field.lower[k]));
            const bool has_more = field.location[k] == Location::both &&
                                  cells.end(k) == its.sizes[at(tile)][k];
            const auto end = static_cast<int>(cells.end(k) + field.upper[k]) + (has_more ? 1 : 0);
            sizes.push_back(end - low_[k]);
        }
        sizes.push_back(form.undivided);
        constexpr auto number = static_cast<MPI_Aint>(sizeof(double));
        layout_ = std::make_unique<test::Layout>(mine, form.axes, sizes, sizes, sizes, number * form.pairs,
                                                 number, form.is_packed);
        values_.assign(layout_->bytes() / sizeof(double) + 1, untouched); // never a null pointer
    }

    void* base() { return bytes() + layout_->begin(); }
    const std::vector<MPI_Aint>& strides() const { return layout_->strides(); }
    double& operator()(const Index& element, int level, int number)
    {
        Ints index;
        for (std::size_t k = 0; k < low_.size(); ++k) index.push_back(static_cast<int>(element[k]) - low_[k]);
        index.push_back(level);
        return reinterpret_cast<double*>(bytes() + layout_->place(index))[number];
    }

private:
    char* bytes() { return reinterpret_cast<char*>(values_.data()); }

    Ints low_;
    std::unique_ptr<test::Layout> layout_;
    std::vector<double> values_;
};

/// An element of a field on a patch.
struct Element {
    std::size_t field, patch;
    Index at;
    bool is_ghost;
    std::optional<Source> source; ///< that it gets its value from; of owned elements only where they take it
};

/// All elements of all processes; nothing if ghosts reach further than a tile.
std::optional<std::vector<Element>> all_elements(const Case& its, const Arithmetic& arithmetic)
{
    std::vector<Element> result;
    try {
        for (std::size_t p = 0; p < its.patches.size(); ++p)
            for (std::size_t f = 0; f < its.fields.size(); ++f) {
                const int field = static_cast<int>(f);
                arithmetic.each_ghost(p, field, [&](const Index& element) {
                    result.push_back({f, p, element, true, arithmetic.source(p, field, element)});
                });
                arithmetic.each_owned(p, field, [&](const Index& element) {
                    result.push_back({f, p, element, false, std::nullopt});
                    if (!its.fields[f].syncs) return;
                    const auto source = arithmetic.source(p, field, element);
                    if (source && source->crossings > 0) result.back().source = source;
                });
            }
    } catch (const mosaic_cases::TooDeep&) {
        return std::nullopt;
    }
    return result;
}

/// The value of an element: no two elements have one.
double value(const Case& its, std::size_t patch, std::size_t field, const Index& element, int level,
             int number, int turn)
{
    double result = its.patches[patch].tile + 1;
    for (std::size_t k = 0; k < at(its.d); ++k) result = result * 19 + static_cast<double>(element[k]);
    return ((result * 6 + static_cast<double>(field)) * 2 + level) * 2 + number + turn * 0.5;
}
double value(const Case& its, const Element& element, int level, int number, int turn = 0)
{
    return value(its, element.patch, element.field, element.at, level, number, turn);
}
double value(const Case& its, const Source& source, int level, int number, int turn)
{
    return source.sign * value(its, source.patch, at(source.field), source.element, level, number, turn) +
           source.shift;
}

/// Fields on this process's patches.
class Arrays {
public:
    Arrays(Random& random, const Case& its, const Mosaic& mosaic) : case_(its), mosaic_(mosaic)
    {
        Random mine(random() + static_cast<unsigned>(test::rank()));
        for (std::size_t f = 0; f < its.fields.size(); ++f) {
            Form form;
            // Components of one vector have one type; the number of processes has no influence.
            if (f > 0 && its.fields[f].component > 0 && its.fields[f].kind != Kind::position) {
                form = forms_.back();
            } else {
                form.pairs = uniform(random, 1, 2);
                form.undivided = uniform(random, 0, 4) == 0 ? 0 : uniform(random, 1, 2);
                form.is_packed = uniform(random, 0, 3) != 0;
            }
            const int n = its.d + (form.undivided == 1 ? 0 : 1);
            form.axes = {test::random_order(random, its.d, n), its.d,
                         uniform(random, 0, 1) != 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN};
            form.along.clear();
            for (const int k : form.axes.dimension) form.along.push_back(k < its.d ? k : ORTHO_UNDIVIDED);
            forms_.push_back(form);
            for (const std::size_t p : mosaic.mine()) arrays_.emplace_back(mine, its, p, its.fields[f], form);
        }
        describe();
    }

    std::vector<ORTHO_Mosaic_field>& fields() { return fields_; }
    int count() const { return static_cast<int>(fields_.size()); }
    const Form& form(std::size_t f) const { return forms_[f]; }

    /// use(element, level, number, itself) for these elements, where this process has them.
    template <class Use>
    void each(const std::vector<Element>& elements, Use use)
    {
        for (const Element& element : elements) {
            const auto& mine = mosaic_.mine();
            const auto found = std::ranges::find(mine, element.patch);
            if (found == mine.end()) continue;
            Array& array =
                arrays_[element.field * mine.size() + static_cast<std::size_t>(found - mine.begin())];
            for (int level = 0; level < forms_[element.field].undivided; ++level)
                for (int number = 0; number < forms_[element.field].pairs; ++number)
                    use(element, level, number, array(element.at, level, number));
        }
    }
    void set(const std::vector<Element>& elements, int turn)
    {
        each(elements, [&](const Element& element, int level, int number, double& x) {
            x = element.is_ghost ? untouched : value(case_, element, level, number, turn);
        });
    }
    /// The value of an element after the exchange.
    double wanted(const Element& element, int level, int number, int turn) const
    {
        return element.source     ? value(case_, *element.source, level, number, turn)
               : element.is_ghost ? untouched
                                  : value(case_, element, level, number, turn);
    }
    void check(const std::vector<Element>& elements, int turn)
    {
        each(elements, [&](const Element& element, int level, int number, double x) {
            CHECK_EQ(x, wanted(element, level, number, turn));
        });
    }

private:
    void describe()
    {
        const std::size_t n = mosaic_.mine().size();
        for (Array& array : arrays_) bases_.push_back(array.base());
        lists_.resize(case_.fields.size());
        for (std::size_t f = 0; f < case_.fields.size(); ++f) {
            const Field& its = case_.fields[f];
            Lists& lists = lists_[f];
            for (std::size_t k = 0; k < at(case_.d); ++k) {
                lists.lower.push_back(its.lower[k]);
                lists.upper.push_back(its.upper[k]);
                lists.location.push_back(static_cast<int>(its.location[k]));
            }
            for (std::size_t p = 0; p < n; ++p)
                for (const MPI_Aint stride : arrays_[f * n + p].strides()) lists.strides.push_back(stride);
            lists.undivided.assign(forms_[f].along.size(), forms_[f].undivided);
            ORTHO_Mosaic_field field = ORTHO_MOSAIC_FIELD_INIT;
            field.bases = bases_.data() + f * n;
            field.element = forms_[f].pairs == 2 ? pair_.handle() : MPI_DOUBLE;
            field.lower = lists.lower.data();
            field.upper = lists.upper.data();
            field.location = lists.location.data();
            field.kind = static_cast<int>(its.kind);
            field.component = its.component;
            field.group = its.group[0];
            field.sync = its.syncs ? 1 : 0;
            field.order = forms_[f].axes.order;
            field.ndims = static_cast<int>(forms_[f].along.size());
            field.dimension = forms_[f].along.data();
            field.undivided = lists.undivided.data();
            if (!forms_[f].is_packed) field.strides = lists.strides.data();
            fields_.push_back(field);
        }
    }

    struct Lists {
        std::vector<MPI_Count> lower, upper, undivided;
        std::vector<int> location;
        std::vector<MPI_Aint> strides;
    };

    const Case& case_;
    const Mosaic& mosaic_;
    std::vector<Form> forms_;
    std::vector<Array> arrays_;
    std::vector<Lists> lists_;
    std::vector<void*> bases_;
    std::vector<ORTHO_Mosaic_field> fields_;
    test::Type pair_ = test::committed(MPI_Type_contiguous, 2, MPI_DOUBLE);
};

std::vector<int> random_owners(Random& random, const Case& its)
{
    std::vector<int> owners(its.patches.size());
    const int processes = test::size();
    const int first = uniform(random, 0, 2) == 0 ? processes - 1 : 0; // some have all, and others none
    for (int& owner : owners) owner = uniform(random, first, processes - 1);
    return owners;
}

void check_unfilled(const Case& its, const Mosaic& mosaic, const std::vector<Element>& elements,
                    ORTHO_Request request)
{
    for (std::size_t f = 0; f < its.fields.size(); ++f)
        for (std::size_t p = 0; p < mosaic.mine().size(); ++p) {
            const MPI_Count expected = std::ranges::count_if(elements, [&](const Element& element) {
                return element.field == f && element.patch == mosaic.mine()[p] && element.is_ghost &&
                       !element.source;
            });
            int n = -1;
            const int field = static_cast<int>(f), patch = static_cast<int>(p);
            CHECK_OK(ORTHO_Mosaic_unfilled(request, field, patch, 0, nullptr, &n));
            std::vector<ORTHO_Patch> boxes(at(n));
            CHECK_OK(ORTHO_Mosaic_unfilled(request, field, patch, n, boxes.data(), &n));
            MPI_Count unfilled = 0;
            for (const ORTHO_Patch& box : boxes) {
                MPI_Count volume = 1;
                for (std::size_t k = 0; k < at(its.d); ++k) volume *= box.count[k];
                unfilled += volume;
                CHECK_EQ(box.tile, its.patches[mosaic.mine()[p]].tile);
            }
            CHECK_EQ(unfilled, expected);
        }
}

/// The adjoint: each owned element gets the sum over the ghosts that it fills, with their signs.
void check_reduction(Random& random, Case its, const std::vector<int>& owners)
{
    for (Field& field : its.fields) field.syncs = false;
    const auto elements = all_elements(its, Arithmetic(its));
    if (!elements) return;
    const Mosaic mosaic(its, owners);
    Arrays arrays(random, its, mosaic);
    test::Request request;
    CHECK_OK(ORTHO_Mosaic_reduce_init(arrays.count(), arrays.fields().data(), MPI_SUM, mosaic.get(),
                                      MPI_INFO_NULL, &request));
    // Ghosts have the values that elements there would have.
    const auto first = [&](const Element& element, int level, int number) {
        return value(its, element, level, number) +
               (element.is_ghost ? 1000 * static_cast<double>(element.patch) : 0);
    };
    std::map<std::tuple<std::size_t, int, Index, int, int>, double> sums;
    for (const Element& element : *elements) {
        if (!element.source) continue;
        const Source& source = *element.source;
        for (int level = 0; level < arrays.form(element.field).undivided; ++level)
            for (int number = 0; number < arrays.form(element.field).pairs; ++number)
                sums[{source.patch, source.field, source.element, level, number}] += source.sign *
                                                                                     first(element, level,
                                                                                           number);
    }
    for (int turn = 0; turn < 2; ++turn) {
        arrays.each(*elements, [&](const Element& element, int level, int number, double& x) {
            x = first(element, level, number);
        });
        CHECK_OK(test::execute(&request, turn == 0));
        arrays.each(*elements, [&](const Element& element, int level, int number, double x) {
            const auto found = sums.find(
                {element.patch, static_cast<int>(element.field), element.at, level, number});
            const bool has_sum = !element.is_ghost && found != sums.end();
            CHECK_EQ(x, first(element, level, number) + (has_sum ? found->second : 0));
        });
    }
}

/// Runs, starts and rebinds the exchange of a mosaic.
void check_case(Random& random, const Case& its)
{
    const auto elements = all_elements(its, Arithmetic(its));
    const std::vector<int> owners = random_owners(random, its);
    Mosaic mosaic(its, owners);
    mosaic.check_owners(random);
    Arrays arrays(random, its, mosaic);
    test::Request request;
    const int code = ORTHO_Mosaic_halo_init(arrays.count(), arrays.fields().data(), mosaic.get(),
                                            MPI_INFO_NULL, &request);
    if (!elements) {
        refused(code, MPI_ERR_ARG, "deeper");
        return;
    }
    CHECK_OK(code);
    check_unfilled(its, mosaic, *elements, request);
    mosaic.free(); // requests live on
    for (int turn = 0; turn < 3; ++turn) {
        arrays.set(*elements, turn);
        CHECK_OK(test::execute(&request, turn != 1));
        arrays.check(*elements, turn);
    }
    check_reduction(random, its, owners);
}

/// Cases of seeds from this one on, until one fails.
template <class Check>
void check_cases(const char* what, int cases, int first_seed, Check check)
{
    for (int i = 0; i < cases; ++i) {
        Random random(static_cast<unsigned>(first_seed + i));
        const int before = test::failures;
        check(random, i);
        if (test::failures != before) {
            std::fprintf(stderr, "rank %d: %s, in case %d\n", test::rank(), what, i);
            return;
        }
    }
}

/// A case that the library's own makers make, divided among the processes.
Case made_case(int d, const std::vector<Index>& sizes, const std::vector<ORTHO_Contact>& contacts)
{
    Case result;
    result.d = d;
    result.sizes = sizes;
    for (const ORTHO_Contact& contact : contacts)
        result.contacts.push_back(contact_of<mosaic_cases::Contact>(contact));
    return result;
}

/// Divides into patches of at most 3 cells, and gives them fields of all kinds.
void divide(Case& its, Random& random)
{
    const MPI_Count most[] = {3, 3, 3, 3};
    const std::vector<MPI_Count> sizes = flat(its.d, its.sizes);
    const int tiles = static_cast<int>(its.sizes.size());
    int n = 0;
    CHECK_OK(ORTHO_Mosaic_divide(its.d, tiles, sizes.data(), most, 1, 0, 0, nullptr, &n));
    std::vector<ORTHO_Patch> patches(at(n));
    CHECK_OK(ORTHO_Mosaic_divide(its.d, tiles, sizes.data(), most, 1, 0, n, patches.data(), &n));
    for (const ORTHO_Patch& patch : patches) {
        Patch& made = its.patches.emplace_back();
        made.tile = patch.tile;
        std::ranges::copy(patch.first, made.cells.first.begin());
        std::ranges::copy(patch.count, made.cells.count.begin());
    }
    Case with_fields = mosaic_cases::Maker(random, its.d).make();
    while (with_fields.d != its.d) with_fields = mosaic_cases::Maker(random, its.d).make();
    its.fields = with_fields.fields;
    for (Field& field : its.fields)
        for (std::size_t k = 0; k < 4; ++k) {
            field.lower[k] = std::min<std::int64_t>(field.lower[k], 2);
            field.upper[k] = std::min<std::int64_t>(field.upper[k], 2);
        }
}

void check_folds_and_cubes()
{
    Random random(7);
    const auto check = [&](const std::vector<Index>& sizes, const std::vector<ORTHO_Contact>& contacts) {
        Case its = made_case(2, sizes, contacts);
        divide(its, random);
        check_case(random, its);
    };
    for (const int pivot : {ORTHO_PIVOT_T, ORTHO_PIVOT_F, ORTHO_PIVOT_U, ORTHO_PIVOT_V}) {
        const MPI_Count size[] = {8, 5};
        std::vector<ORTHO_Contact> contacts(2);
        CHECK_OK(ORTHO_Contact_periodic(2, size, 0, 0, &contacts[0]));
        CHECK_OK(ORTHO_Contact_fold(2, size, 0, 1, ORTHO_UPPER, 0, pivot, &contacts[1]));
        check({{8, 5}}, contacts);
    }
    std::vector<ORTHO_Contact> contacts(12);
    const std::vector<MPI_Count> panels(12, 5);
    CHECK_OK(ORTHO_Contact_cubed_sphere(2, panels.data(), contacts.data()));
    check(std::vector<Index>(6, Index{5, 5}), contacts);
    // Two tiles, one of which is turned.
    const MPI_Count pair[] = {4, 6, 6, 4};
    std::vector<ORTHO_Contact> one(1);
    const int reversed[] = {0, 1};
    CHECK_OK(ORTHO_Contact_join(2, pair, 0, 0, ORTHO_UPPER, 1, 1, ORTHO_UPPER, reversed, one.data()));
    CHECK_EQ(one[0].transform[0], -2);
    CHECK_EQ(one[0].transform[1], -1);
    CHECK_EQ(one[0].origin[0], 6);
    CHECK_EQ(one[0].origin[1], 4 + 4);
    check({{4, 6}, {6, 4}}, one);
}

/// One tile with closed sides: what each ghost beyond them shows, element by element, as numpy.pad of the
/// tile has it.
class ClosedTile {
public:
    ClosedTile(Random& random, int d)
    {
        std::vector<Index> sizes(1);
        for (int k = 0; k < d; ++k) sizes[0][at(k)] = uniform(random, 3, 7);
        const std::vector<MPI_Count> numbers = flat(d, sizes);
        std::vector<ORTHO_Contact> contacts;
        for (int k = 0; k < d; ++k) {
            is_periodic_.push_back(uniform(random, 0, 2) == 0);
            if (is_periodic_.back())
                CHECK_OK(ORTHO_Contact_periodic(d, numbers.data(), 0, k, &contacts.emplace_back()));
        }
        case_ = made_case(d, sizes, contacts);
        divide(case_, random);
        for (std::size_t f = 0; f < case_.fields.size(); ++f)
            for (int side = 0; side < 2 * d; ++side) {
                sides_.push_back({uniform(random, 0, 4), 2 * uniform(random, 0, 1) - 1, nullptr});
                constants_.push_back({100.5 + side, 200.5 + side});
            }
    }

    void check(Random& random)
    {
        const auto elements = all_elements(case_, Arithmetic(case_));
        if (!elements) return;
        const std::vector<int> owners = random_owners(random, case_);
        const Mosaic mosaic(case_, owners);
        Arrays arrays(random, case_, mosaic);
        for (std::size_t i = 0; i < sides_.size(); ++i) sides_[i].value = constants_[i].data();
        for (std::size_t f = 0; f < case_.fields.size(); ++f)
            arrays.fields()[f].boundary = &sides_[2 * at(case_.d) * f];
        test::Request request;
        const int code = ORTHO_Mosaic_halo_init(arrays.count(), arrays.fields().data(), mosaic.get(),
                                                MPI_INFO_NULL, &request);
        std::map<std::tuple<std::size_t, std::size_t, Index>, const Element*> all;
        for (const Element& element : *elements) all[{element.patch, element.field, element.at}] = &element;
        // Does a ghost, on any process, show an element that its array has not?
        const bool lacks = std::ranges::any_of(*elements, [&](const Element& ghost) {
            const Shown shown = shown_by(ghost.field, ghost.at);
            return ghost.is_ghost && !shown.is_left && shown.constant == nullptr &&
                   (!all.contains({ghost.patch, ghost.field, shown.element}) ||
                    is_beyond(ghost.field, shown.element));
        });
        if (lacks) {
            refused(code, MPI_ERR_ARG, "the array of a patch of tile 0 has elements");
            return;
        }
        CHECK_OK(code);
        for (int turn = 0; turn < 2; ++turn) {
            arrays.set(*elements, turn);
            CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
            arrays.each(*elements, [&](const Element& ghost, int level, int number, double x) {
                if (!ghost.is_ghost) return;
                const Shown shown = shown_by(ghost.field, ghost.at);
                double wanted = untouched;
                if (shown.constant != nullptr)
                    wanted = (*shown.constant)[at(number)];
                else if (!shown.is_left)
                    wanted = arrays.wanted(*all.at({ghost.patch, ghost.field, shown.element}), level, number,
                                           turn);
                CHECK_EQ(x, wanted == untouched ? wanted : shown.sign * wanted);
            });
        }
    }

private:
    struct Shown {
        Index element;
        int sign = 1;
        bool is_left = false; ///< stays as it is
        const std::array<double, 2>* constant = nullptr;
    };

    std::int64_t number_of_elements(std::size_t f, std::size_t k) const
    {
        return case_.sizes[0][k] + (case_.fields[f].location[k] == Location::both ? 1 : 0);
    }
    bool is_closed(std::size_t f, std::size_t k, const Index& ghost) const
    {
        return !is_periodic_[k] && (ghost[k] < 0 || ghost[k] >= number_of_elements(f, k));
    }
    bool is_beyond(std::size_t f, const Index& element) const
    {
        for (std::size_t k = 0; k < at(case_.d); ++k)
            if (is_closed(f, k, element)) return true;
        return false;
    }
    Shown shown_by(std::size_t f, const Index& ghost) const
    {
        Shown result;
        result.element = ghost;
        for (std::size_t k = 0; k < at(case_.d); ++k) {
            if (!is_closed(f, k, ghost)) continue;
            const std::size_t side = 2 * at(case_.d) * f + 2 * k + (ghost[k] < 0 ? 0 : 1);
            const int kind = sides_[side].kind;
            if (kind == ORTHO_BOUNDARY_NONE) return {ghost, 1, true, nullptr};
            if (kind == ORTHO_BOUNDARY_CONSTANT) {
                result.constant = &constants_[side];
                result.sign = 1;
                continue;
            }
            result.sign *= sides_[side].sign;
            const std::int64_t last = number_of_elements(f, k) - 1;
            const std::int64_t beyond = ghost[k] < 0 ? -ghost[k] : ghost[k] - last; // from 1 on
            const std::int64_t steps = kind == ORTHO_BOUNDARY_EDGE      ? 0
                                       : kind == ORTHO_BOUNDARY_REFLECT ? beyond
                                                                        : beyond - 1;
            result.element[k] = ghost[k] < 0 ? steps : last - steps;
        }
        return result;
    }
    Case case_;
    std::vector<bool> is_periodic_;
    std::vector<ORTHO_Boundary> sides_; ///< by field
    std::vector<std::array<double, 2>> constants_;
};

constexpr MPI_Count one[] = {1}, none[] = {0};

/// A ring of cells, with two arrays that take turns.
void check_rebind()
{
    const int p = test::size(), r = test::rank();
    test::Mosaic mosaic = test::ring_of_cells(4);
    int a[6], b[6];
    void* bases[] = {a};
    const ORTHO_Mosaic_field field = test::mosaic_field(bases, MPI_INT, one, one);
    test::Request request;
    CHECK_OK(ORTHO_Mosaic_halo_init(1, &field, mosaic, MPI_INFO_NULL, &request));
    for (int turn = 0; turn < 4; ++turn) {
        int* const u = turn % 2 == 0 ? a : b;
        void* const now[] = {u};
        CHECK_OK(ORTHO_Halo_rebind(request, 1, now));
        for (int i = 0; i < 4; ++i) u[i + 1] = 100 * turn + 4 * r + i;
        u[0] = u[5] = -1;
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        CHECK_EQ(u[0], 100 * turn + (4 * r + 4 * p - 1) % (4 * p));
        CHECK_EQ(u[5], 100 * turn + (4 * r + 4) % (4 * p));
    }
    CHECK(test::explanation(request).find("ORTHO_Mosaic_halo_init") != std::string::npos);
    void* const two[] = {a, b};
    refused(ORTHO_Halo_rebind(request, 2, two), MPI_ERR_ARG, "nfields = 2 of an exchange of 1 arrays");
    void* const nowhere[] = {nullptr};
    refused(ORTHO_Halo_rebind(request, 1, nowhere), MPI_ERR_BUFFER, "bases[0] is a null pointer");
    int n = 0;
    refused(ORTHO_Mosaic_unfilled(request, 1, 0, 0, nullptr, &n), MPI_ERR_ARG,
            "field = 1 is none of 1 fields");
    refused(ORTHO_Mosaic_unfilled(request, 0, 1, 0, nullptr, &n), MPI_ERR_ARG,
            "patch = 1 is none of 1 patches");
}

void* on_device(void* address)
{
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) | pretend::on_device);
}

/// All processes hear of one whose fields lie with the host and on a device, and none waits for it.
void check_homes()
{
    if (!pretend::is_on()) return;
    pretend::are_wanted = false;
    test::Mosaic mosaic = test::ring_of_cells(2);
    int u[4], v[4];
    void* const here[] = {u, v};
    void* const apart[] = {u, test::rank() == 0 ? on_device(v) : v};
    test::Request request;
    for (const int first : {0, 1}) {
        ORTHO_Mosaic_field fields[] = {test::mosaic_field(&apart[first], MPI_INT, one, one),
                                       test::mosaic_field(&apart[1 - first], MPI_INT, one, one)};
        refused(ORTHO_Mosaic_halo_init(2, fields, mosaic, MPI_INFO_NULL, &request), MPI_ERR_BUFFER,
                "fields[1].bases[0] lies in another kind of memory");
        for (int f = 0; f < 2; ++f) fields[f].bases = &here[f];
        CHECK_OK(ORTHO_Mosaic_halo_init(2, fields, mosaic, MPI_INFO_NULL, &request));
        if (test::rank() == 0)
            refused(ORTHO_Halo_rebind(request, 2, apart), MPI_ERR_BUFFER, "lies in another kind of memory");
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        CHECK_OK(ORTHO_Request_free(&request));
    }
    pretend::are_wanted = true;
}

/// A tile on each process, whose lower side is a mirror: numbers of one type are there with the other sign.
template <class T>
void check_numbers(MPI_Datatype type, int numbers)
{
    const int p = test::size();
    int type_bytes = 0; // an MPI without Fortran has none of its types, or types of nothing
    if (type != MPI_DATATYPE_NULL) MPI_Type_size(type, &type_bytes);
    if (type_bytes == 0) return;
    std::vector<MPI_Count> sizes(at(p), 4);
    std::vector<ORTHO_Contact> mirrors(at(p));
    for (int tile = 0; tile < p; ++tile) {
        ORTHO_Contact& mirror = mirrors[at(tile)];
        mirror.tile = mirror.donor = tile;
        mirror.side = ORTHO_LOWER;
        mirror.transform[0] = -1;
    }
    const ORTHO_Patch patch{test::rank(), {0}, {4}};
    test::Mosaic mosaic;
    CHECK_OK(ORTHO_Mosaic_create(MPI_COMM_WORLD, 1, p, sizes.data(), p, mirrors.data(), 1, &patch,
                                 MPI_INFO_NULL, &mosaic));
    std::vector<T> u(at(6 * numbers));
    const auto set = [&] {
        for (int i = 0; i < 6 * numbers; ++i)
            u[at(i)] = static_cast<T>(i - 2 * numbers); // owned ones from 0 on
    };
    void* bases[] = {u.data()};
    const MPI_Count depth[] = {2};
    ORTHO_Mosaic_field field = test::mosaic_field(bases, type, depth, none);
    field.kind = ORTHO_VECTOR;
    test::Request request;
    CHECK_OK(ORTHO_Mosaic_halo_init(1, &field, mosaic, MPI_INFO_NULL, &request));
    set();
    CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    for (int ghost = 0; ghost < 2; ++ghost) // elements 1 and 0, which lie behind two ghosts
        for (int i = 0; i < numbers; ++i) {
            const T number = u[at(ghost * numbers + i)];
            const auto opposite = static_cast<T>(-static_cast<T>((1 - ghost) * numbers + i));
            CHECK(number == opposite && std::signbit(number) == std::signbit(opposite)); // -0, too
        }
    CHECK_OK(ORTHO_Request_free(&request));
    CHECK_OK(ORTHO_Mosaic_reduce_init(1, &field, MPI_SUM, mosaic, MPI_INFO_NULL, &request));
    set();
    CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    for (int element = 0; element < 2; ++element)
        for (int i = 0; i < numbers; ++i) {
            const int mine = element * numbers + i, ghost = (-1 - element) * numbers + i;
            CHECK(u[at((2 + element) * numbers + i)] == static_cast<T>(mine - ghost));
        }
}

void check_types()
{
    check_numbers<float>(MPI_FLOAT, 1);
    check_numbers<double>(MPI_DOUBLE, 1);
    check_numbers<long double>(MPI_LONG_DOUBLE, 1);
    check_numbers<double>(MPI_C_DOUBLE_COMPLEX, 2);
    check_numbers<signed char>(MPI_SIGNED_CHAR, 1);
    check_numbers<short>(MPI_SHORT, 1);
    check_numbers<int>(MPI_INT, 1);
    check_numbers<long long>(MPI_LONG_LONG, 1);
    check_numbers<MPI_Aint>(MPI_AINT, 1);
    check_numbers<std::int64_t>(MPI_INTEGER8, 1);
    check_numbers<std::int8_t>(MPI_INTEGER1, 1);
    check_numbers<float>(MPI_REAL4, 1);
    check_numbers<double>(MPI_REAL8, 1);
    check_numbers<float>(MPI_COMPLEX8, 2);
    check_numbers<long double>(MPI_C_LONG_DOUBLE_COMPLEX, 2);
    test::Type three = test::committed(MPI_Type_contiguous, 3, MPI_FLOAT);
    check_numbers<float>(three, 3);
}

/// An int and a gap.
struct Spread {
    int number, gap;
};

/// The larger number.
void keep_larger(void* in, void* inout, int* n, MPI_Datatype*)
{
    for (int i = 0; i < *n; ++i) {
        Spread& mine = static_cast<Spread*>(inout)[i];
        mine.number = std::max(mine.number, static_cast<Spread*>(in)[i].number);
    }
}

/// Two numbers, each with a place behind it.
struct Places {
    double number;
    int gap; ///< all have one place
    double other;
    int place;
};

/// A ring of cells, reduced by an operator that keeps the larger number, on elements with gaps.
template <class T>
void check_operator(MPI_Datatype element, MPI_Op larger)
{
    const int p = test::size(), r = test::rank();
    test::Mosaic mosaic = test::ring_of_cells(2);
    const int numbers[] = {100 + r, 2 * r, 2 * r + 1, 200 + r}; // a ghost on either side
    T u[4] = {};
    for (int i = 0; i < 4; ++i) {
        u[i].number = numbers[i];
        u[i].gap = 7;
    }
    void* bases[] = {u};
    const ORTHO_Mosaic_field field = test::mosaic_field(bases, element, one, one);
    test::Request request;
    if (pretend::is_on()) { // rows of what comes from devices have no gaps
        bases[0] = on_device(u);
        const int code = ORTHO_Mosaic_reduce_init(1, &field, larger, mosaic, MPI_INFO_NULL, &request);
        CHECK_EQ(test::error_class(code), MPI_ERR_BUFFER);
        bases[0] = u;
    }
    const bool on_devices = std::exchange(pretend::are_wanted, false);
    CHECK_OK(ORTHO_Mosaic_reduce_init(1, &field, larger, mosaic, MPI_INFO_NULL, &request));
    pretend::are_wanted = on_devices;
    MPI_Type_free(&element);
    CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(u[1].number, 200 + (r + p - 1) % p); // the upper ghost of the process before
    CHECK_EQ(u[2].number, 100 + (r + 1) % p);
    for (const T& each : u) CHECK_EQ(each.gap, 7);
}

/// A mistake of the last process is told on all.
void check_errors()
{
    const bool is_last = test::rank() == test::size() - 1;
    const MPI_Count sizes[] = {8, 6};
    ORTHO_Contact contacts[2];
    CHECK_OK(ORTHO_Contact_periodic(2, sizes, 0, 0, &contacts[0]));
    CHECK_OK(ORTHO_Contact_fold(2, sizes, 0, 1, ORTHO_UPPER, 0, ORTHO_PIVOT_F, &contacts[1]));
    ORTHO_Patch patch{0, {0, 0}, {8, 6}};
    const int mine = is_last ? 1 : 0;
    ORTHO_Mosaic mosaic = ORTHO_MOSAIC_NULL;
    const auto create = [&](int ncontacts, int npatches) {
        return ORTHO_Mosaic_create(MPI_COMM_WORLD, 2, 1, sizes, ncontacts, contacts, npatches, &patch,
                                   MPI_INFO_NULL, &mosaic);
    };
    const auto wrong_on_last = [&](auto call, auto& place, auto wrong, int wanted, const char* words) {
        const auto right = place;
        if (is_last) place = wrong;
        refused(call(), wanted, words);
        place = right;
    };
    const auto both = [&] { return create(2, mine); };
    wrong_on_last(both, patch.first[1], 1, MPI_ERR_ARG,
                  "patches[0] leaves its tile: it has 6 cells from cell 1 on in dimension 1");
    if (test::size() > 1) {
        refused(create(2, 1), MPI_ERR_ARG, "has cells of tile 0 that another patch has");
        refused(create(is_last ? 1 : 2, mine), ORTHO_ERR_MISMATCH, "not the same on rank 0 and on rank");
    }
    wrong_on_last(both, contacts[1].transform[0], 2, MPI_ERR_ARG, "no signed permutation of 2 dimensions");
    wrong_on_last(both, contacts[1].origin[1], contacts[1].origin[1] + 3, MPI_ERR_ARG,
                  "leads outside of its tile");
    const ORTHO_Contact good = std::exchange(contacts[1], contacts[0]);
    wrong_on_last(both, contacts[1].shift[0], 1, MPI_ERR_ARG, "both say what lies beyond");
    contacts[1] = good;
    refused(create(2, is_last ? -1 : 0), MPI_ERR_COUNT, "npatches = -1");
    CHECK_OK(create(2, mine));

    double u[10 * 8];
    void* bases[] = {u};
    MPI_Count depth[] = {1, 1};
    ORTHO_Mosaic_field fields[] = {test::mosaic_field(bases, MPI_DOUBLE, depth, depth),
                                   test::mosaic_field(bases, MPI_DOUBLE, depth, depth)};
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    const auto init = [&](int nfields) {
        return ORTHO_Mosaic_halo_init(nfields, fields, mosaic, MPI_INFO_NULL, &request);
    };
    const auto reduce = [&](MPI_Op op) {
        return ORTHO_Mosaic_reduce_init(2, fields, op, mosaic, MPI_INFO_NULL, &request);
    };
    if (test::size() > 1)
        refused(init(is_last ? 1 : 2), ORTHO_ERR_MISMATCH, "nfields is 2 on rank 0, and 1 on rank");
    fields[0].kind = ORTHO_VECTOR;
    refused(init(1), MPI_ERR_ARG, "group 0 of fields[0] has no component 1: it needs all 2");
    fields[1].kind = ORTHO_VECTOR;
    refused(init(2), MPI_ERR_ARG, "fields[0] and fields[1] are both component 0");
    fields[1].component = 1;
    const auto init_both = [&] { return init(2); };
    wrong_on_last(init_both, fields[1].element, MPI_DATATYPE_NULL, MPI_ERR_TYPE,
                  "fields[1].element is MPI_DATATYPE_NULL");
    fields[1].element = MPI_BYTE;
    refused(init(2), MPI_ERR_TYPE, "fields[1].element is not made of numbers");
    fields[1].element = MPI_DOUBLE;
    wrong_on_last(init_both, bases[0], nullptr, MPI_ERR_BUFFER, "fields[0].bases[0] is a null pointer");
    if (test::size() > 1)
        wrong_on_last(init_both, depth[1], 2, ORTHO_ERR_MISMATCH,
                      "lower, upper or location is not the same on all processes");
    wrong_on_last(init_both, depth[0], -1, MPI_ERR_ARG, "fields[0].lower[0] = -1 is no number of ghosts");
    wrong_on_last(init_both, fields[1].component, 2, MPI_ERR_ARG,
                  "fields[1].component = 2 is none of 0 to 1");
    depth[1] = 7;
    refused(init(2), MPI_ERR_ARG, "deeper than tile 0");
    depth[1] = 1;
    fields[0].sync = 1;
    refused(reduce(MPI_SUM), MPI_ERR_ARG, "sync is set");
    fields[0].sync = 0;
    ORTHO_Boundary sides[4]{};
    fields[1].boundary = sides;
    refused(reduce(MPI_SUM), MPI_ERR_ARG, "fields[1].boundary is set");
    wrong_on_last(init_both, sides[1].kind, 5, MPI_ERR_ARG,
                  "fields[1].boundary of dimension 0, upper side, has kind 5");
    sides[1].kind = ORTHO_BOUNDARY_EDGE;
    wrong_on_last(init_both, sides[1].sign, 2, MPI_ERR_ARG, "has sign 2, not 1 or -1");
    if (test::size() > 1)
        wrong_on_last(init_both, sides[1].kind, ORTHO_BOUNDARY_REFLECT, ORTHO_ERR_MISMATCH,
                      "boundary is not the same on all processes");
    fields[1].boundary = nullptr;
    refused(reduce(MPI_REPLACE), MPI_ERR_OP, "op is for one-sided communication only");
    refused(reduce(MPI_BAND), MPI_ERR_OP, "MPI_BAND");
    CHECK_OK(init(2));
    CHECK_OK(ORTHO_Request_free(&request));
    int rank = 0, n = 0;
    const MPI_Count outside[] = {8, 0};
    refused(ORTHO_Mosaic_owner(mosaic, 0, outside, &rank, &n), MPI_ERR_ARG,
            "element[0]: cell 8 is none of 8 cells");
    refused(ORTHO_Mosaic_unfilled(ORTHO_REQUEST_NULL, 0, 0, 0, nullptr, &n), MPI_ERR_REQUEST,
            "no exchange between patches");
    CHECK_OK(ORTHO_Mosaic_free(&mosaic));
    refused(ORTHO_Mosaic_halo_init(2, fields, mosaic, MPI_INFO_NULL, &request), MPI_ERR_ARG,
            "mosaic is no mosaic");
    refused(ORTHO_Contact_fold(2, sizes, 0, 1, 0, 0, 0, contacts), MPI_ERR_ARG, "side = 0 is neither");
    refused(ORTHO_Contact_fold(2, sizes, 0, 1, 1, 1, 0, contacts), MPI_ERR_ARG, "along = 1");
    refused(ORTHO_Mosaic_divide(2, 1, sizes, nullptr, 2, 2, 0, nullptr, &n), MPI_ERR_ARG,
            "part = 2 is none of 2 parts");
}

} // namespace

TEST_MAIN()
{
    test::return_errors(MPI_COMM_NULL);
    check_rebind();
    check_homes();
    check_errors();
    check_types();
    test::Op larger;
    MPI_Op_create(keep_larger, 1, &larger);
    check_operator<Spread>(test::committed(MPI_Type_create_resized, MPI_INT, 0, MPI_Aint{sizeof(Spread)}),
                           larger);
    check_operator<Places>(test::committed(MPI_Type_contiguous, 2, MPI_DOUBLE_INT), MPI_MAXLOC);
    check_folds_and_cubes();
    const int cases = test::times(test::few_will_do() ? 20 : 60);
    check_cases("closed sides", cases, 5000,
                [](Random& random, int i) { ClosedTile(random, 1 + i % 3).check(random); });
    check_cases("any mosaics", test::given("ORTHO_TEST_MOSAICS", cases), 1000,
                [](Random& random, int) { check_case(random, mosaic_cases::Maker(random, 3).make()); });
}
