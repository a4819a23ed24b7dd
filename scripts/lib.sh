# Shared by the scripts of this folder; sourced, never run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=$root/build/tools
stamps=$root/build/stamps

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Vite needs Node 20.19 or newer. `use_node` puts the one that scripts/setup fetched on the PATH where the system's is
# missing or older.
node_is_new_enough() {
  command -v "$1" >/dev/null &&
    "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
}
use_node() {
  node_is_new_enough node || PATH=$tools/node_modules/.bin:$PATH
  node_is_new_enough node
}

# hash_of PATH...: one hash over names and contents of files and folders, whatever git thinks of them.
hash_of() {
  (cd "$root" && find "$@" \( -name node_modules -o -name dist -o -name generated \) -prune -o -type f -print0 |
    LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1)
}

# unless_done NAME HASH COMMAND...: runs the command only when it has not yet succeeded for this hash.
unless_done() {
  local name=$1 hash=$2
  shift 2
  [ "$(cat "$stamps/$name" 2>/dev/null)" = "$hash" ] && return 0
  "$@" || return
  mkdir -p "$stamps"
  printf '%s\n' "$hash" > "$stamps/$name"
}

# build_preset PRESET [CMAKE OPTION...] [-- TARGET...]: configures when needed and builds; says nothing unless it fails.
build_preset() {
  local preset=$1 folder=$1 log options=()
  shift
  [ "$preset" = ci ] && folder=release
  while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
  [ $# -gt 0 ] && shift
  mkdir -p "$root/build"
  log=$root/build/$folder.log
  command -v ccache >/dev/null && options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  (
    cd "$root"
    # Relative paths in the compiler cache, so that clones share it.
    export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
    # Two scripts at once must not build into one folder.
    exec 9> "build/$folder.lock"
    flock 9
    # A folder that is configured stays as it is (ninja itself configures again when a CMake file changed), except for
    # `ci`, which makes the release folder's warnings errors.
    if [ ! -f "build/$folder/build.ninja" ] ||
       { [ "$preset" = ci ] && ! grep -q '^WHICHGPU_STRICT:BOOL=ON' "build/$folder/CMakeCache.txt"; }; then
      cmake --preset "$preset" "${options[@]}"
    fi
    cmake --build --preset "$preset" ${*:+--target "$@"} -- -j "$(nproc)"
  ) > "$log" 2>&1 || {
    say "the $folder build failed:"
    grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking|Generating)' "$log" | tail -n 40 >&2
    return 1
  }
}
