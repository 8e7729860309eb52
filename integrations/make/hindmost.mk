# Programs that make builds get their progress map: the recipe that links one ends in $(hindmost-map).
#
#   include hindmost.mk
#   app: main.o work.o
#   	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
#   	$(hindmost-map)
#
# The map goes into the program; with HINDMOST_SIDECAR=1 it is written beside it, as PROGRAM.hmap. Without hindmost, or when no map can
# be made (the build has no -g), the build goes on and says so; with HINDMOST_REQUIRED=1 it fails. HINDMOST names the command, if it is not on the
# PATH.

HINDMOST ?= hindmost

hindmost-map = @$(HINDMOST) $(if $(HINDMOST_SIDECAR),map -q --exe '$@',embed -q '$@')|| $(if $(HINDMOST_REQUIRED),{ rm -f '$@'; exit 1; },echo '$@ gets no progress map')
