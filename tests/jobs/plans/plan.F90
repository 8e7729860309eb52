! Follows a plan as plan.c does, in one of Fortran's three bindings: with F08 that of the module mpi_f08, with MODULE that of the module mpi, else that of
! mpif.h. Fortran has its own names for the same functions, and each library its own way from these to those of C.
#if defined(F08)
#define OBJECT(kind) type(kind)
#else
#define OBJECT(kind) integer
#endif
program plan
#if defined(F08)
    use mpi_f08
#elif defined(MODULE)
    use mpi
#endif
    implicit none
#if !defined(F08) && !defined(MODULE)
    include 'mpif.h'
#endif
    integer, parameter :: most = 64
    integer :: rank, pending, length, i, c, peer, tag, failed
    integer :: one(1), other(1), values(1, most), given(2), taken(2)
    character(len=8192) :: text
    character(len=1) :: what
    OBJECT(MPI_Comm) :: comms(0:5), comm
    OBJECT(MPI_Request) :: requests(most)
    OBJECT(MPI_Win) :: windows(0:2)
    OBJECT(MPI_Group) :: everybody, group
    integer(MPI_ADDRESS_KIND), parameter :: bytes = 4, begin = 0
    integer, save :: shared(1, 0:2)

    call MPI_Init(failed)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, failed)
    comms(0) = MPI_COMM_WORLD
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, comms(1), failed)
    call MPI_Comm_idup(MPI_COMM_WORLD, comms(2), requests(1), failed)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, failed)
    call MPI_Comm_group(MPI_COMM_WORLD, everybody, failed)
    call get_environment_variable('PLAN', text)
    ! Nor do those without neighbours need a ring and a line.
    if (index(text, 'G') > 0) then
        call MPI_Comm_size(MPI_COMM_WORLD, length, failed)
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, [modulo(rank - 1, length), modulo(rank - 2, length)], &
            MPI_UNWEIGHTED, 2, [modulo(rank + 1, length), modulo(rank + 2, length)], MPI_UNWEIGHTED, MPI_INFO_NULL, &
            .false., comms(3), failed)
        call MPI_Cart_create(MPI_COMM_WORLD, 1, [length], [.false.], .false., comms(4), failed)
    end if
    ! Plans without epochs and locks need no windows.
    if (scan(text, 'OTCVEKUN') > 0) then
        do i = 0, 2
            call MPI_Win_create(shared(:, i), bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, windows(i), failed)
        end do
        call MPI_Win_fence(0, windows(1), failed)
    end if
    do i = 1, rank
        text = text(index(text, '|') + 1:)
    end do
    if (index(text, '|') > 0) text = text(:index(text, '|') - 1)
    text = adjustl(text)
    pending = 0
    one = 0
    given = 0
    do while (len_trim(text) > 0)
        length = index(text, ' ') - 1
        what = text(1:1)
        read (text(2:length), *) c, peer, tag
        text = adjustl(text(length + 1:))
        if (c == 1) peer = peer / 2
        comm = comms(c)
        select case (what)
        case ('S')
            call MPI_Ssend(one, 1, MPI_INTEGER, peer, tag, comm, failed)
        case ('I')
            pending = pending + 1
            call MPI_Issend(one, 1, MPI_INTEGER, peer, tag, comm, requests(pending), failed)
        case ('R')
            call MPI_Recv(other, 1, MPI_INTEGER, peer, tag, comm, MPI_STATUS_IGNORE, failed)
        case ('Q')
            pending = pending + 1
            call MPI_Irecv(values(1, pending), 1, MPI_INTEGER, peer, tag, comm, requests(pending), failed)
        case ('X')
            call MPI_Sendrecv(one, 1, MPI_INTEGER, peer, tag, other, 1, MPI_INTEGER, peer, tag, comm, MPI_STATUS_IGNORE, failed)
        case ('W')
            call MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE, failed)
            pending = 0
        case ('B')
            call MPI_Barrier(comm, failed)
        case ('A')
            call MPI_Allreduce(one, other, 1, MPI_INTEGER, MPI_SUM, comm, failed)
        case ('G')
            select case (tag)
            case (0)
                call MPI_Neighbor_allgather(given, 1, MPI_INTEGER, taken, 1, MPI_INTEGER, comm, failed)
            case (1)
                call MPI_Neighbor_alltoallv(given, [1, 1], [0, 1], MPI_INTEGER, taken, [1, 1], [0, 1], MPI_INTEGER, comm, failed)
            case default
                call MPI_Ineighbor_alltoall(given, 1, MPI_INTEGER, taken, 1, MPI_INTEGER, comm, requests(most), failed)
                call MPI_Wait(requests(most), MPI_STATUS_IGNORE, failed)
            end select
        case ('O', 'T')
            call MPI_Group_incl(everybody, popcnt(peer), pack([(i, i=0, 7)], [(btest(peer, i), i=0, 7)]), group, failed)
            if (what == 'O') call MPI_Win_post(group, 0, windows(0), failed)
            if (what == 'T') call MPI_Win_start(group, 0, windows(0), failed)
            call MPI_Group_free(group, failed)
        case ('C')
            call MPI_Win_complete(windows(0), failed)
        case ('V')
            call MPI_Win_wait(windows(0), failed)
        case ('E')
            call MPI_Win_fence(0, windows(1), failed)
        case ('K', 'N')
            call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, peer, 0, windows(2), failed)
            call MPI_Accumulate(one, 1, MPI_INTEGER, peer, begin, 1, MPI_INTEGER, MPI_SUM, windows(2), failed)
            if (what == 'K') call MPI_Win_flush(peer, windows(2), failed)
            if (what == 'N') call MPI_Win_unlock(peer, windows(2), failed)
        case ('U')
            call MPI_Win_unlock(peer, windows(2), failed)
        case ('L')
            exit
        case ('F')
            call MPI_Finalize(failed)
            stop
        case default
            error stop 4
        end select
    end do
    do
        call sleep(1)
    end do
end program plan
