! Symmetric successive over-relaxation in wavefronts: planes go from the first rank to the last, and back; all learn the norm now and then.
program lu
   use mpi
   implicit none
   integer, parameter :: planes = 24, width = 400, steps = 20
   double precision :: u(width, 0:planes + 1), edge(width), own, norm
   integer :: rank, ranks, error, step, k
   call MPI_Init(error)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
   u = 1d0 + rank
   do step = 1, steps
      do k = 1, planes
         call lower(k)
      end do
      do k = planes, 1, -1
         call upper(k)
      end do
      if (mod(step, 5) == 0) then
         own = sum(u*u)
         call MPI_Allreduce(own, norm, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
         if (rank == 0) print '(a, i4, a, es12.4)', 'step', step, ': norm ', sqrt(norm)
      end if
   end do
   call MPI_Finalize(error)
contains
   subroutine lower(k)
      integer, intent(in) :: k
      edge = 0
      if (rank > 0) call MPI_Recv(edge, width, MPI_DOUBLE_PRECISION, rank - 1, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call relax(k, edge)
      if (rank < ranks - 1) call MPI_Send(u(1, k), width, MPI_DOUBLE_PRECISION, rank + 1, 10, MPI_COMM_WORLD, error)
   end subroutine

   subroutine upper(k)
      integer, intent(in) :: k
      edge = 0
      if (rank < ranks - 1) call MPI_Recv(edge, width, MPI_DOUBLE_PRECISION, rank + 1, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call relax(k, edge)
      if (rank > 0) call MPI_Send(u(1, k), width, MPI_DOUBLE_PRECISION, rank - 1, 20, MPI_COMM_WORLD, error)
   end subroutine

   subroutine relax(k, beside)
      integer, intent(in) :: k
      double precision, intent(in) :: beside(width)
      integer :: i
      do i = 2, width - 1
         u(i, k) = 0.2d0*(u(i - 1, k) + u(i + 1, k) + u(i, k - 1) + u(i, k + 1) + beside(i))
      end do
   end subroutine
end program
