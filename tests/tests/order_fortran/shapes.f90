! What changes counters and calls in other ways than by their names: pointers, members, arrays, procedures that are handed over, namelists, threads, submodules.
module counters
  implicit none
  type :: state
    integer :: it = 0
    integer :: hist(3) = 0
    integer, pointer :: p => null()
    procedure(worker), pointer, nopass :: act => null()
  end type state
  abstract interface
    subroutine worker(n)
      integer, intent(inout) :: n
    end subroutine worker
  end interface
  type(state), target :: world
  integer, allocatable :: many(:)
  integer, parameter :: limit = 3
  interface
    module subroutine elsewhere(n)
      integer, intent(in) :: n
    end subroutine elsewhere
  end interface
  interface run
    procedure run_int, run_real
  end interface run
contains
  subroutine adds(n)
    integer, intent(inout) :: n
    call stand()
    n = n + 1
  end subroutine adds

  subroutine resets(n)
    integer, intent(inout) :: n
    call stand()
    if (n == 2) n = 3
    n = n + 1
    call stand()
  end subroutine resets

  subroutine members()
    type(state), target :: s
    integer, pointer :: q
    s%it = 0
    do while (s%it < 4)
      call stand()
      s%it = s%it + 1
    end do
    s%hist = 0
    do while (s%hist(2) < 3)
      call stand()
      s%hist(2) = s%hist(2) + 1
      s%hist(1) = s%hist(1) - 1
    end do
    s%p => s%it
    s%it = 5
    do while (s%it > 1)
      call stand()
      s%p = s%p - 1
    end do
    q => world%hist(3)
    q = 0
    do while (world%hist(3) < 3)
      call stand()
      q = q + 1
    end do
    s%act => adds
    world%it = 0
    do while (world%it < 3)
      call s%act(world%it)
    end do
    s%act => resets
    world%it = 0
    do while (world%it < 5)
      call s%act(world%it)
      call stand()
    end do
  end subroutine members

  subroutine through(f, n)
    procedure(worker) :: f
    integer, intent(in) :: n
    integer :: i, k
    k = 0
    do i = 1, n
      call f(k)
      call stand()
    end do
    do while (k < 9)
      call f(k)
    end do
  end subroutine through

  subroutine run_int(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call stand()
    end do
  end subroutine run_int

  subroutine run_real(x)
    real, intent(in) :: x
    real :: y
    y = 0
    do while (y < x)
      y = y + 0.5
      call stand()
    end do
  end subroutine run_real

  subroutine alias(a, b)
    integer, target, intent(inout) :: a, b
    a = 0
    do while (a < 4)
      call stand()
      b = b + 1
      if (a < b) a = b
    end do
  end subroutine alias

  recursive function fact(n) result(r)
    integer, intent(in) :: n
    integer :: r
    call stand()
    if (n < 2) then
      r = 1
      return
    end if
    r = n * fact(n - 1)
    call stand()
  end function fact
end module counters

submodule (counters) far
contains
  module procedure elsewhere
    integer :: i
    each: do i = 1, n
      check: if (i > 0) then
        call stand()
        if (i == 2) exit check
        call stand()
      end if check
      call stand()
    end do each
  end procedure elsewhere
end submodule far

subroutine optionals(a, b)
  implicit none
  integer, intent(in) :: a
  integer, optional, intent(inout) :: b
  integer :: i
  do i = 1, a
    if (present(b)) then
      b = b + 1
      call stand()
    end if
    call stand()
  end do
end subroutine optionals

subroutine saved(n)
  implicit none
  integer, intent(in) :: n
  integer, save :: times = 0
  integer :: i
  times = times + 1
  do i = times, times + n
    call stand()
  end do
end subroutine saved

program shapes
  use counters
  implicit none
  interface
    subroutine optionals(a, b)
      integer, intent(in) :: a
      integer, optional, intent(inout) :: b
    end subroutine optionals
  end interface
  integer, external :: hide
  integer :: it, k, m, n(2)
  integer, allocatable :: c
  integer(8) :: big
  character(len=20) :: line
  logical :: more
  namelist /input/ k, m
  do it = 1, 2
    call members()
    call through(adds, 3)
    call through(resets, 2)
    call run(2)
    call run(1.5)
    k = 0
    m = 0
    call alias(k, m)
    m = fact(hide(4))
    call elsewhere(3)
    call optionals(2)
    k = 0
    call optionals(2, k)
    call saved(2)
    allocate (many(3))
    many = 0
    do while (many(1) < 3)
      many = many + 1
      call stand()
    end do
    deallocate (many)
    allocate (c)
    c = 0
    do
      c = c + 1
      if (c > 3) exit
      call stand()
    end do
    deallocate (c)
    do big = huge(1_8) - 3_8, huge(1_8) - 1_8
      call stand()
    end do
    line = '&input k=2, m=7 /'
    k = 0
    do while (k < 4)
      call stand()
      if (k == 1) read (line, nml=input)
      k = k + 1
    end do
    k = 0
    do while (k < 3)
      write (line, '(i4)') k + 1
      read (line, *) k
      call stand()
    end do
    more = .true.
    n = 0
    do while (more)
      n(1) = n(1) + 1
      call swap(n(1), n(2))
      call stand()
      more = n(2) < 3
    end do
    associate (x => world%it)
      x = 0
      do while (x < 3)
        call stand()
        x = x + 1
      end do
    end associate
    !$omp parallel do
    do m = 1, 4
      k = m
    end do
    do m = 1, 6
      if (m == 2) then
        call stand()
        cycle
      end if
      select case (m)
      case (3)
        call stand()
      case (4:)
        if (m == 5) exit
        call stand()
      end select
      call stand()
    end do
    goto 20
10  call stand()
    goto 30
20  call stand()
    goto 10
30  call stand()
  end do
  call report()
contains
  subroutine swap(a, b)
    integer, intent(inout) :: a, b
    integer :: t
    t = a
    a = b
    b = t + 1
    call stand()
  end subroutine swap
end program shapes
