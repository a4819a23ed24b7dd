#!/bin/sh
# usage: exact-arithmetic.sh NM LIBRARY - fails when the library calls a mathematical function whose last digit
# differs between C libraries, or code that depends on locale, clock, environment or files.
set -eu
symbols=$("$1" --undefined-only "$2" | awk '$1 == "U" { print $2 }' | sort -u)
[ -n "$symbols" ] || { echo "no undefined symbols found in $2: is it a library?"; exit 1; }
functions='a?(sin|cos|tan)h?|atan2|exp|exp2|expm1|exp10|log|log2|log10|log1p|pow|cbrt|hypot|[lt]gamma|erfc?|fma'
effects='fopen(64)?|open(64)?|getenv|setlocale|time|clock|clock_gettime|gettimeofday|rand|srand|printf|puts'
found=$(echo "$symbols" | grep -xE "($functions)[fl]?|$effects" || true)
if [ -n "$found" ]; then
  echo "the core must not call:" $found
  exit 1
fi
echo "none of $(echo "$symbols" | wc -l) symbols is forbidden"
