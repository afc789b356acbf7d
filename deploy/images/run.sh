#!/bin/sh
# Runs an image without an engine, but under the same conditions: in a mount namespace with a read-only root, as user
# 10001 without privileges. Needs root. Uses the caller's environment and network; signals reach the program itself.
#
# Usage: run.sh <folder of the unpacked image> [<path>:<path in /run or /data> ...] -- <arguments of node>
set -eu
[ $# -ge 2 ] || { sed -n '/^# Usage/s/^# //p' "$0" >&2; exit 2; }

if [ "${CAUSEWAY_NAMESPACE:-}" != entered ]; then
  CAUSEWAY_NAMESPACE=entered exec unshare --mount --propagation private -- sh "$0" "$@"
fi
unset CAUSEWAY_NAMESPACE
root=$(realpath "$1")
shift
mount --bind "$root" "$root"
mount -o remount,bind,ro,nosuid,nodev "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o mode=755,nosuid,noexec dev "$root/dev"
for device in null zero random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount --bind /etc/hosts "$root/etc/hosts"
mount --bind /etc/resolv.conf "$root/etc/resolv.conf"
mount -t tmpfs -o mode=755,nosuid,nodev,noexec run "$root/run"
while [ "$1" != -- ]; do
  from=${1%%:*} to=$root${1#*:}
  if [ -d "$from" ]; then mkdir -p "$to"; else mkdir -p "$(dirname "$to")" && touch "$to"; fi
  mount --bind "$from" "$to"
  shift
done
shift
mount -o remount,ro,nosuid,noexec "$root/run"
mount -o remount,ro,nosuid,noexec "$root/dev"
exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,+sys_chroot,+setuid,+setgid \
  /usr/sbin/chroot --userspec=10001:10001 "$root" /usr/bin/node "$@"
