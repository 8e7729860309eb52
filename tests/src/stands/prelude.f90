! In both forms of the source. What leads to MPI is known to have effects.
      subroutine stand()
        call mpi_stand()
      end subroutine stand

      subroutine tick(x)
        integer, intent(inout) :: x
        call stand()
        x = x + 0
      end subroutine tick

