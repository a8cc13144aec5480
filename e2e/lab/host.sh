# The first process of a host, in separate namespaces: sets up the host, then waits. All processes
# of the host end with it.
#
#     sh host.sh FOLDER NAME
set -eu
folder=$1
hostname "$2" 2>/dev/null || echo "$2" >/proc/sys/kernel/hostname
mount -t proc proc /proc
mount -t tmpfs -o mode=0755 lab /mnt
mount -t tmpfs -o mode=0755 lab /run
mkdir /run/sshd
mount --bind "$folder/passwd" /etc/passwd
mount --bind "$folder/boot_id" /proc/sys/kernel/random/boot_id
[ ! -e /etc/machine-id ] || mount --bind "$folder/machine_id" /etc/machine-id
touch "$folder/ready"
# with SIGCHLD ignored, the kernel reaps exited orphans
exec env --ignore-signal=CHLD sleep infinity
