/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring of src/nodequeue/ring.hpp, and the memory that rings lie in, for the models of this folder.

   A ring is counted in grains: a head takes one, and so does each 16 bytes of data.  Positions count grains
   since the ring began, as RingWriter::written_ and RingReader::read_ do.  Each load or store that hands
   something over is a step of its own.  A process that looks again and again waits here, until what it looks
   for is there: so a deadlock is a state without a next one.

   | here                          | in src/nodequeue/                                        |
   | ----------------------------- | -------------------------------------------------------- |
   | rings[], allocate, retire     | Arena::allocate, Arena::release_later; RingMemory()      |
   | ROOM, NEED, MAY_BEGIN_AGAIN   | RingWriter::has_room, reserve, may_begin_again           |
   | put_message                   | RingWriter::reserve, put, RingWriter::commit             |
   | begin_parts, write_part, end_parts | RingWriter::begin, write, end                       |
   | publish_moved, publish_left   | RingWriter::move_to, leave                               |
   | HAS_COME, look                | RingReader::has_come, find                               |
   | check_whole, close_message    | RingReader::whole, close                                 |
   | read_part                     | RingReader::read, is_complete                            |
   | told_ring, told_none          | Mailbox::tell_ring, tell_no_ring; find_ring              |

   PLANT_... breaks one rule each: tests/scripts/model.sh expects an error then. */

#define N 3 /* messages */

/* Kinds of heads. */
#define NOTHING 0
#define MESSAGE 1
#define MAPPED 2
#define REMOTE 3
#define AGAIN 4
#define ANNOUNCEMENT 5
#define SKIP 6
#define MOVED 7
#define LEFT 8
#define DATA 9 /* no head: bytes of a message, or of whoever had this memory before */
#define IN_PARTS 16

#define NONE 255 /* no ring */

typedef Ring {
    bit is_used;
    bit is_retired; /* released as soon as all up to `end` has been read */
    bit is_fixed;   /* grain == capacity / 2: each message begins where one began before */
    byte end;
    byte capacity;
    byte first;
    byte read;    /* RingMemory's counters */
    byte written;
    byte refused;
    byte mailbox; /* RingMemory::next */
    byte kind[MOST];
    byte tag[MOST];
    byte length[MOST];
    byte content[MOST]; /* which message's data it is */
};
Ring rings[RINGS];

/* A mailbox: nothing yet; messages of operations up to this one come another way; the first ring. */
#define told_none(number) (1 + (number))
#define told_ring(ring) (32 + (ring))
#define IS_RING(word) ((word) >= 32)
#define RING_OF(word) ((word) - 32)
#define NUMBER_OF(word) ((word) - 1)

/* --- Memory.  Whether there is any, nobody knows before. --- */

#ifdef PLANT_RELEASE_EARLY
#define IS_FREE(r) (!rings[r].is_used || rings[r].is_retired)
#else
#define IS_FREE(r) (!rings[r].is_used || (rings[r].is_retired && rings[r].read == rings[r].end))
#endif

inline allocate(result, its_capacity, its_first, fixed)
{
    atomic {
        result = NONE;
        if
        :: true /* no memory */
        :: IS_FREE(0) -> result = 0
        :: !IS_FREE(0) && IS_FREE(1) -> result = 1
        :: !IS_FREE(0) && !IS_FREE(1) && IS_FREE(2) -> result = 2
        fi;
        if
        :: result == NONE
        :: else ->
            d_step {
                rings[result].is_used = 1;
                rings[result].is_retired = 0;
                rings[result].end = 0;
                rings[result].is_fixed = fixed;
                rings[result].capacity = its_capacity;
                rings[result].first = its_first;
                rings[result].read = 0;
                rings[result].written = 0;
                rings[result].refused = 0;
                rings[result].mailbox = 0;
                at = 0;
                do
                :: at < MOST ->
                    rings[result].kind[at] = DATA;
                    rings[result].tag[at] = 0;
                    rings[result].length[at] = 0;
                    rings[result].content[at] = 0;
                    at++
                :: else -> break
                od;
                at = 0;
                rings[result].kind[0] = NOTHING;
                if
                :: fixed -> rings[result].kind[its_capacity / 2] = NOTHING
                :: else
                fi
            }
        fi
    }
}

#define retire() rings[w].end = written; rings[w].is_retired = 1

/* --- The writer's end: `w` is its ring, `written` where the next message begins. --- */

#define GRAINS(length_) (rings[w].is_fixed -> rings[w].capacity / 2 : (length_) + 1)
#define INDEX (written % rings[w].capacity)
#define TO_END (rings[w].capacity - INDEX)
#ifdef PLANT_NO_ROOM_FOR_NEXT_HEAD
#define BEHIND 0
#else
#define BEHIND (rings[w].is_fixed -> 0 : 1)
#endif
#ifdef PLANT_SLOT_REUSED
#define ROOM(n) (rings[w].capacity + 1 - (written - rings[w].read) >= (n))
#else
#define ROOM(n) (rings[w].capacity - (written - rings[w].read) >= (n))
#endif
#define NEED(length_) ((GRAINS(length_) > TO_END -> TO_END : 0) + GRAINS(length_) + BEHIND)
#define TAKES(length_) (GRAINS(length_) <= rings[w].capacity / 2)
#define CAN_RESERVE(length_) (TAKES(length_) && ROOM(NEED(length_)))
/* How far round the ring goes before is a matter of speed. */
#define MAY_BEGIN_AGAIN(length_) \
    (BEGINS_AGAIN && !rings[w].is_fixed && INDEX >= GRAINS(length_) + 1 && rings[w].read == written)

/* A message of `its_length` grains of data.  The writer has seen that there is room. */
inline put_message(message, number, its_length, its_kind)
{
    begin = written;
    if
    :: GRAINS(its_length) > TO_END -> begin = written + TO_END
    :: GRAINS(its_length) <= TO_END
    :: MAY_BEGIN_AGAIN(its_length) -> begin = written + TO_END
    fi;
    reserved = begin + GRAINS(its_length);
#ifdef PLANT_HEAD_FIRST
    put_head(begin, number, its_length);
    rings[w].kind[begin % rings[w].capacity] = its_kind;
#endif
    /* Nobody looks at this yet, so it is one step. */
    d_step {
        at = 1;
        do
        :: at <= its_length ->
            rings[w].kind[(begin + at) % rings[w].capacity] = DATA;
            rings[w].content[(begin + at) % rings[w].capacity] = message;
            at++
        :: else -> break
        od;
        at = 0;
        rings[w].tag[begin % rings[w].capacity] = number;
        rings[w].length[begin % rings[w].capacity] = its_length
    }
    put_nothing(reserved);
#ifndef PLANT_NOT_PUBLISHED
    rings[w].kind[begin % rings[w].capacity] = its_kind;
#endif
    if
    :: begin != written ->
        put_head(written, 0, begin - written - 1);
#ifndef PLANT_SKIP_NOT_PUBLISHED
        rings[w].kind[written % rings[w].capacity] = SKIP
#endif
    :: else
    fi;
    d_step { written = reserved; begin = 0; reserved = 0 }
}

/* Spin's inlines must not pass a parameter on under its own name: hence the letters. */
inline put_head(p, n, l)
{
    d_step {
        rings[w].tag[(p) % rings[w].capacity] = n;
        rings[w].length[(p) % rings[w].capacity] = l
    }
}

inline put_nothing(p)
{
#ifndef PLANT_NOTHING_NOT_WRITTEN
    if
    :: !rings[w].is_fixed -> rings[w].kind[(p) % rings[w].capacity] = NOTHING
    :: else
    fi
#else
    skip
#endif
}

/* Room for one grain has been seen. */
inline begin_parts(number, its_length, its_kind)
{
    in_parts = 1;
    put_head(written, number, its_length);
    reserved = written + its_length + 2; /* one byte more than its data: ring_bytes_in_parts */
    rings[w].written = written + 1;
    rings[w].kind[written % rings[w].capacity] = its_kind + IN_PARTS;
    d_step { written = written + 1; offset = 0 }
}

/* As much of it as there is room for. */
inline write_part(message, its_length)
{
    do
    :: offset < its_length && ROOM(1) ->
        d_step {
            rings[w].kind[written % rings[w].capacity] = DATA;
            rings[w].content[written % rings[w].capacity] = message;
            written++;
            offset++
        }
    :: else -> break
    od;
    rings[w].written = written
}

inline end_parts()
{
    put_nothing(reserved);
    rings[w].written = reserved;
    d_step { written = reserved; reserved = 0; in_parts = 0; offset = 0 }
}

/* Room for a head is kept behind each message. */
#ifdef PLANT_GROWS_IN_PARTS
#define CAN_MOVE true
#else
#define CAN_MOVE (!in_parts)
#endif
inline publish_moved(to)
{
    assert(in_parts || ROOM(1));
    put_head(written, 0, to);
    rings[w].kind[written % rings[w].capacity] = MOVED;
    written++
}

inline publish_left()
{
    assert(ROOM(1));
    put_head(written, 0, 0);
    rings[w].kind[written % rings[w].capacity] = LEFT;
    written++
}

/* --- The reader's end: `r` is its ring, `position` where the next head is, or the next bytes of a message in
   parts.  A message is open if `kind` is not NOTHING. --- */

#define KIND_HERE rings[r].kind[position % rings[r].capacity]
#define HAS_COME (r != NONE && kind == NOTHING && KIND_HERE != NOTHING && KIND_HERE != LEFT)
#define IS_LEFT (r != NONE && kind == NOTHING && KIND_HERE == LEFT)

#define give_back(to) position = to; rings[r].read = position

/* Looks at a head that has come.  Nobody has thrown an operation away, so none of its messages may be. */
inline look(number)
{
    d_step {
        kind = KIND_HERE;
        assert(kind != DATA && kind != NOTHING);
        tag = rings[r].tag[position % rings[r].capacity];
        length = rings[r].length[position % rings[r].capacity]
    }
    if
    :: kind == SKIP ->
        give_back(position + 1 + length);
        kind = NOTHING
    :: kind == MOVED ->
        give_back(position + 1);
        d_step { r = length; position = 0; kind = NOTHING }
    :: else ->
        assert(tag >= number);
        begin = position;
        if
        :: kind >= IN_PARTS -> d_step { kind = kind - IN_PARTS; in_parts = 1; offset = 0 }
        :: else
        fi
    fi
}

/* Is all of its data that message's? */
inline check_whole(message)
{
    d_step {
        at = 1;
        do
        :: at <= length ->
            assert(rings[r].content[(begin + at) % rings[r].capacity] == message);
            at++
        :: else -> break
        od;
        at = 0
    }
}

inline close_message()
{
#ifdef PLANT_NOTHING_AFTER_READ
    if
    :: rings[r].is_fixed -> give_back(position + rings[r].capacity / 2)
    :: else -> give_back(begin + length + 1)
    fi;
#endif
    if
    :: rings[r].is_fixed -> rings[r].kind[begin % rings[r].capacity] = NOTHING
    :: else
    fi;
#ifndef PLANT_NOTHING_AFTER_READ
    if
    :: rings[r].is_fixed -> give_back(begin + rings[r].capacity / 2)
    :: else -> give_back(begin + length + 1)
    fi;
#endif
    d_step { kind = NOTHING; tag = 0; length = 0; begin = 0 }
}

/* For a message in parts: are there bytes that have not been read?  The head goes back with the first. */
#define HAS_PART \
    (offset < length && (offset == 0 -> rings[r].written >= position + 2 : rings[r].written > position))
#ifdef PLANT_COMPLETE_TOO_EARLY
#define IS_COMPLETE (offset == length)
#else
#define IS_COMPLETE (offset == length && rings[r].written >= begin + length + 2)
#endif

inline read_part(message)
{
    if
    :: offset == 0 -> position++
    :: else
    fi;
    do
    :: offset < length && rings[r].written > position ->
        assert(rings[r].content[position % rings[r].capacity] == message);
        d_step { position++; offset++ }
    :: else -> break
    od;
    rings[r].read = position
}

inline close_parts()
{
    give_back(begin + length + 2);
    d_step { kind = NOTHING; tag = 0; length = 0; begin = 0; in_parts = 0; offset = 0 }
}
