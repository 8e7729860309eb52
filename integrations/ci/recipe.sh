#!/bin/sh
# What a CI job does with a program that it has built with -g. PROGRAM: the program. OUT: a directory for what is to be kept (app.hmap, check.json,
# check.sarif). BASE: the check.json that the same job has left for the branch to compare with; where there is none, MIN is the share of loops, in per
# cent, that must keep their variable. Either may be empty. Fails with status 1 if the build is not good enough.
set -eu
mkdir -p "$OUT"
hindmost embed -q "$PROGRAM"
hindmost extract "$PROGRAM" -o "$OUT/app.hmap"
for format in json sarif; do
  hindmost check "$PROGRAM" --map "$OUT/app.hmap" --format "$format" > "$OUT/check.$format" || [ $? -eq 1 ]
done
if [ -s "$BASE" ]; then
  hindmost check "$PROGRAM" --map "$OUT/app.hmap" --since "$BASE"
elif [ -n "$MIN" ]; then
  hindmost check "$PROGRAM" --map "$OUT/app.hmap" --min "$MIN"
fi
