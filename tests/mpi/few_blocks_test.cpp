// SPDX-License-Identifier: BSD-3-Clause
// Several blocks for one process of another node: in one message, or few long ones one by one.

#include "sent_messages.hpp"

namespace {

/// Each process sends blocks of these sizes to the next one, which gets them from the one before.
class Blocks {
public:
    explicit Blocks(std::vector<int> sizes) : sizes_(std::move(sizes)), places_(sizes_.size())
    {
        comm_.handle() = test::adjacent(Ints(sizes_.size(), test::left()),
                                        Ints(sizes_.size(), test::right()));
        // With gaps, in which nothing is written.
        int bytes = 1;
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            places_[i] = bytes;
            bytes += sizes_[i] + 1;
        }
        out_.resize(static_cast<std::size_t>(bytes));
        in_.resize(out_.size());
    }

    enum class Form { blocking, nonblocking, persistent };

    /// Sends other values each time.
    void check(Form form)
    {
        ++times_;
        fill(out_, test::rank());
        in_.assign(in_.size(), 0xee);
        const auto call = [&](auto function, auto... rest) {
            CHECK_OK(function(out_.data(), sizes_.data(), places_.data(), MPI_BYTE, in_.data(), sizes_.data(),
                              places_.data(), MPI_BYTE, comm_, rest...));
        };
        test::Request request;
        if (form == Form::blocking) {
            call(ORTHO_Alltoallv);
        } else if (form == Form::nonblocking) {
            call(ORTHO_Ialltoallv, &request);
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            call(ORTHO_Alltoallv_init, MPI_INFO_NULL, &request);
            CHECK_OK(test::start_and_wait(&request));
        }
        std::vector<unsigned char> sent(in_.size()), wanted(in_.size(), 0xee);
        fill(sent, test::left());
        for (std::size_t i = 0; i < sizes_.size(); ++i)
            std::copy_n(sent.begin() + places_[i], sizes_[i], wanted.begin() + places_[i]);
        CHECK(in_ == wanted);
    }

private:
    void fill(std::vector<unsigned char>& bytes, int sender) const
    {
        std::mt19937 random(static_cast<unsigned>(1000 * times_ + sender));
        for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
    }

    std::vector<int> sizes_, places_;
    std::vector<unsigned char> out_;
    std::vector<unsigned char> in_;
    test::Comm comm_;
    int times_ = 0;
};

/// How many messages a call takes.
void counted(std::vector<int> sizes, int wanted)
{
    Blocks blocks(std::move(sizes));
    blocks.check(Blocks::Form::blocking); // attaches
    blocks.check(Blocks::Form::blocking); // has a ballot about sizes, too
    test::sent_messages = 0;
    blocks.check(Blocks::Form::blocking);
    CHECK_EQ(test::sent_messages, test::size() == 1 ? 0 : wanted);
}

void random_sizes()
{
    std::mt19937 random(7);
    for (int i = 0; i < 40; ++i) {
        std::vector<int> sizes(1 + random() % 5);
        for (int& size : sizes) size = static_cast<int>(random() % (random() % 2 == 0 ? 70'000 : 500));
        Blocks blocks(sizes);
        for (const auto form : {Blocks::Form::blocking, Blocks::Form::nonblocking, Blocks::Form::persistent})
            blocks.check(form);
    }
}

} // namespace

int main(int argc, char** argv)
{
    setenv("ORTHO_NODES", "1", 1);
    MPI_Init(&argc, &argv);
    constexpr int kib = 1024;
    counted({8 * kib, 8 * kib}, 1);
    counted({32 * kib, 32 * kib}, 2);
    counted({16 * kib, 16 * kib, 16 * kib}, 1);
    counted({20 * kib, 12 * kib, 20 * kib}, 2);
    counted({0, 60 * kib, 1}, 2); // what has no bytes goes along
    counted({60 * kib, 0}, 1);
    counted({64 * kib, 64 * kib}, 1);
    counted({32 * kib, 32 * kib, 32 * kib, 32 * kib}, 1);
    random_sizes();
    return test::finish();
}
