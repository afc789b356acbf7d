#!/bin/sh
# Hook of mmdebstrap with the root of a base: records the packages where scanners expect them, and adds the user.
set -eu
root=$1

mkdir -p "$root/var/lib/dpkg/status.d"
for package in "$root"/var/cache/apt/archives/*.deb; do
  name=$(dpkg-deb --field "$package" Package)
  # base-files depends on an awk, whose files are excluded.
  [ "$name" = mawk ] || dpkg-deb --field "$package" > "$root/var/lib/dpkg/status.d/$name"
done
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
echo 'causeway:x:10001:10001:causeway:/nonexistent:/usr/sbin/nologin' > "$root/etc/passwd"
echo 'causeway:x:10001:' > "$root/etc/group"
# Engines and systemd mount their own files over these.
printf '127.0.0.1 localhost\n::1 localhost\n' > "$root/etc/hosts"
: > "$root/etc/resolv.conf"
