#!/usr/bin/python3
"""Follows a plan as plan.c does, by mpi4py, which loads the MPI library when the program already runs."""
import os
import sys
import time
from array import array
from mpi4py import MPI

world = MPI.COMM_WORLD
half = world.Split(world.rank % 2, world.rank)
duplicate, request = world.Idup()
request.Wait()
communicators = [world, half, duplicate]
if "G" in os.environ["PLAN"]:
    near = [[(world.rank + sign * step) % world.size for step in (1, 2)] for sign in (-1, 1)]
    communicators.append(world.Create_dist_graph_adjacent(*near))
    communicators.append(world.Create_cart([world.size]))
one, other = array("i", [0]), array("i", [0])
pending, values = [], []
# Plans without epochs and locks need no windows.
shared = [array("i", [0]) for _ in range(3)]
windows = []
if set(os.environ["PLAN"]) & set("OTCVEKUN"):
    windows = [MPI.Win.Create(memory, 4, comm=world) for memory in shared]
    windows[1].Fence()


def group_of(bits):
    return world.Get_group().Incl([rank for rank in range(8) if bits >> rank & 1])


for step in os.environ["PLAN"].split("|")[world.rank].split():
    what, (c, peer, tag) = step[0], map(int, step[1:].split(","))
    # A fence is of a window, of which there is one.
    comm = communicators[c] if c < len(communicators) else world
    peer = peer // 2 if c == 1 else peer
    if what == "S":
        comm.Ssend(one, peer, tag)
    elif what == "I":
        pending.append(comm.Issend(one, peer, tag))
    elif what == "R":
        comm.Recv(other, peer, tag)
    elif what == "Q":
        values.append(array("i", [0]))
        pending.append(comm.Irecv(values[-1], peer, tag))
    elif what == "X":
        comm.Sendrecv(one, peer, tag, other, peer, tag)
    elif what == "W":
        MPI.Request.Waitall(pending)
        pending = []
    elif what == "B":
        comm.Barrier()
    elif what == "A":
        comm.Allreduce(one, other)
    elif what == "G":
        two = [array("i", [0, 0]), array("i", [0, 0])]
        if tag == 0:
            comm.Neighbor_allgather([two[0], 1], [two[1], 1])
        elif tag == 1:
            comm.Neighbor_alltoallv(*[[each, [1, 1], [0, 1], MPI.INT] for each in two])
        else:
            comm.Ineighbor_alltoall(*[[each, 1, MPI.INT] for each in two]).Wait()
    elif what == "O":
        windows[0].Post(group_of(peer))
    elif what == "T":
        windows[0].Start(group_of(peer))
    elif what == "C":
        windows[0].Complete()
    elif what == "V":
        windows[0].Wait()
    elif what == "E":
        windows[1].Fence()
    elif what in "KN":
        windows[2].Lock(peer, MPI.LOCK_EXCLUSIVE)
        windows[2].Accumulate(one, peer)
        windows[2].Flush(peer) if what == "K" else windows[2].Unlock(peer)
    elif what == "U":
        windows[2].Unlock(peer)
    elif what == "F":
        MPI.Finalize()
        sys.exit()
    else:
        break
while True:
    time.sleep(1)
