/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of non-blocking operations from one process of a node to another: the channel whose sender never
   waits, the mailboxes of rings that were left, announcements of what comes by MPI, blocks whose sizes differ
   at the two ends, and what happens without memory.

   | here                               | in src/nodequeue/                                          |
   | ---------------------------------- | ---------------------------------------------------------- |
   | proctype Writer, start             | AnnouncedPassage::post, send                               |
   | reserve                            | UnboundedSender::reserve, announce                         |
   | send_row                           | send_row_by_mpi                                            |
   | proctype Reader                    | post: turns, and MPI's receives of PointToPointPassage     |
   | MAILBOX, FIND_RING, FIND_ELSEWHERE | UnboundedReceiver::find, find_ring                         |
   | take_message, take_entry           | AnnouncedPassage::read_announcement, take_entry            |
   | is_row                             | RowByMpi                                                   |
   | forgo                              | AnnouncedPassage::forgo, PointToPointPassage::forgo        |
   | late[]                             | AnnouncedPassage::Late, are_here                           |

   The three messages are blocks: alone in an operation, or two or three of one operation, which share entries
   of the queue.  Each end has its own view of which are large, and so come by MPI; at most one block is large
   at one end alone.  The writer never waits: it starts all operations, and ends.  A sender that lacks private
   memory, too, is in the model where both ends agree on sizes. */

#define MOST 4
#define RINGS 3
#define CAPACITY 4
#define BEGINS_AGAIN false
#include "ring.pml"

#define EMPTY 254 /* what a sender without private memory sends by MPI */

byte operation[N];
bit is_large_here[N];  /* as its sender sees it */
bit is_large_there[N]; /* as its receiver sees it */
bit begins_entry[N];

byte mailbox;
/* By tag: those of operations, then those of blocks (Stamp::tag_of). */
chan mpi[2 * N] = [N] of { byte };

bit has_come[N];
bit has_failed[N]; /* its sender has told so */

#define SHARES(b) ((b > 0 && operation[b] == operation[(b) - 1]) || \
                   (b < N - 1 && operation[b] == operation[(b) + 1]))
#define TAG_OF(b) (SHARES(b) -> N + b : operation[b])
#define IS_FIRST(b) (b == 0 || operation[b] != operation[(b) - 1])
#define IS_LAST(b) (b == N - 1 || operation[b] != operation[(b) + 1])
#define ENDS_ENTRY(b) (IS_LAST(b) || begins_entry[(b) + 1])

/* --- The sender. --- */

/* Sets `is_reserved`; then there is room in the ring. */
inline reserve(l)
{
    if
    :: w != NONE && CAN_RESERVE(l) -> is_reserved = 1
#ifndef PLANT_MEMORY_ASKED_AGAIN
    :: w == NONE && has_told && last == op -> is_reserved = 0
    :: !(w != NONE && CAN_RESERVE(l)) && !(w == NONE && has_told && last == op) ->
#else
    :: !(w != NONE && CAN_RESERVE(l)) ->
#endif
        allocate(new_ring, CAPACITY, op, 0);
        if
        :: new_ring == NONE ->
            if
            :: w != NONE ->
                box = w;
#ifndef PLANT_MAILBOX_SILENT
                rings[w].mailbox = told_none(op);
#endif
                publish_left();
                d_step { retire(); w = NONE }
            :: else ->
#ifndef PLANT_MAILBOX_SILENT
                if
                :: box == NONE -> mailbox = told_none(op)
                :: else -> rings[box].mailbox = told_none(op)
                fi
#else
                skip
#endif
            fi;
            d_step { has_told = 1; last = op; is_reserved = 0 }
        :: else ->
            if
            :: w != NONE ->
#ifndef PLANT_MOVED_NOT_PUBLISHED
                publish_moved(new_ring);
#endif
                retire()
            :: w == NONE && box == NONE -> mailbox = told_ring(new_ring)
#ifdef PLANT_TOLD_IN_FIRST_MAILBOX
            :: w == NONE && box != NONE -> mailbox = told_ring(new_ring)
#else
            :: w == NONE && box != NONE -> rings[box].mailbox = told_ring(new_ring)
#endif
            fi;
            d_step { w = new_ring; written = 0; has_told = 0; is_reserved = 1 }
        fi
    fi;
    new_ring = NONE
}

#define ENDS_AGREE \
    (is_large_here[0] == is_large_there[0] && is_large_here[1] == is_large_there[1] && \
     is_large_here[2] == is_large_there[2])

inline send_row(m)
{
#ifndef PLANT_NO_MEMORY_DROPPED
    if
    :: mpi[op] ! m
    :: ENDS_AGREE -> /* no memory */
        mpi[op] ! EMPTY;
#ifndef PLANT_ENTRIES_AFTER_FAILURE
        is_given_up = 1
#endif
    fi
#else
    skip
#endif
}

/* The blocks of an operation begin with `b`. */
inline start()
{
    is_given_up = 0;
    if
    :: !SHARES(b) && is_large_here[b] ->
#ifndef PLANT_NOT_ANNOUNCED
        reserve(0);
        if
        :: is_reserved -> put_message(b, op, 0, ANNOUNCEMENT)
        :: else
        fi;
#endif
        mpi[TAG_OF(b)] ! b;
        b++
    :: else ->
        /* Entries first, one of them or more. */
        e = b;
        do
        :: reserve(1);
            if
            :: is_reserved -> put_message(e, op, 1, MESSAGE)
            :: else -> send_row(e)
            fi;
            do
            :: ENDS_ENTRY(e) -> break
            :: else -> e++
            od;
            if
            :: IS_LAST(e) || is_given_up -> break
            :: else -> e++
            fi
        od;
        do
        :: is_large_here[b] && SHARES(b) ->
            mpi[TAG_OF(b)] ! b;
            if :: IS_LAST(b) -> b++; break :: else -> b++ fi
        :: else ->
            if :: IS_LAST(b) -> b++; break :: else -> b++ fi
        od
    fi;
    e = 0
}

proctype Writer()
{
    byte w = NONE, written, begin, reserved, at, new_ring = NONE;
    byte box = NONE; /* whose mailbox the receiver looks at: a ring's, or the channel's */
    byte op, b, e, last;
    bit in_parts, has_told, is_reserved, is_given_up;
    do
    :: b < N ->
        op = operation[b];
        start()
    :: else -> break
    od
}

/* --- The receiver. --- */

#define MAILBOX (box == NONE -> mailbox : rings[box].mailbox)
#define LOOKS_AT_MAILBOX (r == NONE || box != NONE)
#ifdef PLANT_TURN_IGNORED
#define LOOKED_FOR operation[N - 1]
#else
#define LOOKED_FOR op /* whose turn it is */
#endif
#define FIND_RING \
    (LOOKS_AT_MAILBOX && IS_RING(MAILBOX) && rings[RING_OF(MAILBOX)].first <= op)
#ifdef PLANT_FIRST_IGNORED
#define FIND_ELSEWHERE \
    (LOOKS_AT_MAILBOX && MAILBOX != 0 && !IS_RING(MAILBOX) && NUMBER_OF(MAILBOX) >= op)
#else
#ifdef PLANT_NUMBER_IGNORED
#define FIND_ELSEWHERE \
    (LOOKS_AT_MAILBOX && MAILBOX != 0 && (IS_RING(MAILBOX) -> rings[RING_OF(MAILBOX)].first > op : true))
#else
#define FIND_ELSEWHERE \
    (LOOKS_AT_MAILBOX && MAILBOX != 0 && \
     (IS_RING(MAILBOX) -> rings[RING_OF(MAILBOX)].first > op : NUMBER_OF(MAILBOX) >= op))
#endif
#endif

inline deliver(m, c)
{
    assert(!has_come[m] && !has_failed[m] && (c == m || c == EMPTY));
    if
    :: c == EMPTY -> has_failed[m] = 1
    :: else -> has_come[m] = 1
    fi
}

/* MPI cannot cancel what has been received. */
inline forgo(f)
{
#ifndef PLANT_NOT_FORGONE
    if
    :: is_posted[f] && nempty(mpi[TAG_OF(f)]) -> assert(false)
    :: !is_posted[f] || empty(mpi[TAG_OF(f)]) -> is_posted[f] = 0
    fi
#else
    skip
#endif
}

/* The blocks of an entry; `next` is the first of them. */
inline take_entry(c)
{
    if
    :: c == EMPTY ->
        do
        :: !is_large_there[next] -> has_failed[next] = 1; if :: IS_LAST(next) -> break :: else -> next++ fi
        :: else -> if :: IS_LAST(next) -> break :: else -> next++ fi
        od
    :: else ->
        assert(c == next);
        do
        :: true ->
            if
            :: !is_large_here[next] ->
                forgo(next);
                deliver(next, next)
            :: is_large_here[next] && !is_large_there[next] ->
#ifndef PLANT_LATE_IGNORED
                late[next] = 1
#else
                has_failed[next] = 1
#endif
            :: else
            fi;
            if
            :: ENDS_ENTRY(next) -> break
            :: else -> next++
            fi
        od
    fi;
    end_turn()
}

/* It is the next block's turn, perhaps the next operation's. */
inline end_turn()
{
    d_step {
        next++;
        op = (next < N -> operation[next] : N)
    }
}

inline take_message()
{
    if
    :: SHARES(next) ->
        check_whole(next);
        close_message();
        take_entry(next)
    :: !SHARES(next) && kind == MESSAGE ->
        check_whole(next);
        forgo(next);
        deliver(next, next);
        close_message();
        end_turn()
    :: !SHARES(next) && kind == ANNOUNCEMENT ->
        close_message();
#ifdef PLANT_ANNOUNCEMENT_IGNORED
        if
        :: is_large_there[next] -> end_turn()
        :: else -> has_failed[next] = 1; end_turn()
        fi
#else
        if
        :: is_large_there[next] -> end_turn()
        :: else -> is_row = 1
        fi
#endif
    fi
}

#define IS_OVER(m) ((has_come[m] || has_failed[m]) && !is_posted[m])

/* MPI's receives, and blocks that nobody has posted a receive for.  It makes no difference when they end, but
   for forgo(), which looks at that. */
#define RECEIVE(m) \
    :: next == N && is_posted[m] && nempty(mpi[TAG_OF(m)]) -> \
        atomic { mpi[TAG_OF(m)] ? at; deliver(m, at); is_posted[m] = 0; at = 0 } \
    :: next == N && late[m] && nempty(mpi[TAG_OF(m)]) -> \
        atomic { mpi[TAG_OF(m)] ? at; deliver(m, at); late[m] = 0; at = 0 }

proctype Reader()
{
    byte r = NONE, position, kind, tag, length, begin, offset, at;
    byte box = NONE;  /* whose mailbox it looks at: the ring's that was left, or the channel's */
    byte op;          /* whose turn it is */
    byte next;        /* the next block that is looked for */
    bit in_parts, is_row;
    bit is_posted[N]; /* MPI's receives */
    bit late[N];
    /* All operations start.  One that starts later is like one that is looked at later. */
    atomic {
        do
        :: next < N ->
            is_posted[next] = is_large_there[next];
            next++
        :: else -> break
        od;
        next = 0
    }
    do
    :: next < N && !is_row && box == NONE && HAS_COME && KIND_HERE != LEFT -> look(LOOKED_FOR)
    :: next < N && box == NONE && IS_LEFT -> box = r
    :: next < N && kind != NOTHING && tag == op -> take_message()
    :: next < N && kind == NOTHING && !is_row && FIND_RING ->
        at = RING_OF(MAILBOX);
        if
        :: r != NONE -> give_back(position + 1) /* close_left */
        :: else
        fi;
        d_step { r = at; at = 0; position = 0; box = NONE }
    :: next < N && kind == NOTHING && !is_row && FIND_ELSEWHERE ->
        if
        :: !SHARES(next) && is_large_there[next] -> end_turn()
        :: else -> is_row = 1
        fi
    :: is_row && nempty(mpi[op]) ->
        mpi[op] ? begin;
        is_row = 0;
        if
        :: SHARES(next) -> take_entry(begin)
        :: else ->
            deliver(next, begin);
            end_turn()
        fi;
        begin = 0
    RECEIVE(0)
    RECEIVE(1)
    RECEIVE(2)
    :: next == N && IS_OVER(0) && IS_OVER(1) && IS_OVER(2) -> break
    od;
    assert(kind == NOTHING)
}

init
{
    byte i;
    bit differ;
    atomic {
        do
        :: i < N ->
            if
            :: is_large_here[i] = 0
            :: is_large_here[i] = 1
            fi;
            if
            :: is_large_there[i] = is_large_here[i]
            :: !differ -> is_large_there[i] = 1 - is_large_here[i]; differ = 1 /* once */
            fi;
            if
            :: i > 0 -> operation[i] = operation[i - 1]; begins_entry[i] = 0
            :: i > 0 -> operation[i] = operation[i - 1]; begins_entry[i] = 1
            :: i > 0 -> operation[i] = operation[i - 1] + 1; begins_entry[i] = 1
            :: i == 0 -> begins_entry[i] = 1
            fi;
            i++
        :: else -> break
        od;
        i = 0;
        differ = 0;
        run Writer();
        run Reader()
    };
    /* Both have ended: MPI has no message that nobody receives. */
    _nr_pr == 1 ->
    assert(empty(mpi[0]) && empty(mpi[1]) && empty(mpi[2]) && empty(mpi[3]) && empty(mpi[4]) && empty(mpi[5]))
}
