#!/usr/bin/env bash
# Run the commands of the README on a bare Debian. This needs root and debootstrap (apt-get install debootstrap).
#
#     tools/bare.sh                           # make board, then make test
#     tools/bare.sh board                     # make board only
#     SUITE=trixie tools/bare.sh release      # make release with Node, and store it in dist/release
#     SUITE=forky tools/bare.sh install pip   # install dist/release by pip (or pipx, uv) as a user, and try it offline
#
# The file system has the packages that the README names and no others, or Python alone for an installation. SUITE is a
# release of Debian with another Python, or with Node 20. OTHER_PYTHON is the folder of a Python that is copied into the
# file system. apt, pip and npm use the registries for which this machine is configured. All mounts are in a mount
# namespace, which ends before the file system is removed.
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
    suite=${SUITE:-$suite} packages=python3,python3-venv,ca-certificates
    [ "$1" = install ] || packages+=,git,make
    # What a copied Python was linked with, and Debian's own Python has inside.
    [ -z "${OTHER_PYTHON:-}" ] || packages+=,libssl3,libffi8,libsqlite3-0,libbz2-1.0,liblzma5,zlib1g,libreadline8
    # A release that is younger than debootstrap is made like the unstable one.
    [ -e "/usr/share/debootstrap/scripts/$suite" ] || mirror+=(/usr/share/debootstrap/scripts/sid)
    debootstrap --variant=minbase --include="$packages" "$suite" "$root" "${mirror[@]}" | sed -n '/^[EW]: /p' >&2
    chmod 755 "$root"
    copy_configuration
    case " $* " in *" release "*) install_node "$suite" ;; esac
    if [ "$1" = install ]; then
        home="$root/home/player"
        mkdir -p "$home/my games" "$home/.config"
        [ ! -d "$root/root/.config/pip" ] || cp -R "$root/root/.config/pip" "$home/.config/"
        cp "$checkout"/dist/release/*.whl "$checkout/tools/bare_install.sh" "$home/my games"
        [ -z "${OTHER_PYTHON:-}" ] || cp -a "$OTHER_PYTHON" "$root/opt/python"
    else
        git clone --quiet --no-local "$checkout" "$root/root/catan_cp"
    fi
    unshare --mount --propagation slave --pid --fork --kill-child "$BASH" "$0" --inside "$root" "$@"
    case " $* " in
    *" release "*)
        rm -rf "$checkout/dist/release"
        mkdir -p "$checkout/dist"
        cp -R "$root/root/catan_cp/dist/release" "$checkout/dist/release"
        ;;
    esac
}

# Install Node and npm, which build the web page, by apt: debootstrap cannot order the packages of npm.
install_node() {
    mkdir "$root/etc/apt/of-this-machine"
    mv "$root"/etc/apt/sources.list* "$root/etc/apt/of-this-machine/"
    echo "deb ${mirror[0]:-http://deb.debian.org/debian} $1 main" >"$root/etc/apt/sources.list"
    chroot "$root" apt-get update -q
    DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y -q --no-install-recommends nodejs npm
}

remove() {
    if awk '{ print $5 }' /proc/self/mountinfo | grep -q "^$root/"; then
        echo "$root was not removed, because something is mounted in it" >&2
    else
        rm -rf --one-file-system "$root"
    fi
}

# Copy the configuration of the network, apt, pip and npm.
copy_configuration() {
    [ "${ID:-}" != debian ] || cp -a /etc/apt/. "$root/etc/apt/"
    for path in /etc/hosts /etc/ssl/certs/ca-certificates.crt /etc/pip.conf /etc/xdg/pip /etc/npmrc \
        "$HOME/.config/pip" "$HOME/.pip" "$HOME/.npmrc"; do
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
    settings='PIP_[A-Z_]+|npm_config_[a-z_]+|[A-Za-z]+_(proxy|PROXY)|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS'
    mapfile -t registries < <(env | grep -E "^($settings)=")
    path=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
    if [ "$1" = install ]; then
        chroot "$root" useradd player
        chown -R "$(chroot "$root" id -u player)" "$root/home/player"
        chmod 700 "$root/home/player"
        user=(env -i HOME=/home/player PATH="/opt/python/bin:$path" LANG=C.UTF-8
            ${OTHER_PYTHON:+LD_LIBRARY_PATH=/opt/python/lib})
        as_user=(chroot "$root" setpriv --reuid=player --regid=player --init-groups --reset-env env -C "/home/player/my games")
        "${as_user[@]}" "${user[@]}" "${registries[@]}" sh bare_install.sh install "$2"
        echo "without a network" >&2
        unshare --net "${as_user[@]}" "${user[@]}" sh bare_install.sh try
        return
    fi
    for target in "$@"; do
        echo "make $target" >&2
        env -i "${registries[@]}" HOME=/root PATH="$path" LANG=C.UTF-8 \
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
