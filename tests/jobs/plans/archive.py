"""Writes an archive of OTF2, by its own library, of a made-up run whose clocks are apart: argv[1] is its directory, argv[2] the seed, argv[3] the number of ranks.

Prints a line of JSON: how many messages there are, and how many of them end before they begin, by the clocks."""

import json
import random
import shutil
import sys

import otf2
from otf2.enums import (
    CollectiveOp, GroupType, LocationGroupType, LocationType, LockType, Paradigm, RmaSyncLevel, RmaSyncType)

NO_ROOT = 4294967295
TURNS = 12

directory, seed, ranks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
shutil.rmtree(directory, ignore_errors=True)
skew = [chance.randrange(0, 400_000) for _ in range(ranks)]
now = [1_000_000 + chance.randrange(1000) for _ in range(ranks)]
messages = backwards = 0


def spend(rank, most):
    now[rank] += 1 + chance.randrange(most)
    return now[rank]


def by_clock(rank, time):
    return time + skew[rank]


with otf2.writer.open(directory, timer_resolution=1_000_000_000) as trace:
    known = trace.definitions
    machine = known.system_tree_node("machine", class_name="machine")
    locations = []
    for rank in range(ranks):
        node = known.system_tree_node(f"node{rank // 2}", class_name="node", parent=machine)
        process = known.location_group(
            f"MPI Rank {rank}", system_tree_parent=node, location_group_type=LocationGroupType.PROCESS)
        # Ranks are no locations: the first of these is no rank.
        if rank == 0:
            known.location("helper", type=LocationType.CPU_THREAD, group=process)
        locations.append(known.location("Master thread", type=LocationType.CPU_THREAD, group=process))
    known.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=locations)

    def communicator(name, members):
        group = known.group(name, group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=members)
        return known.comm(name, group=group)

    world = communicator("MPI_COMM_WORLD", list(range(ranks)))
    # As the C program has them: half of the ranks, from the last one on.
    halves = [communicator(f"half {part}", [r for r in reversed(range(ranks)) if r % 2 == part]) for part in (0, 1)]
    window = known.rma_win("window, Remote: 3 <1>, Group: \"x\" <2>", comm=world)
    # Of the epochs of a window: each rank by itself, and all but it.
    alone = [known.group(f"alone {r}", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=[r])
             for r in range(ranks)]
    others = [known.group(f"others {r}", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI,
                          members=[o for o in range(ranks) if o != r]) for r in range(ranks)]
    writers = [trace.event_writer_from_location(location) for location in locations]
    region = {}

    def call(name):
        if name not in region:
            region[name] = known.region(name, paradigm=Paradigm.MPI)
        return region[name]

    work = known.region("work", paradigm=Paradigm.USER)

    def at(rank):
        return by_clock(rank, now[rank])

    def enter(rank, name):
        spend(rank, 50)
        writers[rank].enter(at(rank), call(name))
        spend(rank, 3)

    def leave(rank, name):
        spend(rank, 3)
        writers[rank].leave(at(rank), call(name))

    def send(rank, to, tag):
        enter(rank, "MPI_Send")
        writers[rank].mpi_send(at(rank), to, world, tag, 8)
        begun = now[rank]
        spend(rank, 20)
        leave(rank, "MPI_Send")
        return begun, begun + 10 + chance.randrange(2000)

    def receive(rank, source, tag, begun, arrives):
        global messages, backwards
        enter(rank, "MPI_Recv")
        now[rank] = max(now[rank], arrives)
        writers[rank].mpi_recv(at(rank), source, world, tag, 8)
        messages += 1
        backwards += at(rank) < by_clock(source, begun)
        leave(rank, "MPI_Recv")

    def collective(name, operation, comm, members, root, after):
        begun = {}
        for rank in members:
            enter(rank, name)
            writers[rank].mpi_collective_begin(at(rank))
            begun[rank] = now[rank]
        for rank in members:
            now[rank] = max([now[rank]] + [begun[other] for other in after(rank)]) + 1
            writers[rank].mpi_collective_end(at(rank), operation, comm, root, 8, 8)
            leave(rank, name)

    # Of processes and of memory: the enumeration counts bits, and does not combine them.
    both = RmaSyncLevel(3)

    def fences(members, has_ended_epoch):
        begun = {}
        for rank in members:
            enter(rank, "MPI_Win_fence")
            writers[rank].rma_collective_begin(at(rank))
            begun[rank] = now[rank]
        for rank in members:
            if has_ended_epoch:
                now[rank] = max(begun.values()) + 1
            spend(rank, 3)
            writers[rank].rma_collective_end(at(rank), CollectiveOp.BARRIER, both, window, NO_ROOT, 0, 0)
            leave(rank, "MPI_Win_fence")

    def put(rank, to):
        enter(rank, "MPI_Put")
        writers[rank].rma_put(at(rank), window, to, 8, 1)
        writers[rank].rma_op_complete_remote(at(rank), window, 1)
        leave(rank, "MPI_Put")

    def synchronises(rank, name, group):
        writers[rank].rma_group_sync(at(rank), both, window, group)
        leave(rank, name)

    def locks(rank, other):
        enter(rank, "MPI_Win_lock")
        writers[rank].rma_request_lock(at(rank), window, other, 0, LockType.EXCLUSIVE)
        writers[rank].rma_acquire_lock(at(rank), window, other, 0, LockType.EXCLUSIVE)
        leave(rank, "MPI_Win_lock")
        enter(rank, "MPI_Win_unlock")
        writers[rank].rma_release_lock(at(rank), window, other, 0)
        writers[rank].rma_sync(at(rank), window, other, RmaSyncType(0))
        writers[rank].rma_wait_change(at(rank), window)
        leave(rank, "MPI_Win_unlock")

    everybody = range(ranks)
    for rank in everybody:
        enter(rank, "MPI_Win_create")
        writers[rank].rma_win_create(at(rank), window)
        leave(rank, "MPI_Win_create")
    for turn in range(TURNS):
        for rank in everybody:
            writers[rank].enter(at(rank), work)
            spend(rank, 3000)
            writers[rank].leave(at(rank), work)
        # Along the ring, and to rank 0, which takes from anybody.
        sent = [send(rank, (rank + 1) % ranks, 4) for rank in everybody]
        for rank in everybody:
            left = (rank - 1) % ranks
            receive(rank, left, 4, *sent[left])
        sent = sorted((send(rank, 0, 2), rank) for rank in everybody if rank > 0)
        for (begun, arrives), rank in sorted(sent, key=lambda each: each[0][1]):
            receive(0, rank, 2, begun, arrives)
        # Requests, which end in another order than they begin.
        for rank in everybody:
            for request in (1, 2):
                enter(rank, "MPI_Irecv")
                writers[rank].mpi_irecv_request(at(rank), request)
                leave(rank, "MPI_Irecv")
        begun = {}
        for rank in everybody:
            for request, tag in ((3, 7), (4, 8)):
                enter(rank, "MPI_Isend")
                writers[rank].mpi_isend(at(rank), (rank + 2) % ranks, world, tag, 8, request)
                begun[rank, tag] = now[rank]
                leave(rank, "MPI_Isend")
        for rank in everybody:
            source = (rank - 2) % ranks
            enter(rank, "MPI_Waitall")
            for request, tag in ((2, 8), (1, 7)):
                now[rank] = max(now[rank], begun[source, tag]) + 1
                writers[rank].mpi_irecv(at(rank), source, world, tag, 8, request)
                messages += 1
                backwards += at(rank) < by_clock(source, begun[source, tag])
            for request in (3, 4):
                writers[rank].mpi_isend_complete(at(rank), request)
            leave(rank, "MPI_Waitall")
        # In halves, without blocking.
        begun = {}
        for rank in everybody:
            enter(rank, "MPI_Ibarrier")
            writers[rank].non_blocking_collective_request(at(rank), 9)
            begun[rank] = now[rank]
            leave(rank, "MPI_Ibarrier")
        for rank in everybody:
            enter(rank, "MPI_Wait")
            now[rank] = max([now[rank]] + [begun[other] for other in everybody if other % 2 == rank % 2]) + 1
            writers[rank].non_blocking_collective_complete(
                at(rank), CollectiveOp.BARRIER, halves[rank % 2], NO_ROOT, 0, 0, 9)
            leave(rank, "MPI_Wait")
        # A fence that ends no epoch is left before all have entered it: rank 0 sends then to who has not.
        fences([0], False)
        sent = send(0, 1, 30)
        receive(1, 0, 30, *sent)
        fences(everybody[1:], False)
        put(turn % ranks, 0)
        fences(everybody, True)
        # All others access the window of one.
        target = (turn + 1) % ranks
        enter(target, "MPI_Win_post")
        synchronises(target, "MPI_Win_post", others[target])
        begun = {}
        for rank in everybody:
            if rank == target:
                continue
            enter(rank, "MPI_Win_start")
            synchronises(rank, "MPI_Win_start", alone[target])
            spend(rank, 2000)
            enter(rank, "MPI_Win_complete")
            begun[rank] = now[rank]
            spend(rank, 5)
            synchronises(rank, "MPI_Win_complete", alone[target])
        enter(target, "MPI_Win_wait")
        now[target] = max([now[target], *begun.values()]) + 1
        messages += len(begun)
        backwards += sum(at(target) < by_clock(rank, time) for rank, time in begun.items())
        synchronises(target, "MPI_Win_wait", others[target])
        locks(target, 0)
        root = turn % ranks
        collective("MPI_Bcast", CollectiveOp.BCAST, world, everybody, root, lambda rank: [root])
        collective("MPI_Reduce", CollectiveOp.REDUCE, world, everybody, root,
                   lambda rank: everybody if rank == root else [])
        for part, half in enumerate(halves):
            members = [rank for rank in everybody if rank % 2 == part]
            collective("MPI_Scan", CollectiveOp.SCAN, half, members, NO_ROOT,
                       lambda rank: [other for other in members if other > rank])
        collective("MPI_Barrier", CollectiveOp.BARRIER, world, everybody, NO_ROOT, lambda rank: everybody)

print(json.dumps({"messages": messages, "backwards": backwards}))
