! Modules and what uses them, each compiled by itself: a variable is the same in all files, whatever it is called there.
module counters
  use iso_c_binding, only: c_int
  implicit none
  integer :: step = 0
  integer :: turned = 0
  integer(c_int), bind(c, name="of_c") :: shared = 0
  integer, target :: pointed = 0
  integer, private :: hidden = 0
contains
  subroutine advance()
    hidden = hidden + 1
    if (mod(hidden, 3) == 0) turned = turned - 2
  end subroutine advance
end module counters
! next file
! Another module with a variable of the same name.
module others
  implicit none
  integer :: step = 100
contains
  subroutine within()
    step = 100
    do while (step > 97)
      step = step - 1
      call stand()
    end do
  end subroutine within
end module others
! next file
! What changes the variables under other names.
subroutine back()
  use counters, only: renamed => step, shared
  implicit none
  if (mod(renamed, 4) == 2) then
    renamed = renamed + 1
  end if
  shared = shared + 1
end subroutine back

subroutine follow(where)
  use counters, only: pointed
  implicit none
  integer, pointer, intent(out) :: where
  where => pointed
end subroutine follow
! next file
subroutine read_it(text)
  use counters, only: step
  implicit none
  character(*), intent(in) :: text
  read(text, *) step
end subroutine read_it
! next file
program main
  use counters
  use others, only: within, step_of_others => step
  implicit none
  integer, pointer :: where
  character(20) :: text
  interface
    subroutine follow(where)
      integer, pointer, intent(out) :: where
    end subroutine follow
  end interface
  do
    step = step + 1
    call stand()
    write(text, *) step
    if (step >= 4) exit
  end do
  step = 0
  do
    step = step + 1
    call stand()
    call back()
    call within()
    if (step >= 9) exit
  end do
  step = 0
  do while (step < 6)
    step = step + 1
    call stand()
    if (step == 3) call read_it('1')
    if (turned == -4) step = 5
    call advance()
    call stand()
  end do
  shared = 0
  do while (shared < 5)
    call back()
    call stand()
    shared = shared + 1
    call stand()
  end do
  call follow(where)
  pointed = 0
  do while (pointed < 8)
    pointed = pointed + 2
    call stand()
    if (where == 4) where = 1
    if (where == 7) exit
    call stand()
  end do
  do step_of_others = 1, 3
    call stand()
  end do
  call report()
end program main
