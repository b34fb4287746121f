#!/usr/bin/env bash
# Run the commands of the README on a bare Debian. This needs root and debootstrap (apt-get install debootstrap).
#
#     tools/bare.sh           # make board, then make test
#     tools/bare.sh board     # make board only
#
# The file system has the packages that the README names and no others. apt and pip use the registries for which this
# machine is configured. All mounts are in a mount namespace, which ends before the file system is removed.
set -euo pipefail

# Make the file system, run the commands in it, and remove it.
outside() {
    checkout=$(cd "$(dirname "$0")/.." && pwd)
    root=$(mktemp -d)
    trap remove EXIT
    suite=stable mirror=()
    if . /etc/os-release && [ "${ID:-}" = debian ]; then
        suite=$VERSION_CODENAME
        mapfile -t mirror < <(apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(SITE)' 'Created-By: Packages' |
            awk -v suite="$suite" '$1 == "Debian" && $2 == suite { print $3; exit }')
    fi
    debootstrap --variant=minbase --include=git,make,python3,python3-venv,ca-certificates \
        "$suite" "$root" "${mirror[@]}" >/dev/null
    chmod 755 "$root"
    copy_configuration
    git clone --quiet --no-local "$checkout" "$root/root/catan_cp"
    unshare --mount --propagation slave --pid --fork --kill-child "$BASH" "$0" --inside "$root" "$@"
}

remove() {
    if awk '{ print $5 }' /proc/self/mountinfo | grep -q "^$root/"; then
        echo "$root was not removed, because something is mounted in it" >&2
    else
        rm -rf --one-file-system "$root"
    fi
}

# Copy the configuration of the network, apt and pip.
copy_configuration() {
    [ "${ID:-}" != debian ] || cp -a /etc/apt/. "$root/etc/apt/"
    for path in /etc/hosts /etc/ssl/certs/ca-certificates.crt /etc/pip.conf /etc/xdg/pip "$HOME/.config/pip" "$HOME/.pip"; do
        if [ -e "$path" ]; then
            target=$root${path/#$HOME\//\/root/}
            mkdir -p "$(dirname "$target")"
            cp -rTL "$path" "$target"
        fi
    done
}

# Print the local folders from which pip takes packages. An index may refer to files beside its folder.
package_folders() {
    { python3 -m pip config list; env | grep '^PIP_' || true; } | grep -oE "(file://)?/[^' ]+" | sed 's,^file://,,' |
        sed -E 's,^(/[^/]+/.+)/[^/]+/?$,\1,' | sort -u | while read -r folder; do
        [ ! -d "$folder" ] || [ -d "$root$folder" ] || echo "$folder"
    done
}

# Mount and run, as the first process of the namespaces.
inside() {
    root=$1
    shift
    mount -t proc proc "$root/proc"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    mount -t tmpfs tmpfs "$root/dev/shm"
    for folder in $(package_folders); do
        mkdir -p "$root$folder"
        mount --bind "$folder" "$root$folder"
        mount -o remount,bind,ro "$root$folder"
    done
    mapfile -t registries < <(env | grep -E '^(PIP_[A-Z_]+|[A-Za-z]+_(proxy|PROXY)|SSL_CERT_(FILE|DIR))=')
    for target in "$@"; do
        echo "make $target" >&2
        env -i "${registries[@]}" HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 \
            PYTEST_ADDOPTS=-rs chroot "$root" make -C /root/catan_cp "$target"
    done
}

if [ "${1:-}" = --inside ]; then
    shift
    inside "$@"
elif [ $# = 0 ]; then
    outside board test
else
    outside "$@"
fi
