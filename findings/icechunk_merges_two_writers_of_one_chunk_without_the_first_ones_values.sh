#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: icechunk 1.1.21, the newest one for Python 3.11, with zarr 3.1.6 and NumPy 2.4.6.
# Expected: two processes of a job, with sessions of fork(), write the cells 0 1 and 2 ... 5 of an array in
# chunks of 4. merge() keeps both, or refuses a chunk that both have changed, as a rebase of two commits does.
# Seen: merge() takes the chunk of the last one, with the old values in the other one's cells, and commit()
# goes well. Which cells are lost depends on the order of the sessions alone.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile icechunk==1.1.21 zarr==3.1.6 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import icechunk
import zarr

icechunk.set_logs_filter("error")
repository = icechunk.Repository.create(icechunk.local_filesystem_storage("repository"))
session = repository.writable_session("main")
u = zarr.group(session.store).create_array("u", shape=(8,), chunks=(4,), dtype="i4", fill_value=0)
u[:] = 9
session.commit("nines")


def write(session, cells, value):
    zarr.open_group(session.store)["u"][cells] = value


for last in "second", "first":
    session = repository.writable_session("main")
    first, second = session.fork(), session.fork()
    write(first, slice(0, 2), 1)
    write(second, slice(2, 6), 2)
    session.merge(*((first, second) if last == "second" else (second, first)))
    session.commit(f"the {last} one last")
    print(f"merge, the {last} one last:", *zarr.open_group(session.store, mode="r")["u"][:])
    session = repository.writable_session("main")
    write(session, slice(None), 9)
    session.commit("nines again")
first, second = (repository.writable_session("main") for _ in range(2))
write(first, slice(0, 2), 1)
write(second, slice(2, 6), 2)
first.commit("one")
try:
    second.commit("two", rebase_with=icechunk.ConflictDetector())
except icechunk.RebaseFailedError as error:
    for conflict in error.conflicts:
        print("rebase:", conflict.conflict_type, conflict.path, conflict.conflicted_chunks)
END
timeout 100 v/bin/python t.py >seen || exit 2
cat seen
cat >expected <<'END'
merge, the second one last: 9 9 2 2 2 2 9 9
merge, the first one last: 1 1 9 9 2 2 9 9
rebase: Chunk double update /u [[0]]
END
cmp -s expected seen
