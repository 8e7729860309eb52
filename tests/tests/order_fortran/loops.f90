! Loops of every kind that Fortran has, with what leaves them or goes on with them early.
module shapes
  implicit none
  integer :: level = 0
contains
  subroutine counted(n)
    integer, intent(in) :: n
    integer :: i, j
    do i = 1, n
      call stand()
      do j = n, 1, -1
        if (mod(i + j, 3) == 0) cycle
        call stand()
      end do
      call stand()
    end do
    do i = 10, 1
      call stand()
    end do
    do i = 1, 20, 7
      call stand()
    end do
    do i = -4, 4, 4
      call stand(); call stand()
    end do
  end subroutine counted

  subroutine named(n)
    integer, intent(in) :: n
    integer :: i, j, k
    outer: do i = 1, n
      inner: do j = 1, n
        if (j == 2) cycle inner
        if (i == 3) cycle outer
        do k = 1, 2
          call stand()
          if (i + j + k > 9) exit outer
        end do
      end do inner
      call stand()
    end do outer
    call stand()
  end subroutine named

  subroutine endless(n)
    integer, intent(in) :: n
    integer :: k, turn
    k = 0
    do
      k = k + 1
      if (k > n) exit
      call stand()
      if (mod(k, 2) == 0) cycle
      call stand()
    end do
    do while (k > 0)
      k = k - 2
      call stand()
    end do
    turn = 0
    do while (turn < 3)
      call stand()
      turn = turn + 1
    end do
  end subroutine endless

  subroutine stepped(a, b, by)
    integer, intent(in) :: a, b, by
    integer :: i
    do i = a, b, by
      call stand()
    end do
  end subroutine stepped

  subroutine cases(n)
    integer, intent(in) :: n
    integer :: i
    character(len=4) :: word
    do i = 1, n
      select case (i)
      case (1)
        call stand()
      case (2:3)
        call stand()
        word = 'two'
      case (4, 6)
        call stand()
        word = 'four'
      case default
        call stand()
        word = 'else'
      end select
      select case (word)
      case ('two')
        call stand()
      case default
        if (i > 2) then
          call stand()
        else if (i > 1) then
          call stand()
        else
          call stand()
        end if
      end select
    end do
  end subroutine cases

  subroutine leveled()
    do level = 1, 4
      call stand()
      if (level == 3) exit
    end do
    level = 0
    do while (level < 3)
      call raise()
      call stand()
    end do
  end subroutine leveled

  subroutine raise()
    level = level + 1
  end subroutine raise

  subroutine kinds()
    integer(8) :: long
    integer(1) :: short
    real :: x
    do long = 5000000000_8, 5000000003_8
      call stand()
    end do
    do short = 120_1, 126_1, 2_1
      call stand()
    end do
    x = 0.5
    do while (x < 3.0)
      x = x + 0.75
      call stand()
    end do
  end subroutine kinds

  recursive subroutine deep(n)
    integer, intent(in) :: n
    call stand()
    if (n > 0) then
      call deep(n - 1)
      call stand()
      call deep(n - 2)
    end if
    call stand()
  end subroutine deep
end module shapes

program loops
  use shapes
  implicit none
  integer, external :: hide
  integer :: it, i
  do it = 1, 3
    call counted(hide(3))
    call named(hide(4))
    call endless(hide(it + 2))
    call stepped(1, 9, hide(4))
    call stepped(9, 1, hide(-3))
    call cases(hide(6))
    call leveled()
    call kinds()
    call deep(hide(3))
    call stand()
  end do
  block
    integer :: it
    do it = 1, 2
      call stand()
    end do
  end block
  do concurrent (i = 1:3)
    it = i
  end do
  do i = 1, hide(3)
    if (i == 2) call stand()
    call stand()
  end do
  call report()
end program loops
