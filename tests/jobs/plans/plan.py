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
one, other = array("i", [0]), array("i", [0])
pending, values = [], []
for step in os.environ["PLAN"].split("|")[world.rank].split():
    what, (c, peer, tag) = step[0], map(int, step[1:].split(","))
    comm = communicators[c]
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
    elif what == "F":
        MPI.Finalize()
        sys.exit()
    else:
        break
while True:
    time.sleep(1)
