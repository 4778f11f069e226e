# shellcheck shell=bash
# Bare machines to build and try packages on: roots made by debootstrap, each used once. Sourced after lib.sh, not run.
# Needs root, debootstrap and a mirror. Fresh roots are cached in ~/.cache/gpubench-roots.

((EUID == 0)) || die "only root can make the roots that packages are built and tried in"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gpubench-roots
mkdir -p "$cache"
work=$(mktemp -d "$cache/work.XXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
declare -A lent=() # root -> a folder of this machine that is mounted into it read-only

for sources in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do [[ -s $sources ]] && break; done
mirror=$(sed -nE 's#^(URIs:|deb) *([^ ]*//[^ ]+).*#\2#p' "$sources" 2>/dev/null | sed -n 1p)
[[ -n $mirror ]] || die "no Debian mirror is named in /etc/apt/sources.list or sources.list.d/debian.sources"

# bare SUITE NAME: makes a fresh root in $work/NAME, with this machine's network settings
bare() {
  local kept=$cache/$1.tar made=$work/$2
  if [[ ! -s $kept ]]; then
    echo "making a root of $1"
    debootstrap --variant=minbase --include=ca-certificates "$1" "$work/new" "$mirror" >"$work/log" 2>&1 ||
      { tail -5 "$work/log" >&2; die "debootstrap $1 failed"; }
    tar -C "$work/new" -cf "$kept.part" . && mv "$kept.part" "$kept"
    rm -rf --one-file-system "$work/new"
  fi
  mkdir -p "$made"
  tar -C "$made" -xf "$kept"
  cp -L /etc/resolv.conf /etc/hosts "$made/etc/"
  grep -ls Acquire /etc/apt/apt.conf.d/* | xargs -r cp -t "$made/etc/apt/apt.conf.d"
}

# inside NAME COMMAND...: runs COMMAND in that root, with the environment of a first login; its mounts vanish when it
# ends
inside() {
  local root=$work/$1 folder=${lent[$1]:-}
  shift
  # shellcheck disable=SC2016
  unshare --mount --propagation private bash -euc 'root=$1 folder=$2
    shift 2
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    if [[ -n $folder ]]; then mkdir -p "$root/$folder"; mount --bind -o ro "$folder" "$root/$folder"; fi
    exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive \
      chroot "$root" "$@"' bash "$root" "$folder" "$@"
}

apt_install() { # apt_install NAME PACKAGE...
  local name=$1
  shift
  inside "$name" bash -c 'apt-get update -qq && apt-get install -qq -y --no-install-recommends "$@" >/apt.log 2>&1 || { cat /apt.log; exit 1; }' \
    bash "$@" || die "$name: apt cannot install $*"
}
