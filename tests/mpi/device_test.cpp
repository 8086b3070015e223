// SPDX-License-Identifier: BSD-3-Clause
// Order with the streams of a device: what a call sends was written by work that is in a stream, and what it
// receives is read by work that comes later.  Runs on the pretended driver (tests/pretend/driver.cpp), or, with
// ORTHO_TEST_DEVICE=1, on a card.  Without either, streams are errors.
#include <dlfcn.h>

#include "ghost_shapes.hpp"
#include "mpiortho.hpp"

namespace {

using Address = unsigned long long;

/// The driver's functions that stand for a program's own work.
#define FUNCTIONS(F)                                                                                         \
    F(cuInit, (unsigned))                                                                                    \
    F(cuDevicePrimaryCtxRetain, (void**, int))                                                               \
    F(cuCtxPushCurrent_v2, (void*))                                                                          \
    F(cuCtxPopCurrent_v2, (void**))                                                                          \
    F(cuMemAlloc_v2, (Address*, std::size_t))                                                                \
    F(cuMemAllocManaged, (Address*, std::size_t, unsigned))                                                  \
    F(cuMemFree_v2, (Address))                                                                               \
    F(cuMemGetInfo_v2, (std::size_t*, std::size_t*))                                                         \
    F(cuMemcpyHtoD_v2, (Address, const void*, std::size_t))                                                  \
    F(cuMemcpyDtoH_v2, (void*, Address, std::size_t))                                                        \
    F(cuMemcpyDtoDAsync_v2, (Address, Address, std::size_t, void*))                                          \
    F(cuMemsetD32Async, (Address, unsigned, std::size_t, void*))                                             \
    F(cuStreamCreate, (void**, unsigned))                                                                    \
    F(cuStreamSynchronize, (void*))
#define DECLARE(name, arguments) int(*name) arguments;
struct Driver {
    FUNCTIONS(DECLARE)
};
Driver driver;

/// Loads the driver, and makes the first device's context current; false if there is no device.
bool has_device()
{
    const bool is_wanted = std::getenv("ORTHO_TEST_DEVICE") != nullptr;
    void* const library = dlopen("libcuda.so.1", is_wanted ? RTLD_NOW : RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return false;
#define FIND(name, arguments) driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, #name));
    FUNCTIONS(FIND)
    void* context = nullptr;
    return driver.cuInit(0) == 0 && driver.cuDevicePrimaryCtxRetain(&context, 0) == 0 &&
           driver.cuCtxPushCurrent_v2(context) == 0;
}

/// Numbers in the memory of the device.
class Numbers {
public:
    explicit Numbers(int n) : n_(static_cast<std::size_t>(n))
    {
        CHECK_EQ(driver.cuMemAlloc_v2(&address_, n_ * sizeof(int)), 0);
        const std::vector<int> none(n_, -1);
        driver.cuMemcpyHtoD_v2(address_, none.data(), n_ * sizeof(int));
    }
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;
    ~Numbers() { driver.cuMemFree_v2(address_); }

    int* data() const { return reinterpret_cast<int*>(address_); }
    int size() const { return static_cast<int>(n_); }
    std::vector<int> on_host() const
    {
        std::vector<int> result(n_);
        driver.cuMemcpyDtoH_v2(result.data(), address_, n_ * sizeof(int));
        return result;
    }
    /// Work for a stream: all become the value.
    void set(int value, void* stream) const
    {
        driver.cuMemsetD32Async(address_, static_cast<unsigned>(value), n_, stream);
    }
    /// Work for a stream: all go to another place, behind so many others.
    void copy(const Numbers& to, int first, void* stream) const
    {
        driver.cuMemcpyDtoDAsync_v2(to.address_ + static_cast<Address>(first) * sizeof(int), address_,
                                    n_ * sizeof(int), stream);
    }

private:
    std::size_t n_;
    Address address_ = 0;
};

void* make_stream(bool waits_for_default)
{
    void* stream = nullptr;
    CHECK_EQ(driver.cuStreamCreate(&stream, waits_for_default ? 0 : 1), 0);
    return stream;
}

int init(const Numbers& sent, const Numbers& received, MPI_Comm ring, ORTHO_Request* request)
{
    return ORTHO_Alltoall_init(sent.data(), sent.size(), MPI_INT, received.data(), sent.size(), MPI_INT, ring,
                               MPI_INFO_NULL, request);
}

int sent_by(int rank, int step) { return 1000 * step + rank; }
int received_in(int step) { return sent_by(test::left(), step); }

constexpr int steps = 40;

/// The blocks that arrived in each step.
void check_results(const Numbers& results, int n, const char* what)
{
    const std::vector<int> all = results.on_host();
    for (int step = 0; step < steps; ++step)
        for (int i = 0; i < n; ++i)
            if (all[at(step * n + i)] != received_in(step))
                return test::fail(__FILE__, __LINE__,
                                  std::string(what) + ": step " + std::to_string(step) + " received " +
                                      std::to_string(all[at(step * n + i)]));
}

/// A call in each step between the work that writes what is sent, and the work that reads what has come.
/// `context`: of the device that receives, if it is another one.
template <class Call>
void in_steps(MPI_Comm ring, int n, void* stream, const char* what, Call call, void* context = nullptr)
{
    const Numbers sent(n);
    if (context != nullptr) driver.cuCtxPushCurrent_v2(context);
    const Numbers received(n), results(n * steps);
    if (context != nullptr) driver.cuCtxPopCurrent_v2(&context);
    test::Request request;
    CHECK_OK(init(sent, received, ring, &request));
    for (int step = 0; step < steps; ++step) {
        sent.set(sent_by(test::rank(), step), stream);
        call(&request, step);
        received.copy(results, step * n, stream);
    }
    CHECK_EQ(driver.cuStreamSynchronize(stream), 0);
    check_results(results, n, what);
}

void test_enqueued(MPI_Comm ring)
{
    for (const bool waits_for_default : {true, false}) {
        void* const stream = make_stream(waits_for_default);
        for (const int n : {1, 100, 100000}) {
            in_steps(ring, n, stream, "Start_enqueue, Wait_enqueue", [&](ORTHO_Request* request, int) {
                CHECK_EQ(ORTHO_Start_enqueue(request, stream), MPI_SUCCESS);
                CHECK_EQ(ORTHO_Wait_enqueue(request, stream), MPI_SUCCESS);
            });
            in_steps(ring, n, stream, "Run_enqueue", [&](ORTHO_Request* request, int) {
                CHECK_EQ(ORTHO_Run_enqueue(request, stream), MPI_SUCCESS);
            });
            in_steps(ring, n, stream, "Start_enqueue, Wait", [&](ORTHO_Request* request, int) {
                CHECK_EQ(ORTHO_Start_enqueue(request, stream), MPI_SUCCESS);
                CHECK_EQ(ORTHO_Wait(request, MPI_STATUS_IGNORE), MPI_SUCCESS);
            });
        }
    }
}

/// A halo on a mosaic and its reverse, in the order of a stream.  A process owns one cell of a row that is
/// folded onto itself: beyond it lies the cell of a mirrored rank, with the other sign.  Its other side is
/// closed, and shows the cell itself, with the other sign, too.
void test_mosaics(MPI_Comm)
{
    const int p = test::size();
    const MPI_Count size[] = {p, 1}, lower[] = {0, 1}, levels[] = {1, 1, 100};
    const int dimension[] = {0, 1, ORTHO_UNDIVIDED};
    constexpr int n = 100;
    ORTHO_Contact fold;
    CHECK_OK(ORTHO_Contact_fold(2, size, 0, 1, ORTHO_UPPER, 0, ORTHO_PIVOT_F, &fold));
    const ORTHO_Patch patch{0, {test::rank(), 0}, {1, 1}};
    test::Mosaic mosaic;
    CHECK_OK(ORTHO_Mosaic_create(MPI_COMM_WORLD, 2, 1, size, 1, &fold, 1, &patch, MPI_INFO_NULL, &mosaic));
    ORTHO_Boundary sides[4] = {};
    sides[2] = {ORTHO_BOUNDARY_SYMMETRIC, -1, nullptr};
    const Numbers u(3 * n);
    const Numbers v(3 * n);
    void* const bases[] = {u.data(), v.data()};
    for (const bool reduces : {false, true}) {
        ORTHO_Mosaic_field fields[2];
        for (int k = 0; k < 2; ++k) {
            ORTHO_Mosaic_field& field = fields[k] = test::mosaic_field(bases + k, MPI_INT, lower, lower);
            field.kind = ORTHO_VECTOR;
            field.component = k;
            field.ndims = 3;
            field.dimension = dimension;
            field.undivided = levels;
            if (!reduces) field.boundary = sides;
        }
        test::Request request;
        CHECK_OK(reduces ? ORTHO_Mosaic_reduce_init(2, fields, MPI_MIN, mosaic, MPI_INFO_NULL, &request)
                         : ORTHO_Mosaic_halo_init(2, fields, mosaic, MPI_INFO_NULL, &request));
        void* const stream = make_stream(false);
        const Numbers results(3 * n * steps);
        for (int step = 0; step < steps; ++step) {
            u.set(sent_by(test::rank(), step), stream);
            v.set(0, stream);
            if (step % 2 == 0) {
                CHECK_OK(ORTHO_Start_enqueue(&request, stream));
                CHECK_OK(ORTHO_Wait_enqueue(&request, stream));
            } else {
                CHECK_OK(ORTHO_Run_enqueue(&request, stream));
            }
            u.copy(results, step * 3 * n, stream);
        }
        CHECK_EQ(driver.cuStreamSynchronize(stream), 0);
        const std::vector<int> all = results.on_host();
        for (int step = 0; step < steps; ++step) {
            const int own = sent_by(test::rank(), step);
            const int beyond = -sent_by(p - 1 - test::rank(), step);
            const int expected[] = {reduces ? own : -own, reduces ? beyond : own, reduces ? own : beyond};
            for (int i = 0; i < 3 * n; ++i) CHECK_EQ(all[at(step * 3 * n + i)], expected[i / n]);
        }
    }
}

/// Calls that are not told of a stream wait for the default stream, which waits for those that do not say
/// otherwise.
void test_unordered(MPI_Comm ring)
{
    for (void* const stream : {static_cast<void*>(nullptr), make_stream(true)}) {
        in_steps(ring, 100, stream, "Start, Wait", [&](ORTHO_Request* request, int) {
            ORTHO_Start(request);
            ORTHO_Wait(request, MPI_STATUS_IGNORE);
        });
        in_steps(ring, 100, stream, "Run",
                 [&](ORTHO_Request* request, int) { ORTHO_Run(request, MPI_STATUS_IGNORE); });
        in_steps(ring, 100, stream, "Start, Wait_enqueue", [&](ORTHO_Request* request, int) {
            ORTHO_Start(request);
            ORTHO_Wait_enqueue(request, stream);
        });
        constexpr int n = 100;
        const Numbers sent(n), received(n);
        for (int step = 0; step < steps; ++step) {
            sent.set(sent_by(test::rank(), step), stream);
            CHECK_EQ(ORTHO_Alltoall(sent.data(), n, MPI_INT, received.data(), n, MPI_INT, ring), MPI_SUCCESS);
            const std::vector<int> result = received.on_host();
            CHECK_EQ(std::ranges::count(result, received_in(step)), n);
        }
    }
}

/// Two operations in two streams at once, and their requests waited for in the other order.
void test_two_streams(MPI_Comm ring)
{
    constexpr int n = 1000;
    struct One {
        Numbers sent{n}, received{n}, results{n * steps};
        void* stream = make_stream(false);
        test::Request request;
    };
    One all[2];
    for (One& one : all) CHECK_OK(init(one.sent, one.received, ring, &one.request));
    for (int step = 0; step < steps; ++step) {
        for (One& one : all) {
            one.sent.set(sent_by(test::rank(), step), one.stream);
            ORTHO_Start_enqueue(&one.request, one.stream);
        }
        for (One* const one : {&all[1], &all[0]}) {
            ORTHO_Wait_enqueue(&one->request, one->stream);
            one->received.copy(one->results, step * n, one->stream);
        }
    }
    for (One& one : all) {
        driver.cuStreamSynchronize(one.stream);
        check_results(one.results, n, "two streams");
    }
}

/// A process sends from one device, and receives on another one, in the order of a stream.
void test_two_devices(MPI_Comm ring)
{
    void* contexts[2] = {nullptr, nullptr};
    for (int i = 0; i < 2; ++i)
        if (driver.cuDevicePrimaryCtxRetain(&contexts[i], i) != 0) return;
    driver.cuCtxPushCurrent_v2(contexts[0]);
    void* const stream = make_stream(false);
    in_steps(
        ring, 1000, stream, "two devices",
        [&](ORTHO_Request* request, int) { CHECK_OK(ORTHO_Run_enqueue(request, stream)); }, contexts[1]);
}

/// A block has arrived although another process has not started: that may wait for what follows.
void test_arrived()
{
    if (test::size() < 3) return;
    constexpr int n = 1000;
    test::Comm ring = test::ring();
    const Numbers sent(3 * n);
    sent.set(test::rank(), nullptr);
    const Numbers received(3 * n);
    constexpr int late = 0;
    constexpr int waits = 1; // whose right neighbor is not late
    for (const bool by_start : {true, false}) {
        const std::vector<int> none(3 * n, -1);
        driver.cuMemcpyHtoD_v2(reinterpret_cast<Address>(received.data()), none.data(),
                               sizeof(int) * none.size());
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        if (by_start)
            ORTHO_Alltoall_init(sent.data(), n, MPI_INT, received.data(), n, MPI_INT, ring, MPI_INFO_NULL,
                                &request);
        if (test::rank() == late) MPI_Recv(nullptr, 0, MPI_INT, waits, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (by_start)
            ORTHO_Start(&request);
        else
            ORTHO_Ialltoall(sent.data(), n, MPI_INT, received.data(), n, MPI_INT, ring, &request);
        if (test::rank() == waits) {
            for (int flag = 0; flag == 0;) CHECK_OK(ORTHO_Parrived(request, 2, &flag));
            const std::vector<int> now = received.on_host();
            CHECK_EQ(std::count(now.begin() + 2 * n, now.end(), test::right()), n);
            MPI_Send(nullptr, 0, MPI_INT, late, 0, MPI_COMM_WORLD);
        }
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        const std::vector<int> all = received.on_host();
        CHECK_EQ(std::count(all.begin(), all.begin() + n, test::left()), n);
        CHECK_EQ(std::count(all.begin() + 2 * n, all.end(), test::right()), n);
        if (by_start) ORTHO_Request_free(&request);
    }
}

/// Like a Kokkos::View in CudaSpace.
struct DeviceView {
    enum { Rank = 1 };
    int* first;
    std::size_t n;

    std::size_t extent(std::size_t) const { return n; }
    std::size_t stride(std::size_t) const { return 1; }
    int* data() const { return first; }
};

/// The C++ interface: the same calls, and a view as a field.
void test_cpp(MPI_Comm ring)
{
    void* const stream = make_stream(false);
    constexpr int n = 10;
    in_steps(ring, n, stream, "start and wait in a stream of C++", [&](ORTHO_Request* request, int step) {
        mpiortho::operation operation(*request, ring);
        if (step % 2 == 0) {
            auto pending = operation.start({.stream = stream});
            pending.wait({.stream = stream});
        } else {
            operation.run({.stream = stream});
        }
        *request = operation.release();
    });
    const mpiortho::grid<1> circle{MPI_COMM_WORLD, {.periodic = {true}}};
    const Numbers numbers(3);
    numbers.set(circle.rank(), nullptr);
    mpiortho::halo(circle, DeviceView{numbers.data(), 3}, {.ghosts = 1}).run();
    CHECK(numbers.on_host() == std::vector({test::left(), circle.rank(), test::right()}));
    mpiortho::tiles<1> row{{circle.size()}};
    row.periodic(0, 0);
    const mpiortho::mosaic m(MPI_COMM_WORLD, row, std::vector<mpiortho::patch<1>>{{0, {circle.rank()}, {1}}});
    numbers.set(10 + circle.rank(), stream);
    m.halo(mpiortho::on_patches(std::vector{DeviceView{numbers.data(), 3}}, {.ghosts = 1}))
        .run({.stream = stream});
    CHECK_EQ(driver.cuStreamSynchronize(stream), 0);
    CHECK(numbers.on_host() == std::vector({10 + test::left(), 10 + circle.rank(), 10 + test::right()}));
}

/// Numbers with the host and on the device, which become equal by the same calls.
template <class T = unsigned char>
struct Twin {
    std::vector<T> host;
    Numbers device;

    /// Small numbers, whose sums are exact in any order.
    explicit Twin(std::size_t n, unsigned seed = static_cast<unsigned>(test::rank()))
        : host((n * sizeof(T) + 3) / 4 * 4 / sizeof(T)),
          device(static_cast<int>(host.size() * sizeof(T) / 4))
    {
        for (T& number : host) {
            seed = seed * 1664525U + 1013904223U;
            number = static_cast<T>(static_cast<int>((seed >> 8) % 1000) - 500);
        }
        driver.cuMemcpyHtoD_v2(reinterpret_cast<Address>(device.data()), host.data(),
                               host.size() * sizeof(T));
    }
    void* data(bool on_device) { return on_device ? static_cast<void*>(device.data()) : host.data(); }
    void check(const std::string& what) const
    {
        const std::vector<int> numbers = device.on_host();
        if (std::memcmp(numbers.data(), host.data(), numbers.size() * sizeof(int)) != 0)
            test::fail(__FILE__, __LINE__, what + " differs on the device");
    }
};

/// A request with the host, and the same with the device, which are run, and started.
template <class Make, class Check>
void with_both(const std::string& what, Make make, Check check)
{
    test::Request requests[2];
    for (const bool on_device : {false, true}) CHECK_OK(make(on_device, &requests[on_device ? 1 : 0]));
    for (const bool by_run : {true, false}) {
        for (test::Request& request : requests) CHECK_OK(test::execute(&request, by_run));
        check(what + (by_run ? " by Run" : " by Start"));
    }
}

/// A grid of all processes, periodic in its first dimension and in the third, with all neighbors at
/// distance 1.
struct Box {
    explicit Box(int d)
    {
        Ints dims(at(d), 0), periods{1, 0, 1};
        periods.resize(at(d));
        MPI_Dims_create(test::size(), d, dims.data());
        ORTHO_Stencil_count(d, ORTHO_CHEBYSHEV_DISTANCE, 1, &neighbors);
        offsets.resize(static_cast<std::size_t>(d * neighbors));
        ORTHO_Stencil(d, ORTHO_CHEBYSHEV_DISTANCE, 1, neighbors, offsets.data());
        comm.handle() = test::neighborhood(dims, periods, offsets);
    }

    int neighbors = 0;
    Ints offsets;
    test::Comm comm;
};

/// Halos of fields of all sizes of elements, which the kernel copies by units of 1 to 16 bytes, and back.
void test_halos()
{
    const Box torus(3);
    const MPI_Datatype types[] = {MPI_BYTE, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_C_DOUBLE_COMPLEX, MPI_INT};
    const MPI_Count bytes[] = {1, 2, 4, 8, 16, 4};
    for (const MPI_Count depth : {1, 2}) {
        const MPI_Count sizes[3] = {5 + 2 * depth, 8 + 2 * depth, 6 + 2 * depth};
        const MPI_Count depths[3] = {depth, depth, depth};
        std::vector<std::unique_ptr<Twin<>>> twins;
        std::vector<ORTHO_Field> fields[2]; // with the host, and on the device
        for (std::size_t f = 0; f < std::size(types); ++f) {
            const auto all = static_cast<std::size_t>(sizes[0] * sizes[1] * sizes[2] * bytes[f]);
            twins.push_back(std::make_unique<Twin<>>(all, 100 * static_cast<unsigned>(test::rank()) +
                                                              static_cast<unsigned>(f)));
            for (const bool on_device : {false, true})
                fields[on_device ? 1 : 0].push_back(
                    test::field(twins[f]->data(on_device), types[f], sizes, depths, depths));
        }
        const auto check = [&](const std::string& what) {
            for (const auto& twin : twins) twin->check(what);
        };
        with_both(
            "a halo",
            [&](bool on_device, ORTHO_Request* request) {
                return ORTHO_Halo_fields_init(static_cast<int>(std::size(types)),
                                              fields[on_device ? 1 : 0].data(), 3, torus.comm, MPI_INFO_NULL,
                                              request);
            },
            check);
        with_both(
            "a halo to be reduced",
            [&](bool on_device, ORTHO_Request* request) {
                return ORTHO_Halo_reduce_fields_init(1, &fields[on_device ? 1 : 0][2], 3, MPI_SUM, torus.comm,
                                                     MPI_INFO_NULL, request);
            },
            check);
    }
}

/// A long row comes in pieces: between nodes a message is sent once its data has come from the device.  The
/// short ones lie at the end of the row.  Blocks of neighbors that are not there stay as they are.
void test_long_rows()
{
    const Box box(2);
    const auto neighbors = static_cast<std::size_t>(box.neighbors);
    constexpr int room = 600016; // bytes
    const std::size_t bytes = neighbors * room;
    Ints counts, places;
    for (std::size_t i = 0; i < neighbors; ++i) {
        counts.push_back(box.offsets[2 * i] < 0 ? room : 2000);
        places.push_back(static_cast<int>(i) * room);
    }
    const auto rank = static_cast<unsigned>(test::rank());
    const Twin<> sources[] = {Twin<>(bytes, rank), Twin<>(bytes, 100 + rank)};
    Twin<> sent(bytes, 200), received(bytes, 300);
    const auto call = [&](auto function, auto* from, auto* to, auto... rest) {
        CHECK_OK(function(from, counts.data(), places.data(), MPI_BYTE, to, counts.data(), places.data(),
                          MPI_BYTE, box.comm, rest...));
    };
    test::Request on_host, on_device;
    call(ORTHO_Alltoallv_init, sent.host.data(), received.host.data(), MPI_INFO_NULL, &on_host);
    call(ORTHO_Alltoallv_init, sent.device.data(), received.device.data(), MPI_INFO_NULL, &on_device);
    void* const stream = make_stream(true);
    for (int step = 0; step < 12; ++step) {
        const Twin<>& source = sources[step % 2];
        sent.host = source.host;
        driver.cuMemcpyDtoDAsync_v2(reinterpret_cast<Address>(sent.device.data()),
                                    reinterpret_cast<Address>(source.device.data()), bytes, stream);
        CHECK_OK(ORTHO_Run(&on_host, MPI_STATUS_IGNORE));
        switch (step % 4) {
        case 0: CHECK_OK(ORTHO_Run(&on_device, MPI_STATUS_IGNORE)); break;
        case 1: CHECK_OK(test::start_and_wait(&on_device)); break;
        case 2:
            CHECK_OK(ORTHO_Run_enqueue(&on_device, stream));
            CHECK_EQ(driver.cuStreamSynchronize(stream), 0);
            break;
        default: call(ORTHO_Alltoallv, sent.device.data(), received.device.data());
        }
        received.check("an exchange of long rows");
    }
}

/// A message that is too long for its block comes while a long row is on its way to the host: an error of the
/// Wait.
void test_too_long_meanwhile(MPI_Comm ring)
{
    if (test::size() == 1) return;
    constexpr int n = 1 << 20;
    const int none = 0;
    const Numbers sent(n), received(n);
    const int to_next = test::rank() == 0 ? n : 100;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL); // nobody else hears of it
    for (const bool fits : {true, false, false, false}) { // the first calls of a kind are not planned
        const int room = test::rank() == 1 ? n : test::rank() == 0 && !fits ? 10 : 100;
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ialltoallv(sent.data(), &to_next, &none, MPI_INT, received.data(), &room, &none,
                                  MPI_INT, ring, &request));
        CHECK_EQ(error_class(ORTHO_Wait(&request, MPI_STATUS_IGNORE)),
                 test::rank() == 0 && !fits ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

/// Reductions with the host, and the same with the device.
template <class T>
void test_reductions_of(const Box& box, MPI_Datatype type, const char* name)
{
    constexpr int n = 37;
    const MPI_Count sizes[2] = {9, 12}, depths[2] = {2, 1};
    const std::pair<MPI_Op, const char*> operators[] = {
        {MPI_SUM, "sum"}, {MPI_MIN, "min"}, {MPI_MAX, "max"}, {MPI_PROD, "product"}};
    for (const auto& [op, op_name] : operators) {
        const auto compare = [&](const char* call, auto make, auto&... results) {
            with_both(std::string(call) + " of " + name + ", " + op_name, make,
                      [&](const std::string& what) { (results.check(what), ...); });
        };
        Twin<T> sent(static_cast<std::size_t>(n * box.neighbors));
        Twin<T> received(n), scattered(n), in_place(n);
        compare(
            "allreduce",
            [&](bool on_device, ORTHO_Request* request) {
                return ORTHO_Allreduce_init(sent.data(on_device), received.data(on_device), n, type, op,
                                            box.comm, MPI_INFO_NULL, request);
            },
            received);
        compare(
            "reduce_scatter_block",
            [&](bool on_device, ORTHO_Request* request) {
                return ORTHO_Reduce_scatter_block_init(sent.data(on_device), scattered.data(on_device), n,
                                                       type, op, box.comm, MPI_INFO_NULL, request);
            },
            scattered);
        compare(
            "allreduce in place",
            [&](bool on_device, ORTHO_Request* request) {
                return ORTHO_Allreduce_init(MPI_IN_PLACE, in_place.data(on_device), n, type, op, box.comm,
                                            MPI_INFO_NULL, request);
            },
            in_place);
        if (op == MPI_PROD) continue; // overflows
        Twin<T> a(static_cast<std::size_t>(sizes[0] * sizes[1])), b(a.host.size(), 1000);
        compare(
            "halo_reduce",
            [&](bool on_device, ORTHO_Request* request) {
                const ORTHO_Field fields[] = {test::field(a.data(on_device), type, sizes, depths, depths),
                                              test::field(b.data(on_device), type, sizes, depths, depths)};
                return ORTHO_Halo_reduce_fields_init(2, fields, 2, op, box.comm, MPI_INFO_NULL, request);
            },
            a, b);
    }
}

void test_reductions()
{
    const Box box(2);
    test_reductions_of<int>(box, MPI_INT, "int");
    test_reductions_of<long long>(box, MPI_LONG_LONG, "long long");
    test_reductions_of<float>(box, MPI_FLOAT, "float");
    test_reductions_of<double>(box, MPI_DOUBLE, "double");
}

/// Host memory may be sent behind a stream's work, too.
void test_host_memory(MPI_Comm ring)
{
    int sent = -1, received = -1;
    void* const stream = make_stream(false);
    test::Request request;
    ORTHO_Alltoall_init(&sent, 1, MPI_INT, &received, 1, MPI_INT, ring, MPI_INFO_NULL, &request);
    sent = sent_by(test::rank(), 3);
    CHECK_EQ(ORTHO_Start_enqueue(&request, stream), MPI_SUCCESS);
    CHECK_EQ(ORTHO_Wait_enqueue(&request, stream), MPI_SUCCESS);
    CHECK_EQ(received, received_in(3));
    // Then a device's, and host memory again.
    const Numbers a(1), b(1);
    a.set(sent_by(test::rank(), 4), stream);
    CHECK_EQ(ORTHO_Request_rebind(request, a.data(), b.data()), MPI_SUCCESS);
    CHECK_EQ(ORTHO_Run_enqueue(&request, stream), MPI_SUCCESS);
    driver.cuStreamSynchronize(stream);
    CHECK_EQ(b.on_host()[0], received_in(4));
    CHECK_EQ(ORTHO_Request_rebind(request, &sent, &received), MPI_SUCCESS);
    sent = sent_by(test::rank(), 5);
    CHECK_EQ(ORTHO_Run(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(received, received_in(5));
}

/// A sparse exchange delivers after the work in the default stream, which reads what was there before.
void test_sparse()
{
    constexpr int n = 100;
    const Numbers sent(n), received(n), before(n);
    const Numbers junk(1 << 20); // so that the stream has something to do
    const int target = test::right();
    const MPI_Count count = n;
    const MPI_Aint place = 0;
    for (int step = 0; step < steps; ++step) {
        sent.set(sent_by(test::rank(), step), nullptr);
        ORTHO_Sparse exchange = ORTHO_SPARSE_NULL;
        CHECK_OK(ORTHO_Sparse_alltoallv(sent.data(), 1, &target, &count, &place, MPI_INT, MPI_COMM_WORLD,
                                        MPI_INFO_NULL, &exchange));
        junk.set(step, nullptr);
        received.set(-2, nullptr);
        received.copy(before, 0, nullptr);
        int source = -1;
        MPI_Count its_count = 0;
        MPI_Aint its_place = 0;
        CHECK_OK(ORTHO_Sparse_receive(&exchange, received.data(), MPI_INT, &source, &its_count, &its_place));
        const std::vector<int> now = received.on_host();
        CHECK_EQ(std::ranges::count(now, received_in(step)), n);
        const std::vector<int> then = before.on_host();
        CHECK_EQ(std::ranges::count(then, -2), n);
    }
}

/// The driver is asked for no pointer of a call that comes again.
void test_lookups(MPI_Comm ring)
{
    const auto lookups = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "ortho_pretend_lookups"));
    if (lookups == nullptr) return; // a real one
    const Numbers sent(1), received(1);
    test::Request request;
    CHECK_OK(init(sent, received, ring, &request));
    int before = 0;
    for (int step = 0; step < steps; ++step) {
        if (step == 1) before = lookups();
        CHECK_OK(ORTHO_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, ring));
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        CHECK_OK(test::start_and_wait(&request));
    }
    CHECK_EQ(lookups(), before);
}

/// The library keeps memory on the device for rows, and not the more the more sizes they have.
void test_growing(MPI_Comm ring)
{
    const auto free_bytes = [] {
        std::size_t free = 0, all = 0;
        CHECK_EQ(driver.cuMemGetInfo_v2(&free, &all), 0);
        return free;
    };
    constexpr int most = 500000;
    const Numbers sent(most), received(most);
    MPI_Barrier(MPI_COMM_WORLD);
    const std::size_t before = free_bytes();
    for (int n = most / 2; n < most; n += most / 100) {
        test::Request request;
        CHECK_OK(ORTHO_Alltoall_init(sent.data(), n, MPI_INT, received.data(), n, MPI_INT, ring,
                                     MPI_INFO_NULL, &request));
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    // Others have the device, too.
    CHECK(before - std::min(before, free_bytes()) <
          static_cast<std::size_t>(test::size()) * 16 * most * sizeof(int));
}

/// Managed memory is the host's.
void test_managed(MPI_Comm ring)
{
    Address address = 0;
    CHECK_EQ(driver.cuMemAllocManaged(&address, 2 * sizeof(int), 1), 0);
    int* const numbers = reinterpret_cast<int*>(address);
    for (int step = 0; step < 3; ++step) {
        numbers[0] = sent_by(test::rank(), step);
        CHECK_OK(ORTHO_Alltoall(&numbers[0], 1, MPI_INT, &numbers[1], 1, MPI_INT, ring));
        CHECK_EQ(numbers[1], received_in(step));
    }
    driver.cuMemFree_v2(address);
}

/// Arrays of ghosts on the device and with the host cannot travel together.
void test_mixed_ghosts()
{
    const Numbers on_device(2);
    std::vector<int> on_host(2);
    const int owner = test::rank();
    const MPI_Count index = 0;
    test::IndexMap map;
    CHECK_OK(ORTHO_Index_map_create(1, 1, &owner, &index, MPI_COMM_WORLD, MPI_INFO_NULL, &map));
    const void* const owned[] = {on_device.data(), on_host.data()};
    void* const ghosts[] = {on_host.data() + 1, on_host.data() + 1};
    const MPI_Datatype elements[] = {MPI_INT, MPI_INT};
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    refused(ORTHO_Ghosts_init(2, owned, ghosts, elements, map, MPI_INFO_NULL, &request), MPI_ERR_BUFFER,
            "owned[1] and owned[0] lie in different kinds of memory");
}

/// The driver refuses a function, on all processes or on one: calls say so there, and nobody waits for ever.
void test_refused(MPI_Comm ring, const char* function)
{
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    const auto check = [&](int code) {
        if (function == nullptr)
            CHECK_OK(code);
        else
            refused(code, MPI_ERR_OTHER,
                    std::string("the device's driver refuses ") + function +
                        ": CUDA_ERROR_PRETENDED, this test wants it so");
    };
    const Numbers sent(10), received(10);
    const auto all_to_all = [&](const void* to, void* from) {
        return ORTHO_Alltoall(to, 10, MPI_INT, from, 10, MPI_INT, ring);
    };
    for (int i = 0; i < 3; ++i) check(all_to_all(sent.data(), received.data()));
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Ialltoall(sent.data(), 10, MPI_INT, received.data(), 10, MPI_INT, ring, &request));
    check(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(init(sent, received, ring, &request));
    check(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    CHECK_OK(ORTHO_Start(&request));
    check(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    ORTHO_Request_free(&request);
    const std::vector<int> a(10, 1);
    std::vector<int> b(10, 0);
    CHECK_OK(all_to_all(a.data(), b.data())); // with the host all is well
    CHECK_EQ(b[9], 1);
}

/// Errors of requests, and streams where there is no device.
void test_errors(MPI_Comm ring, bool is_device)
{
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    int sent = 1, received = 0;
    ORTHO_Request none = ORTHO_REQUEST_NULL;
    CHECK_EQ(error_class(ORTHO_Start_enqueue(&none, nullptr)), MPI_ERR_REQUEST);
    CHECK_EQ(error_class(ORTHO_Run_enqueue(&none, nullptr)), MPI_ERR_REQUEST);
    CHECK_EQ(error_class(ORTHO_Start_enqueue(nullptr, nullptr)), MPI_ERR_ARG);
    CHECK_EQ(ORTHO_Wait_enqueue(&none, nullptr), MPI_SUCCESS);
    test::Request request;
    ORTHO_Alltoall_init(&sent, 1, MPI_INT, &received, 1, MPI_INT, ring, MPI_INFO_NULL, &request);
    if (is_device) {
        ORTHO_Start_enqueue(&request, nullptr);
        CHECK_EQ(error_class(ORTHO_Start_enqueue(&request, nullptr)), MPI_ERR_REQUEST);
        CHECK_EQ(ORTHO_Wait_enqueue(&request, nullptr), MPI_SUCCESS);
    } else {
        CHECK_EQ(error_class(ORTHO_Start_enqueue(&request, nullptr)), MPI_ERR_ARG);
        CHECK_EQ(error_class(ORTHO_Run_enqueue(&request, nullptr)), MPI_ERR_ARG);
        ORTHO_Start(&request); // nothing is left behind
        CHECK_EQ(error_class(ORTHO_Wait_enqueue(&request, nullptr)), MPI_ERR_ARG);
        ORTHO_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_EQ(received, 1);
    }
}

/// Where the driver forgets something one error is enough.
bool ends_early()
{
    if (std::getenv("ORTHO_TEST_PRETEND_FORGETS") == nullptr) return false;
    int failures = test::failures;
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return failures > 0;
}

} // namespace

int main(int argc, char** argv)
{
    pretend::are_wanted = false;
    const bool is_device = has_device();
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm ring = test::one_way_ring();
    const char* const function = std::getenv("ORTHO_TEST_PRETEND_FAILS");
    int fails = function != nullptr ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &fails, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (fails != 0) {
        test_refused(ring, function);
    } else if (is_device) {
        MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
        // test_too_long_meanwhile wants a ring that is attached.
        using Test = void (*)(MPI_Comm);
        for (const Test part : std::initializer_list<Test>{
                 [](MPI_Comm) { test_halos(); }, [](MPI_Comm) { test_reductions(); },
                 [](MPI_Comm) { test_long_rows(); }, test_enqueued, test_mosaics, test_too_long_meanwhile,
                 test_unordered, test_two_streams, test_two_devices, [](MPI_Comm) { test_arrived(); },
                 test_cpp, test_host_memory, test_managed, [](MPI_Comm) { test_mixed_ghosts(); },
                 [](MPI_Comm) { test_sparse(); }, test_growing, test_lookups}) {
            part(ring);
            if (ends_early()) break;
        }
    }
    test_errors(ring, is_device);
    MPI_Comm_free(&ring);
    return test::finish();
}
