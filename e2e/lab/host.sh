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
# a mount on a file of /etc would vanish when the machine replaces that file, as useradd does
mkdir -p "$folder/etc"
mount -t tmpfs -o mode=0755 lab "$folder/etc"
cp -a /etc/. "$folder/etc"
mount --move "$folder/etc" /etc
cp "$folder/passwd" /etc/passwd
[ ! -e /etc/machine-id ] || cp "$folder/machine_id" /etc/machine-id
mount --bind "$folder/boot_id" /proc/sys/kernel/random/boot_id
touch "$folder/ready"
# with SIGCHLD ignored, the kernel reaps exited orphans
exec env --ignore-signal=CHLD sleep infinity
