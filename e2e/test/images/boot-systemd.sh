#!/bin/sh
# Boots the systemd of a folder with Debian as the first process of namespaces of its own. Only the network is shared.
# Needs root. Usage: boot-systemd.sh <folder>
set -eu
if [ "${CAUSEWAY_NAMESPACE:-}" != entered ]; then
  CAUSEWAY_NAMESPACE=entered exec unshare --mount --propagation private --pid --fork --kill-child --uts --ipc --cgroup \
    -- sh "$0" "$@"
fi
root=$(realpath "$1")
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
if grep -q name=systemd /proc/self/cgroup; then
  # A kernel with both versions of control groups.
  mount -t tmpfs -o mode=755 cgroups "$root/sys/fs/cgroup"
  mkdir "$root/sys/fs/cgroup/systemd" "$root/sys/fs/cgroup/unified"
  mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup/unified"
else
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
fi
mount -t tmpfs -o mode=755 dev "$root/dev"
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 666 "$root/dev/zero" c 1 5
mknod -m 666 "$root/dev/full" c 1 7
mknod -m 666 "$root/dev/random" c 1 8
mknod -m 666 "$root/dev/urandom" c 1 9
mknod -m 666 "$root/dev/tty" c 5 0
mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/mqueue"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mount -t tmpfs -o mode=755 run "$root/run"
# In a chroot the kernel refuses the user namespaces of PrivateUsers.
cd "$root"
pivot_root . mnt
umount -l /mnt
# As the first process of a machine does: credentials are mounted by a child, in a namespace of its own.
mount --make-rshared /
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=multi-user.target
