C     Fixed form, with jumps, labels that loops share, and loops that end in statements.
      SUBROUTINE SHARED(N)
      INTEGER N, I, J
      DO 10 I = 1, N
      DO 10 J = 1, 2
      CALL STAND
   10 CONTINUE
      DO 20 I = 1, N
   20 CALL STAND
      END

      SUBROUTINE JUMPS(N)
      INTEGER N, K
      K = 0
  100 K = K + 1
      CALL STAND
      IF (K .LT. N) GOTO 100
      K = 0
  200 IF (K - 2) 210, 220, 230
  210 CALL STAND
      GOTO 240
  220 CALL STAND
      CALL STAND
      GOTO 240
  230 CALL STAND
  240 K = K + 1
      IF (K .LE. 3) GOTO 200
      GOTO (310, 320, 330), N
  310 CALL STAND
  320 CALL STAND
  330 CALL STAND
      END

      SUBROUTINE REALS
      REAL X
      DO 40 X = 0.0, 1.0, 0.25
      CALL STAND
   40 CONTINUE
      END

      INTEGER FUNCTION SAVED()
      INTEGER COUNTER
      SAVE COUNTER
      DATA COUNTER /0/
      COUNTER = COUNTER + 1
      CALL STAND
      SAVED = COUNTER
      END

      PROGRAM OLD
      INTEGER HIDE, SAVED, IT, K
      EXTERNAL HIDE, SAVED
      DO 90 IT = 1, 3
      CALL SHARED(HIDE(3))
      CALL JUMPS(HIDE(2))
      CALL REALS
      K = SAVED() +
     &    SAVED()
      IF (K .GT. 3) CALL STAND
      WRITE (6, '(A)', ADVANCE='NO') ''
      CALL STAND
   90 CONTINUE
      CALL REPORT
      END
