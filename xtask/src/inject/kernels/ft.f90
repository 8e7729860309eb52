! Transposes between all ranks, as a Fourier transform in several dimensions has them, with a checksum for the first rank after each.
program ft
   use mpi
   implicit none
   integer, parameter :: block = 2000, steps = 150
   double complex, allocatable :: field(:), turned(:), phases(:)
   double complex :: own, total
   integer :: rank, ranks, error, step, i
   call MPI_Init(error)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
   allocate (field(block*ranks), turned(block*ranks), phases(block*ranks))
   if (rank == 0) then
      do i = 1, size(phases)
         phases(i) = exp(dcmplx(0d0, 1d-3*i))
      end do
   end if
   call MPI_Bcast(phases, size(phases), MPI_DOUBLE_COMPLEX, 0, MPI_COMM_WORLD, error)
   field = dcmplx(1d0, rank)
   do step = 1, steps
      call evolve()
      call MPI_Alltoall(field, block, MPI_DOUBLE_COMPLEX, turned, block, MPI_DOUBLE_COMPLEX, MPI_COMM_WORLD, error)
      field = turned
      call evolve()
      own = sum(field(1:size(field):7))
      call MPI_Reduce(own, total, 1, MPI_DOUBLE_COMPLEX, MPI_SUM, 0, MPI_COMM_WORLD, error)
      if (rank == 0 .and. mod(step, 25) == 0) print '(a, i4, a, 2es12.4)', 'step', step, ': ', total
   end do
   call MPI_Finalize(error)
contains
   subroutine evolve()
      integer :: pass
      do pass = 1, 4
         field = field*phases
         field(2:) = 0.5d0*(field(2:) + field(:size(field) - 1))
      end do
   end subroutine
end program
