/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of blocking operations from one process of a node to another: the channel that grows, its mailbox,
   one copy and refused reads, messages in parts, and what happens without memory.

   | here                            | in src/nodequeue/                                            |
   | ------------------------------- | ------------------------------------------------------------ |
   | proctype Writer, ws[]           | SharedMemoryPassage::go_on, write; Progress                  |
   | open_channel                    | Sender::open, make_first                                     |
   | send_by_mpi                     | SharedMemoryPassage::send_by_mpi, is_through                 |
   | MAY_GROW, TOO_SMALL, grow       | Sender::may_grow, too_small_for, grow                        |
   | post                            | begin_to_write, Sender::post                                 |
   | IS_ROW                          | write_row, of kind `message` or `again`                      |
   | when POSTED                     | go_on_writing                                                |
   | proctype Reader, rs[]           | SharedMemoryPassage::read, begin_to_read, go_on_reading      |
   | FOUND_RING, FOUND_ELSEWHERE     | Receiver::open, find_ring                                    |
   | take_remote                     | SharedMemoryPassage::take_remote, RingReader::refuse         |
   | BY_MPI                          | RowByMpi                                                     |

   Each process looks at the messages of an operation in any order: has_arrived() may ask for any of them.
   The other direction has a channel of its own, and an operation waits for both: so if either one ends when
   both processes are in the operation, both do.  */

#define MOST LARGEST
#define RINGS 3
#define BEGINS_AGAIN true
#include "ring.pml"

#define SMALL 1
#define LARGE 3 /* in one piece if the ring has 8 grains; else in parts */
#define DESCRIPTORS 1
#define CAPACITY_FOR(its_length) ((its_length) == SMALL -> SMALLEST : LARGEST)

/* The messages. */
byte operation[N];
byte size[N];
byte access[N]; /* MESSAGE if its data goes through the ring */

/* The sender's blocks: 1 + the message's index, until the operation is over. */
byte block[N];
byte mailbox;
chan mpi[N] = [N] of { byte }; /* by the operation's tag */

mtype = { IDLE, POSTED, REFUSED, PARTS, BY_MPI, DONE };
mtype ws[N];
mtype rs[N];

#define FOLLOWS(i) (i > 0 && operation[i] == operation[(i) - 1])
#define ALL_BEFORE_DONE(s, i) \
    (!FOLLOWS(i) || (s[(i) - 1] == DONE && (!FOLLOWS((i) - 1) || s[(i) - 2] == DONE)))
#define IS_OVER(s, op) \
    ((operation[0] != op || s[0] == DONE) && (operation[1] != op || s[1] == DONE) && \
     (operation[2] != op || s[2] == DONE))

#define MAY_GROW (skipped == 0 && rings[w].capacity < LARGEST)
#define TOO_SMALL(its_length) (!MAY_GROW && !TAKES(its_length))
#define MAY_WRITE(i) \
    (operation[i] == op && ws[i] == IDLE && \
     (!FOLLOWS(i) || ws[(i) - 1] == DONE || ws[(i) - 1] == POSTED))
#define IS_READ(i) (access[i] == MAPPED || (access[i] == REMOTE && may_be_read))
#ifdef PLANT_AGAIN_OUT_OF_ORDER
#define MAY_WRITE_AGAIN(i) (operation[i] == op && ws[i] == REFUSED)
#else
#define MAY_WRITE_AGAIN(i) (operation[i] == op && ws[i] == REFUSED && ALL_BEFORE_DONE(ws, i))
#endif
#define IS_ROW(i) (w != NONE && ((MAY_WRITE(i) && !IS_READ(i)) || MAY_WRITE_AGAIN(i)))
#ifdef PLANT_AGAIN_LIKE_OTHERS
#define KIND_OF(i) MESSAGE
#else
#define KIND_OF(i) (ws[i] == REFUSED -> AGAIN : MESSAGE)
#endif

inline send_by_mpi(m)
{
#ifndef PLANT_NO_MEMORY_DROPPED
    mpi[op] ! m;
#endif
    if
    :: ws[m] = DONE   /* MPI buffers it */
    :: ws[m] = BY_MPI /* or waits for the receiver */
    fi
}

inline open_channel(i)
{
    if
#ifndef PLANT_MEMORY_ASKED_AGAIN
    :: has_none && last == op -> send_by_mpi(i)
#endif
    :: else ->
        allocate(new_ring, CAPACITY_FOR(IS_READ(i) -> DESCRIPTORS : size[i]), op, 0);
        if
        :: new_ring == NONE && CAPACITY_FOR(size[i]) > SMALLEST -> allocate(new_ring, SMALLEST, op, 0)
        :: else
        fi;
        if
        :: new_ring == NONE ->
            d_step { has_none = 1; last = op }
#ifndef PLANT_MAILBOX_SILENT
            mailbox = told_none(op);
#endif
            send_by_mpi(i)
        :: else ->
            d_step { w = new_ring; written = 0 }
            mailbox = told_ring(new_ring)
        fi
    fi;
    new_ring = NONE
}

inline grow()
{
    allocate(new_ring, LARGEST, 0, 0); /* at least twice the capacity, and at most the largest */
    if
    :: new_ring == NONE ->
        d_step {
            failures = (failures < 2 -> failures + 1 : 2);
            skipped = (failures == 1 -> 2 : 4)
        }
    :: else ->
        publish_moved(new_ring);
        d_step { retire(); w = new_ring; written = 0; failures = 0 }
    fi;
    new_ring = NONE
}

#ifdef PLANT_GROWS_WHILE_POSTED
#define NOT_POSTED true
#else
#define NOT_POSTED (posts == 0)
#endif
#ifdef PLANT_BLOCK_WRITTEN_TOO_EARLY
#define POST_IS_READ(i) true
#else
#define POST_IS_READ(i) (rings[w].read >= posted[i])
#endif
#ifdef PLANT_REFUSAL_IGNORED
#define IS_REFUSED(i) false
#else
#define IS_REFUSED(i) (access[i] == REMOTE && rings[w].refused != 0 && posted[i] >= rings[w].refused)
#endif

#define WRITE(i) \
    :: MAY_WRITE(i) && w == NONE -> open_channel(i) \
    :: MAY_WRITE(i) && w != NONE && IS_READ(i) && !in_parts && CAN_RESERVE(DESCRIPTORS) -> \
        put_message(i, op, DESCRIPTORS, access[i]); \
        d_step { posts++; posted[i] = written; ws[i] = POSTED } \
    :: IS_ROW(i) && !TAKES(size[i]) && MAY_GROW && NOT_POSTED && CAN_MOVE -> grow() \
    :: IS_ROW(i) && !in_parts && CAN_RESERVE(size[i]) -> \
        put_message(i, op, size[i], KIND_OF(i)); \
        ws[i] = DONE \
    :: IS_ROW(i) && !in_parts && TOO_SMALL(size[i]) && ROOM(1) -> \
        begin_parts(op, size[i], KIND_OF(i)); \
        d_step { ws[i] = PARTS; skipped = (skipped > 0 -> skipped - 1 : 0) } \
    :: ws[i] == PARTS && offset < size[i] && ROOM(1) -> write_part(i, size[i]) \
    :: ws[i] == PARTS && offset == size[i] && ROOM(reserved - written + BEHIND) -> \
        end_parts(); \
        ws[i] = DONE \
    :: ws[i] == POSTED && POST_IS_READ(i) -> \
        if \
        :: IS_REFUSED(i) -> d_step { posts--; may_be_read = 0; ws[i] = REFUSED } \
        :: else -> d_step { posts--; ws[i] = DONE } \
        fi; \
        posted[i] = 0 \
    :: ws[i] == BY_MPI && empty(mpi[op]) -> ws[i] = DONE

proctype Writer()
{
    byte w = NONE, written, begin, reserved, offset, at, new_ring = NONE;
    byte op, last, failures, skipped, posts;
    byte posted[N];
    bit in_parts, has_none, may_be_read = 1;
    do
    :: op < N ->
        do
        :: IS_OVER(ws, op) -> break
        WRITE(0)
        WRITE(1)
        WRITE(2)
        od;
        /* The call is over: the program writes into its blocks. */
        atomic {
            if :: operation[0] == op -> block[0] = 0 :: else fi;
            if :: operation[1] == op -> block[1] = 0 :: else fi;
            if :: operation[2] == op -> block[2] = 0 :: else fi;
            op++
        }
    :: else -> break
    od
}

#define MAY_READ(i) \
    (operation[i] == op && \
     ((rs[i] == IDLE && (!FOLLOWS(i) || rs[(i) - 1] == DONE || rs[(i) - 1] == REFUSED)) || \
      (rs[i] == REFUSED && ALL_BEFORE_DONE(rs, i))))
#ifdef PLANT_FIRST_IGNORED
#define FOUND_RING (r == NONE && IS_RING(mailbox))
#define FOUND_ELSEWHERE (r == NONE && mailbox != 0 && !IS_RING(mailbox) && NUMBER_OF(mailbox) >= op)
#else
#define FOUND_RING (r == NONE && IS_RING(mailbox) && rings[RING_OF(mailbox)].first <= op)
#define FOUND_ELSEWHERE \
    (r == NONE && mailbox != 0 && \
     (IS_RING(mailbox) -> rings[RING_OF(mailbox)].first > op : NUMBER_OF(mailbox) >= op))
#endif
#define IS_FOR(i) (kind != NOTHING && tag == op && (kind == AGAIN) == (rs[i] == REFUSED))

inline take_remote(i)
{
    check_whole(i); /* the descriptors */
    if
    :: kind == MAPPED || rings[r].refused == 0 -> assert(block[i] == i + 1)
    :: kind == REMOTE -> /* the system refuses, or has refused */
        if
        :: rings[r].refused == 0 -> rings[r].refused = begin + length + 1
        :: else
        fi;
        rs[i] = REFUSED
    fi;
    close_message();
    if
    :: rs[i] != REFUSED -> rs[i] = DONE
    :: else
    fi
}

#define READ(i) \
    :: MAY_READ(i) && FOUND_RING -> d_step { r = RING_OF(mailbox); position = 0 } \
    :: MAY_READ(i) && FOUND_ELSEWHERE -> rs[i] = BY_MPI \
    :: MAY_READ(i) && HAS_COME -> look(op) \
    :: MAY_READ(i) && IS_FOR(i) && (kind == MAPPED || kind == REMOTE) -> take_remote(i) \
    :: MAY_READ(i) && IS_FOR(i) && kind != MAPPED && kind != REMOTE && !in_parts -> \
        check_whole(i); \
        close_message(); \
        rs[i] = DONE \
    :: MAY_READ(i) && IS_FOR(i) && in_parts && rs[i] != PARTS -> rs[i] = PARTS \
    :: rs[i] == PARTS && HAS_PART -> read_part(i) \
    :: rs[i] == PARTS && IS_COMPLETE -> \
        close_parts(); \
        rs[i] = DONE \
    :: rs[i] == BY_MPI && nempty(mpi[op]) -> \
        atomic { mpi[op] ? at; assert(at == i); at = 0; rs[i] = DONE }

proctype Reader()
{
    byte r = NONE, position, kind, tag, length, begin, offset, at;
    byte op;
    bit in_parts;
    do
    :: op < N ->
        do
        :: IS_OVER(rs, op) -> break
        READ(0)
        READ(1)
        READ(2)
        od;
        op++
    :: else -> break
    od;
    assert(kind == NOTHING && empty(mpi[0]) && empty(mpi[1]) && empty(mpi[2]))
}

init
{
    byte i;
    atomic {
        do
        :: i < N ->
            if
            :: size[i] = SMALL; access[i] = MESSAGE
            :: size[i] = LARGE; access[i] = MESSAGE
            :: size[i] = LARGE; access[i] = MAPPED
            :: size[i] = LARGE; access[i] = REMOTE
            fi;
            if
            :: i > 0 -> operation[i] = operation[i - 1]
            :: i > 0 -> operation[i] = operation[i - 1] + 1
            :: i == 0
            fi;
            block[i] = i + 1;
            ws[i] = IDLE;
            rs[i] = IDLE;
            i++
        :: else -> break
        od;
        i = 0;
        run Writer();
        run Reader()
    }
}
