/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a persistent operation that is started again and again: a channel for each message, with room
   for two, so that a start never waits, and a process may go away between start and completion.

   | here                | in src/nodequeue/                                                            |
   | ------------------- | ---------------------------------------------------------------------------- |
   | init                | StartedChannels::to, Sender(arena, length, most); PrivateChannels::connect   |
   | Process, at first   | SharedMemoryPassage::post, begin_to_write, write_row, post_receive           |
   | GOES_AWAY           | a program that waits in MPI_Recv for what its partner sends after completion |
   | Process, then       | SharedMemoryPassage::read, go_on_reading, is_through                         |
   | IS_READY            | Sender::is_ready, RingWriter::is_half_free; Operation::advance               |
   | proctype Mpi        | MPI, which goes on while a process is away                                   |

   Both processes send, or one of them alone.  They start the operation three times.  The grain of a ring is
   half of it, or its messages go round; or there was no memory for it, and its messages go by MPI. */

#define MOST 8
#define RINGS 3
#define BEGINS_AGAIN false
#include "ring.pml"

#define NOBODY 2

byte out[2] = NONE;    /* the ring of each process; NONE if its channel leads nowhere */
bit is_one_way;        /* only process 0 sends */
byte away[N];          /* who goes away in this start */
bit has_completed[2 * N];
chan mpi[2] = [1] of { byte }; /* by sender; MPI sends none before the last one was received */
bit is_posted[2];      /* a receive from this process */
bit is_received[2];
byte received[2];

#ifdef PLANT_READY_WITHOUT_ROOM
#define IS_READY true
#else
#ifdef PLANT_READY_WHEN_ALL_IS_READ
#define IS_READY (w == NONE || rings[w].read == written)
#else
#define IS_READY (w == NONE || ROOM(rings[w].capacity / 2))
#endif
#endif
#define SENDS (me == 0 || !is_one_way)
#define RECEIVES (me == 1 || !is_one_way)
#define GOES_AWAY (away[start] == me)

proctype Process(byte me)
{
    byte w = out[me], r = out[1 - me];
    byte written, begin, reserved, at, position, kind, tag, length, offset, start;
    bit in_parts, is_read;
    do
    :: start < N ->
        /* It never waits here. */
        if
        :: !RECEIVES -> is_read = 1
        :: RECEIVES && r == NONE -> is_posted[1 - me] = 1
        :: else
        fi;
        if
        :: !SENDS
        :: SENDS && w == NONE -> mpi[me] ! start
        :: else ->
            assert(CAN_RESERVE(1));
            put_message(start, start, 1, MESSAGE)
        fi;
        if
        :: GOES_AWAY -> has_completed[2 * start + 1 - me]
        :: else
        fi;
        do
        :: !is_read && r != NONE && HAS_COME -> look(start)
        :: kind != NOTHING ->
            assert(tag == start);
            check_whole(start);
            close_message();
            is_read = 1
        :: !is_read && r == NONE && is_received[1 - me] ->
            assert(received[1 - me] == start);
            d_step { is_received[1 - me] = 0; is_read = 1 }
        :: is_read && (w != NONE || empty(mpi[me])) && IS_READY -> break
        od;
        has_completed[2 * start + me] = 1;
        d_step { is_read = 0; start++ }
    :: else -> break
    od
}

proctype Mpi()
{
end:
    do
    :: atomic { is_posted[0] && nempty(mpi[0]) ->
        mpi[0] ? received[0]; is_received[0] = 1; is_posted[0] = 0 }
    :: atomic { is_posted[1] && nempty(mpi[1]) ->
        mpi[1] ? received[1]; is_received[1] = 1; is_posted[1] = 0 }
    od
}

init
{
    byte i, at;
    atomic {
        if
        :: allocate(out[0], 4, 0, 1)
        :: allocate(out[0], 8, 0, 0)
        fi;
        if
        :: allocate(out[1], 4, 0, 1)
        :: allocate(out[1], 8, 0, 0)
        fi;
        do
        :: i < N ->
            if
            :: away[i] = 0
            :: away[i] = 1
            :: away[i] = NOBODY
            fi;
            i++
        :: else -> break
        od;
        i = 0;
        if
        :: is_one_way = 0
        :: is_one_way = 1
        fi;
        run Mpi();
        run Process(0);
        run Process(1)
    }
}
