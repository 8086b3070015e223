// SPDX-License-Identifier: BSD-3-Clause
// Buffers of other libraries: what lies in a row is sent and received as it lies, and the rest is refused.
// Eigen, xtensor, Boost and Kokkos are tried where they are; types that are like theirs always are.

#include <mpiortho.hpp>

#include <cstdio>
#include <deque>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <ranges>
#include <string>
#include <valarray>
#include <vector>

#ifdef WITH_EIGEN
#include <Eigen/Dense>
#endif
#ifdef WITH_XTENSOR
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>
#endif
#ifdef WITH_BOOST
#include <boost/multi_array.hpp>
#endif
#ifdef WITH_KOKKOS
#include <Kokkos_Core.hpp>
#include <Kokkos_DynRankView.hpp>
#endif

namespace {

int failures = 0;
int tried = 0;
MPI_Comm comm;
int rank;

const std::initializer_list<double> three = {0, 1, 2};
const std::initializer_list<double> six = {0, 1, 2, 3, 4, 5};
const std::initializer_list<double> nine = {0, 1, 2, 3, 4, 5, 6, 7, 8};

void expect(bool is_right, const char* what, const char* call)
{
    ++tried;
    if (is_right) return;
    ++failures;
    std::printf("wrong: %s, %s\n", what, call);
}

/// Is this call an error of class MPI_ERR_BUFFER, or `error_class`?
template <class Call>
void refused(const char* what, const char* call, Call&& f, int error_class = MPI_ERR_BUFFER)
{
    bool is_right = false;
    try {
        f();
    } catch (const mpiortho::error& e) {
        is_right = e.error_class() == error_class;
        if (!is_right) std::printf("%s\n", e.what());
    }
    expect(is_right, what, call);
}

/// A buffer whose elements in memory are `values`, in this order; so they are again at the end.
template <class B>
void lies(const char* what, B&& b, std::initializer_list<double> values)
{
    std::vector<double> got(2 * values.size(), -1), expected(values);
    expected.insert(expected.end(), values);
    mpiortho::allgather(b, got, comm);
    expect(got == expected, what, "allgather");
    std::vector<double> marks(values.size());
    std::iota(marks.begin(), marks.end(), 100);
    using element = std::remove_pointer_t<decltype(mpiortho::detail::row_in(b).data)>;
    if constexpr (!std::is_const_v<element>) {
        auto& writable = b;
        mpiortho::allreduce(marks, writable, mpiortho::maximum{}, comm);
        got.resize(values.size());
        mpiortho::allreduce(writable, got, mpiortho::maximum{}, comm);
        expect(got == marks, what, "allreduce");
        std::copy(values.begin(), values.end(), mpiortho::detail::row_in(b).data);
    }
}

/// A buffer whose elements do not lie in a row, and `whole`, which no call may change.
template <class B>
void apart(const char* what, B&& b, std::size_t n)
{
    std::vector<double> got(2 * n, -1);
    refused(what, "allgather", [&] { mpiortho::allgather(b, got, comm); });
    using element = std::remove_pointer_t<decltype(mpiortho::detail::row_in(b).data)>;
    if constexpr (!std::is_const_v<element>)
        refused(what, "bcast", [&] {
            auto& writable = b;
            mpiortho::bcast(writable, 0, comm);
        });
}

// --- types like those of libraries ---

/// Elements with extents and strides, which a view tells as std::mdspan, as boost::multi_array, or as Eigen.
struct strided {
    double* p;
    std::array<std::ptrdiff_t, 2> extents;
    std::array<std::ptrdiff_t, 2> steps;
    std::size_t size() const { return static_cast<std::size_t>(extents[0] * extents[1]); }
};
struct as_mdspan : strided {
    using reference = double&;
    static constexpr std::size_t rank() { return 2; }
    std::ptrdiff_t extent(std::size_t k) const { return extents[k]; }
    std::ptrdiff_t stride(std::size_t k) const { return steps[k]; }
    double* data_handle() const { return p; }
};
struct as_lists : strided {
    static constexpr std::size_t dimensionality = 2;
    const std::ptrdiff_t* shape() const { return extents.data(); }
    const std::ptrdiff_t* strides() const { return steps.data(); }
    double* data() const { return p; }
};
struct as_matrix : strided {
    std::ptrdiff_t rows() const { return extents[0]; }
    std::ptrdiff_t cols() const { return extents[1]; }
    std::ptrdiff_t rowStride() const { return steps[0]; }
    std::ptrdiff_t colStride() const { return steps[1]; }
    double* data() const { return p; }
};
template <class View>
void kinds_of_views(const char* what)
{
    double a[12];
    std::iota(a, a + 12, 0);
    lies(what, View{{a, {2, 3}, {3, 1}}}, six);    // by rows
    lies(what, View{{a, {2, 3}, {1, 2}}}, six);    // by columns
    lies(what, View{{a, {1, 3}, {77, 1}}}, three); // strides of one row do not count
    lies(what, View{{a, {3, 1}, {1, -5}}}, three);
    lies(what, View{{a, {0, 3}, {3, 1}}}, {});
    apart(what, View{{a, {2, 3}, {6, 1}}}, 6);      // room between rows
    apart(what, View{{a, {2, 3}, {1, 3}}}, 6);      // the first two of three rows, by columns
    apart(what, View{{a, {1, 3}, {6, 2}}}, 3);      // every second element
    apart(what, View{{a + 2, {1, 3}, {6, -1}}}, 3); // backwards
    apart(what, View{{a, {2, 3}, {0, 1}}}, 6);      // one row twice
    apart(what, View{{a, {2, 3}, {5, 0}}}, 6);      // the last element is where it would be
    apart(what, View{{a + 1, {2, 3}, {7, -1}}}, 6); // here, too
    apart(what, View{{a, {2, 2}, {1, 1}}}, 4);      // each overlaps the next
}

/// A list whose iterators do not say how elements lie; `step` is 1 in a row.
auto old_list(double* p, std::ptrdiff_t n, std::ptrdiff_t step)
{
    auto elements = std::views::iota(std::ptrdiff_t{0}, n) |
                    std::views::transform([=](std::ptrdiff_t i) -> double& { return p[i * step]; });
    struct list : decltype(elements) {
        double* p;
        double* data() const { return p; }
    };
    return list{elements, p};
}
using old_iterator = decltype(old_list(nullptr, 0, 1).begin());
static_assert(std::random_access_iterator<old_iterator> && !std::contiguous_iterator<old_iterator>);

void standard_types()
{
    double a[2][3] = {{0, 1, 2}, {3, 4, 5}};
    lies("double[2][3], as two elements", std::as_const(a), six);
    std::array<std::array<double, 3>, 2> nested{{{0, 1, 2}, {3, 4, 5}}};
    lies("std::array of arrays", std::as_const(nested), six);
    std::valarray<double> values{0, 1, 2};
    lies("std::valarray", values, three);
    std::vector<double> list{0, 1, 2, 3};
    lies("std::span", std::span(list).subspan(1, 2), {1, 2});
    lies("std::span<const>", std::span<const double>(list), {0, 1, 2, 3});
    lies("an empty vector", std::vector<double>(), {});
    std::string text = rank == 0 ? "halo" : "....";
    mpiortho::bcast(text, 0, comm);
    expect(text == "halo", "std::string", "bcast");
    double memory[] = {0, 1, 2, 3, 4, 5};
    lies("old iterators", old_list(memory, 4, 1), {0, 1, 2, 3});
    apart("old iterators with a step", old_list(memory, 3, 2), 3);
    lies("old iterators, one element", old_list(memory, 1, 2), {0});
    using mpiortho::detail::lies_in_a_row;
    using mpiortho::detail::lies_somehow;
    static_assert(!lies_in_a_row<std::vector<bool>> && !lies_in_a_row<std::deque<int>> &&
                  !lies_in_a_row<strided>);
    struct unknown : strided {
        double* data() const { return p; }
    };
    static_assert(!lies_in_a_row<unknown> && lies_somehow<unknown>);
    // An array whose elements are computed when they are read is no memory.
    struct scaled : as_mdspan {
        using reference = double;
    };
    static_assert(lies_in_a_row<as_mdspan> && !lies_in_a_row<scaled>);
}

/// By rows on one side, by columns on the other one: elements would change their places.
void both_orders()
{
    double a[6] = {0, 1, 2, 3, 4, 5}, b[12];
    as_lists by_rows{{a, {2, 3}, {3, 1}}};
    as_mdspan by_columns{{b, {4, 3}, {1, 4}}};
    refused("by rows to by columns", "allgather", [&] { mpiortho::allgather(by_rows, by_columns, comm); });
    as_lists all_rows{{b, {4, 3}, {3, 1}}};
    mpiortho::allgather(by_rows, all_rows, comm);
    expect(b[0] == 0 && b[5] == 5 && b[6] == 0 && b[11] == 5, "by rows to by rows", "allgather");
    as_mdspan column{{a, {3, 1}, {1, 3}}}; // has no order
    as_lists two{{b, {2, 3}, {3, 1}}};
    mpiortho::allgather(column, two, comm);
    expect(b[2] == 2 && b[3] == 0, "one column", "allgather");
    as_mdspan other{{b, {2, 3}, {1, 2}}};
    refused("by rows and by columns", "allreduce",
            [&] { mpiortho::allreduce(by_rows, other, std::plus<>{}, comm); });
}

/// Lists of counts and displacements, windows, index maps, sparse exchanges and rebinding.
template <class Apart, class List>
void other_calls(const char* what, Apart every_second, List in_a_row)
{
    // every_second: 1 0 1 0 as 2 elements; in_a_row: 1 1
    std::vector<double> send{1, 2}, recv(2);
    mpiortho::alltoall(send, in_a_row, recv, in_a_row, comm);
    expect(recv[0] == rank + 1 && recv[1] == rank + 1, what, "counts");
    refused(what, "counts", [&] { mpiortho::alltoall(send, every_second, recv, every_second, comm); });
    refused(what, "neighborhood", [&] { mpiortho::neighborhood n(comm, every_second); });
    mpiortho::neighborhood n(comm, in_a_row);
    expect(n.sources() == std::vector<int>({1, 1}), what, "neighborhood");
}
struct list_of_ints {
    int* p;
    std::ptrdiff_t step;
    static constexpr std::size_t rank() { return 1; }
    std::size_t extent(std::size_t) const { return 2; }
    std::ptrdiff_t stride(std::size_t) const { return step; }
    int* data() const { return p; }
    std::size_t size() const { return 2; }
};

void windows_and_ghosts()
{
    double a[12];
    std::iota(a, a + 12, 0);
    const as_lists row{{a, {1, 4}, {4, 1}}};
    const as_lists apart{{a, {1, 4}, {8, 2}}};
    refused("a window", "its memory", [&] { mpiortho::window<double> w(comm, apart); });
    mpiortho::window<double> w(comm, row);
    w.return_errors();
    w.fence();
    double b[12] = {};
    refused("a window", "put", [&] { w.put(apart, 0, 0); });
    refused("a window", "get", [&] { w.get(apart, 0, 0); });
    as_matrix part{{b, {2, 2}, {1, 2}}};
    w.get(part, 1 - rank, 0);
    w.fence();
    expect(b[0] == 0 && b[3] == 3 && b[4] == 0, "a window", "get by columns");

    // Three elements each; the ghost is the other one's nearest.
    mpiortho::index_map map(comm, 3, std::vector<MPI_Count>{rank == 0 ? 3 : 2});
    std::iota(a, a + 12, 10 * rank);
    refused(
        "an index map", "fill", [&] { auto f = map.fill(apart); }, MPI_ERR_ARG);
    auto f = map.fill(row);
    f.run();
    expect(a[3] == (rank == 0 ? 10 : 2), "an index map", "fill");
    refused(
        "an index map", "rebind", [&] { f.rebind(apart); }, MPI_ERR_ARG);

    const std::vector<int> targets{1 - rank};
    const std::vector<MPI_Count> counts{4};
    refused("a sparse exchange", "sparse_alltoallv",
            [&] { mpiortho::sparse_alltoallv(apart, targets, counts, comm); });
    auto blocks = mpiortho::sparse_alltoallv(row, targets, counts, comm);
    expect(blocks.size() == 1 && blocks.block(0)[1] == 11 - 10 * rank, "a sparse exchange",
           "sparse_alltoallv");

    std::vector<double> got(8);
    mpiortho::operation o = mpiortho::allgather_init(row, got, comm, {{"ortho_rebind", "true"}});
    refused("an operation", "rebind", [&] { o.rebind(apart, got); });
}

// --- the libraries ---

void eigen()
{
#ifdef WITH_EIGEN
    using rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    Eigen::Matrix3d m{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}};
    Eigen::MatrixXd x = m;
    Eigen::VectorXd v{{0, 1, 2}};
    rows r{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}};
    lies("Eigen: Matrix3d", m, nine);
    lies("Eigen: MatrixXd", x, nine);
    lies("Eigen: VectorXd", v, three);
    lies("Eigen: const VectorXd", std::as_const(v), three);
    lies("Eigen: by rows", r, nine);
    lies("Eigen: a column", x.col(1), {3, 4, 5});
    lies("Eigen: columns", x.leftCols(2), six);
    lies("Eigen: a row by rows", r.row(1), {3, 4, 5});
    lies("Eigen: rows by rows", r.topRows(2), six);
    lies("Eigen: a segment", v.segment(1, 2), {1, 2});
    lies("Eigen: array()", v.array(), three);
    lies("Eigen: transpose()", x.transpose(), nine);
    lies("Eigen: Ref", Eigen::Ref<Eigen::MatrixXd>(x), nine);
    apart("Eigen: Ref of a block", Eigen::Ref<Eigen::MatrixXd>(x.topRows(2)), 6);
    apart("Eigen: Ref with a stride", Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>>(x.row(1)), 3);
    apart("Eigen: a row", x.row(1), 3);
    apart("Eigen: a block", x.block(0, 0, 2, 2), 4);
    apart("Eigen: a diagonal", x.diagonal(), 3);
    Eigen::MatrixXd one(1, 3);
    one << 0, 1, 2;
    lies("Eigen: the row of a matrix of one", one.row(0), three);
    double a[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    using dynamic = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    lies("Eigen: Map", Eigen::Map<const Eigen::MatrixXd>(a, 2, 3), six);
    using inner = Eigen::InnerStride<>;
    using with_inner = Eigen::Map<const Eigen::VectorXd, 0, inner>;
    using with_outer = Eigen::Map<const Eigen::MatrixXd, 0, dynamic>;
    lies("Eigen: Map, stride 1", with_inner(a, 3, inner(1)), three);
    apart("Eigen: Map, stride 2", with_inner(a, 3, inner(2)), 3);
    lies("Eigen: Map, outer stride 2", with_outer(a, 2, 3, dynamic(2, 1)), six);
    apart("Eigen: Map, outer stride 3", with_outer(a, 2, 3, dynamic(3, 1)), 6);
    using mpiortho::detail::lies_in_a_row;
    using mpiortho::detail::never_lies_in_a_row;
    static_assert(!lies_in_a_row<decltype(v + v)> && !lies_in_a_row<decltype(v.reverse())>);
    static_assert(never_lies_in_a_row<decltype(m.row(1))>() &&
                  never_lies_in_a_row<decltype(m.block<2, 2>(0, 0))>());
    static_assert(never_lies_in_a_row<Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<2>>>());
    static_assert(!never_lies_in_a_row<decltype(m.col(1))>() && !never_lies_in_a_row<decltype(x.row(1))>());
    int ints[] = {1, 7, 1};
    other_calls("Eigen: lists",
                Eigen::Map<Eigen::VectorXi, 0, Eigen::InnerStride<>>(ints, 2, Eigen::InnerStride<>(2)),
                Eigen::VectorXi{{1, 1}});
    Eigen::MatrixXd all(3, 6);
    mpiortho::allgather(m, all, comm);
    expect(all(2, 3) == m(2, 0) && all(1, 2) == m(1, 2), "Eigen: matrices", "allgather");
    refused("Eigen: by columns to by rows", "allgather", [&] {
        Eigen::Matrix<double, 6, 3, Eigen::RowMajor> r6;
        mpiortho::allgather(m, r6, comm);
    });
#endif
}

void xtensor()
{
#ifdef WITH_XTENSOR
    using xt::all;
    using xt::range;
    xt::xtensor<double, 2> x{{0, 1, 2}, {3, 4, 5}};
    xt::xarray<double> a = x;
    xt::xtensor<double, 2, xt::layout_type::column_major> c = x; // 0 3 1 4 2 5
    xt::xtensor_fixed<double, xt::xshape<2, 3>> f = x;
    lies("xtensor: xtensor", x, six);
    lies("xtensor: xarray", a, six);
    lies("xtensor: by columns", c, {0, 3, 1, 4, 2, 5});
    lies("xtensor: fixed", f, six);
    lies("xtensor: row 1", xt::view(x, 1, all()), {3, 4, 5});
    lies("xtensor: row 1 of an xarray", xt::view(a, 1, all()), {3, 4, 5});
    lies("xtensor: column 1 by columns", xt::view(c, all(), 1), {1, 4});
    lies("xtensor: xt::row", xt::row(x, 1), {3, 4, 5});
    lies("xtensor: strided_view", xt::strided_view(x, {1, all()}), {3, 4, 5});
    lies("xtensor: a range of rows", xt::view(x, range(1, 2), all()), {3, 4, 5});
    lies("xtensor: transpose", xt::transpose(x), six);
    std::vector<double> memory{0, 1, 2, 3, 4, 5};
    const std::vector<std::size_t> shape{2, 3};
    lies("xtensor: adapt", xt::adapt(memory, shape), six);
    apart("xtensor: column 1", xt::view(x, all(), 1), 2);
    apart("xtensor: row 1 by columns", xt::view(c, 1, all()), 3);
    apart("xtensor: a range of columns", xt::view(x, all(), range(0, 2)), 4);
    apart("xtensor: every second", xt::view(x, 0, range(0, 3, 2)), 2);
    apart("xtensor: strided_view of a column", xt::strided_view(x, {all(), 1}), 2);
    static_assert(!mpiortho::detail::lies_in_a_row<decltype(x + x)>);
    xt::xtensor<int, 2> lists{{7, 7}, {1, 1}, {1, 7}};
    other_calls("xtensor: lists", xt::view(lists, range(1, 3), 0), xt::row(lists, 1));
    auto row = xt::row(x, 1);
    mpiortho::window<double> w(comm, row);
    expect(&w.local()[0] == &x(1, 0), "xtensor: memory", "window");
#endif
}

void boost_arrays()
{
#ifdef WITH_BOOST
    boost::multi_array<double, 2> one(boost::extents[1][3]);
    std::iota(one.data(), one.data() + 3, 0);
    lies("Boost: 1 x 3", one, three);
    boost::multi_array<double, 3> flat(boost::extents[2][1][2]);
    std::iota(flat.data(), flat.data() + 4, 0);
    lies("Boost: 2 x 1 x 2", flat, {0, 1, 2, 3});
    double a[6] = {0, 1, 2, 3, 4, 5};
    lies("Boost: by columns",
         boost::multi_array_ref<double, 2>(a, boost::extents[2][3], boost::fortran_storage_order()), six);
    lies("Boost: const", boost::const_multi_array_ref<double, 2>(a, boost::extents[2][3]), six);
    using range = boost::multi_array_types::index_range;
    using part = decltype(one[boost::indices[range()][range(0, 2)]]);
    static_assert(!mpiortho::detail::lies_in_a_row<part> &&
                  !mpiortho::detail::lies_in_a_row<decltype(one[0])>);
#endif
}

void kokkos()
{
#ifdef WITH_KOKKOS
    using host = Kokkos::HostSpace;
    Kokkos::View<double**, Kokkos::LayoutLeft, host> left("left", 3, 3);
    Kokkos::View<double**, Kokkos::LayoutRight, host> right("right", 3, 3);
    std::iota(left.data(), left.data() + 9, 0);
    std::iota(right.data(), right.data() + 9, 0);
    const auto all = Kokkos::ALL;
    const std::pair two(0, 2);
    lies("Kokkos: LayoutLeft", left, nine);
    lies("Kokkos: LayoutRight", right, nine);
    lies("Kokkos: a column", Kokkos::subview(left, all, 1), {3, 4, 5});
    lies("Kokkos: columns", Kokkos::subview(left, all, two), six);
    lies("Kokkos: a row", Kokkos::subview(right, 1, all), {3, 4, 5});
    lies("Kokkos: const", Kokkos::View<const double**, Kokkos::LayoutLeft, host>(left), nine);
    lies("Kokkos: one element", Kokkos::subview(left, 1, 1), {4});
    apart("Kokkos: a row by columns", Kokkos::subview(left, 1, all), 3);
    apart("Kokkos: a block", Kokkos::subview(left, two, two), 4);
    apart("Kokkos: a column by rows", Kokkos::subview(right, all, 1), 3);
    double a[6] = {0, 1, 2, 3, 4, 5};
    using strides = Kokkos::View<double*, Kokkos::LayoutStride, host>;
    lies("Kokkos: LayoutStride of 1", strides(a, Kokkos::LayoutStride(3, 1)), three);
    apart("Kokkos: LayoutStride of 2", strides(a, Kokkos::LayoutStride(3, 2)), 3);
    static_assert(!mpiortho::detail::lies_in_a_row<Kokkos::DynRankView<double, host>>);
    // Views are fields.
    const mpiortho::grid<2> g(comm, {.periodic = {true, true}});
    Kokkos::View<double**, Kokkos::LayoutLeft, host> u("u", 6, 5);
    Kokkos::View<int**, Kokkos::LayoutRight, host> v("v", 6, 5);
    for (int i = 1; i < 5; ++i)
        for (int j = 1; j < 4; ++j) u(i, j) = v(i, j) = g.rank();
    auto halo = mpiortho::halo(g, std::array{mpiortho::any_field(u), mpiortho::any_field(v)}, {.ghosts = 1});
    halo.run();
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 5; ++j) {
            const int owner = g.neighbor({i < 1 ? -1 : i / 5, j < 1 ? -1 : j / 4});
            expect(u(i, j) == owner && v(i, j) == owner, "Kokkos: views", "halo");
        }
    // A row of a matrix by columns, as root and elsewhere.
    for (int i = 0; i < 9; ++i) left.data()[i] = 100 * rank + i;
    auto row = Kokkos::subview(left, 1, all);
    refused("Kokkos: a row by columns", "bcast", [&] { mpiortho::bcast(row, 0, comm); });
    for (int i = 0; i < 9; ++i) expect(left.data()[i] == 100 * rank + i, "Kokkos: the matrix", "bcast");
#endif
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
#ifdef WITH_KOKKOS
    Kokkos::initialize(argc, argv);
#endif
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    kinds_of_views<as_mdspan>("like std::mdspan");
    kinds_of_views<as_lists>("like Boost");
    kinds_of_views<as_matrix>("like Eigen");
    standard_types();
    both_orders();
    int ints[] = {1, 7, 1, 7}, ones[] = {1, 1};
    other_calls("lists", list_of_ints{ints, 2}, list_of_ints{ones, 1});
    windows_and_ghosts();
    eigen();
    xtensor();
    boost_arrays();
    kokkos();
    std::printf("%d right\n", tried - failures);
    MPI_Comm_free(&comm);
#ifdef WITH_KOKKOS
    Kokkos::finalize();
#endif
    MPI_Finalize();
    return failures != 0 || tried < 100;
}
