#!/usr/bin/env bash
# ci/bundle.sh BUILD DIR: installs a finished build into DIR as a relocatable tree, with the shared libraries that a bare
# machine lacks beside it. Copy DIR anywhere and run DIR/bin/gpubench.
set -euo pipefail
(($# == 2)) || { echo "usage: $0 BUILD DIR" >&2; exit 2; }
build=$1 dir=$2
cmake --install "$build" --prefix "$dir" >/dev/null
for file in "$dir"/bin/gpubench "$dir"/lib/gpubench/gpubench-diagram "$dir"/lib/gpubench/plugins/*.so; do
  [[ -e $file ]] || continue
  ldd "$file" | awk '/=> \// && !/\/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*|libstdc\+\+|libgcc_s)\.so/ {print $3}'
done | sort -u | while read -r library; do
  [[ $library -ef $dir/lib/${library##*/} ]] || cp -L "$library" "$dir/lib/" # there already: bundled before
done
echo "$dir"
