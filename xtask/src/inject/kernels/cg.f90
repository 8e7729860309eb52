! Conjugate gradients for the Laplacian in one dimension, its rows spread over the ranks: halos by requests, sums by all.
module exchange
   use mpi
   implicit none
contains
   subroutine halo(x, n, left, right)
      integer, intent(in) :: n, left, right
      double precision, intent(inout) :: x(0:n + 1)
      integer :: requests(4), error
      call MPI_Irecv(x(0), 1, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1), error)
      call MPI_Irecv(x(n + 1), 1, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2), error)
      call MPI_Isend(x(1), 1, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(3), error)
      call MPI_Isend(x(n), 1, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(4), error)
      call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)
   end subroutine

   double precision function dot(a, b, n)
      integer, intent(in) :: n
      double precision, intent(in) :: a(0:n + 1), b(0:n + 1)
      double precision :: own
      integer :: error
      own = sum(a(1:n)*b(1:n))
      call MPI_Allreduce(own, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
   end function
end module

program cg
   use exchange
   implicit none
   integer, parameter :: n = 2000, outer = 8, inner = 40
   double precision :: x(0:n + 1), r(0:n + 1), p(0:n + 1), q(0:n + 1), rho, next, alpha
   integer :: rank, ranks, left, right, error, i, j, step
   call MPI_Init(error)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
   left = merge(MPI_PROC_NULL, rank - 1, rank == 0)
   right = merge(MPI_PROC_NULL, rank + 1, rank == ranks - 1)
   do step = 1, outer
      x = 0; r = 0; p = 0; q = 0
      do j = 1, n
         r(j) = sin(dble(rank*n + j)*step)
      end do
      p = r
      rho = dot(r, r, n)
      do i = 1, inner
         call halo(p, n, left, right)
         do j = 1, n
            q(j) = 2.01d0*p(j) - p(j - 1) - p(j + 1)
         end do
         alpha = rho/dot(p, q, n)
         x(1:n) = x(1:n) + alpha*p(1:n)
         r(1:n) = r(1:n) - alpha*q(1:n)
         next = dot(r, r, n)
         p(1:n) = r(1:n) + next/rho*p(1:n)
         rho = next
      end do
      if (rank == 0) print '(a, i4, a, es12.4)', 'step', step, ': residual ', sqrt(rho)
      call MPI_Barrier(MPI_COMM_WORLD, error)
   end do
   call MPI_Finalize(error)
end program
