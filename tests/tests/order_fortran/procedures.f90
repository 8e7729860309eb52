! Procedures in modules and in others, what they do to each other's variables, and what is handed over.
module first
  implicit none
  private
  integer :: step = 0
  public :: run, work
contains
  subroutine work(k)
    integer, intent(inout) :: k
    call stand()
    k = k + 1
  end subroutine work

  subroutine run()
    step = 0
    do while (step < 3)
      call work(step)
      call stand()
    end do
  end subroutine run
end module first

module second
  implicit none
  private
  integer :: step = 7
  public :: run_second
contains
  subroutine work(k)
    integer, intent(in) :: k
    if (k > 0) call stand()
    call stand()
  end subroutine work

  subroutine run_second()
    integer :: i
    do i = 1, 3
      step = step - 2
      call work(step)
    end do
  end subroutine run_second
end module second

module objects
  implicit none
  type :: shape
    integer :: sides = 0
  contains
    procedure :: turn => turn_shape
  end type shape
  type, extends(shape) :: square
    integer :: corner = 0
  contains
    procedure :: turn => turn_square
    final :: done
  end type square
  interface operator(+)
    module procedure plus
  end interface operator(+)
contains
  subroutine turn_shape(self, n)
    class(shape), intent(inout) :: self
    integer, intent(in) :: n
    self%sides = self%sides + n
    call stand()
  end subroutine turn_shape

  subroutine turn_square(self, n)
    class(square), intent(inout) :: self
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      self%corner = self%corner + 1
      call stand()
    end do
    call self%shape%turn(n)
  end subroutine turn_square

  subroutine done(self)
    type(square), intent(inout) :: self
    call stand()
    self%corner = 0
  end subroutine done

  function plus(a, b) result(c)
    type(shape), intent(in) :: a, b
    type(shape) :: c
    call stand()
    c%sides = a%sides + b%sides
  end function plus
end module objects

subroutine commons()
  implicit none
  integer :: a, b, i
  common /shared/ a, b
  a = 0
  do while (a < 4)
    call stand()
    call other_name()
  end do
  do i = 1, 3
    b = i
    call stand()
    call other_name()
  end do
end subroutine commons

subroutine other_name()
  implicit none
  integer :: z(2)
  common /shared/ z
  z(1) = z(1) + 1
  call stand()
  z(2) = 9
end subroutine other_name

subroutine overlaid()
  implicit none
  integer :: i, j
  equivalence (i, j)
  i = 0
  do while (i < 6)
    call stand()
    j = j + 3
    call stand()
    i = i - 1
  end do
end subroutine overlaid

subroutine set(k, to)
  implicit none
  integer :: k, to
  k = to
  call stand()
end subroutine set

integer function next(k)
  implicit none
  integer, intent(in) :: k
  call stand()
  next = k + 1
end function next

subroutine entries(n)
  implicit none
  integer :: n, i
  do i = 1, n
    call stand()
  end do
  entry later(n)
  call stand()
  n = n + 1
  call stand()
end subroutine entries

program procedures
  use first
  use second
  use objects
  implicit none
  integer, external :: hide, next
  integer :: it, k, m
  integer, target :: aimed
  integer, pointer :: arrow
  type(square) :: box
  type(shape) :: sum
  class(shape), allocatable :: any
  do it = 1, 2
    call run()
    call run_second()
    k = 0
    do while (k < 5)
      call stand()
      call set(k, k + 2)
    end do
    k = 0
    do
      k = next(k)
      if (k > 3) exit
      call stand()
    end do
    arrow => aimed
    aimed = 0
    do while (aimed < 3)
      call stand()
      arrow = arrow + 1
    end do
    m = 0
    do while (m < 3)
      call within(2)
      call stand()
    end do
    call commons()
    call overlaid()
    k = hide(2)
    call entries(k)
    call later(k)
    call box%turn(2)
    sum = box%shape + box%shape
    allocate (square :: any)
    call any%turn(1)
    deallocate (any)
    call stand()
    if (next(k) > 2 .and. next(m) > 0) call stand()
    call twice(next(k) + next(m))
  end do
  call report()
contains
  subroutine within(n)
    integer, intent(in) :: n
    integer :: j
    do j = 1, n
      call stand()
    end do
    m = m + 1
  end subroutine within

  subroutine twice(n)
    integer, value :: n
    if (n > 100) return
    call stand()
    call within(1)
  end subroutine twice
end program procedures
