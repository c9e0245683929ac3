#!/bin/bash
# The first process of a sandbox: gives it what a node expects of its machine, and then adopts orphans.
#   prepare-sandbox.sh FOLDER CONTROL_GROUP
set -eu
folder=$1 group=$2
# One hierarchy, or one for each controller.
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  mkdir "/sys/fs/cgroup/$group"
  for controller in $(cat "/sys/fs/cgroup/$group/cgroup.controllers"); do
    echo "+$controller" > "/sys/fs/cgroup/$group/cgroup.subtree_control"
  done
  mkdir "/sys/fs/cgroup/$group/node-2"
else for hierarchy in /sys/fs/cgroup/*/; do mkdir -p "$hierarchy$group/node-2"; done
fi
mount --make-rshared /
for private in /run /var/log; do mount -t tmpfs tmpfs "$private"; done
mkdir -p /run/netns /run/lock
# What is written here stays here.
for shared in /etc /var/lib; do
  layers=$folder/layers$shared
  mkdir -p "$layers/upper" "$layers/work"
  mount -t overlay overlay -o "lowerdir=$shared,upperdir=$layers/upper,workdir=$layers/work" "$shared"
done
rm -f /etc/resolv.conf /etc/hosts
cp "$folder/resolv.conf" /etc/resolv.conf
printf '127.0.0.1 localhost\n10.200.0.1 node-1 node-2 registry.example.com\n' > /etc/hosts
# A kubelet sets these for the whole machine, unless they are what it wants: it sees copies.
while read -r setting value; do
  [ -e "/proc/sys/$setting" ] || continue
  echo "$value" > "$folder/sysctl-${setting//\//-}"
  mount --bind "$folder/sysctl-${setting//\//-}" "/proc/sys/$setting"
done << END
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
END
hostname node-1
ip link set lo up
ip link add node0 type bridge
ip address add 10.200.0.1/24 dev node0
ip link set node0 up
# Without it the node can't reach Services: only packets on their way somewhere are rewritten.
ip route add default dev node0
echo 1 > /proc/sys/net/ipv4/ip_forward
touch "$folder/prepared"
exec tini -- sleep infinity
