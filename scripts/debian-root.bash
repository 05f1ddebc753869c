# shellcheck shell=bash
# Use: sourced by `rabbitmq`, which gives die(). `debian_root SUITE` prints a folder with the RabbitMQ of another Debian
# release, unpacked from its packages: apt-get of this machine downloads them, no script of a package runs, and nothing
# of the machine itself changes. Fetched once, shared by all nodes, kept in the user's cache; remove it to fetch anew.

debian_root() {
  local suite=$1 cache=${XDG_CACHE_HOME:-$HOME/.cache}/hearken-rabbitmq
  ((EUID == 0)) || die "the release of $suite runs in a root of its own, which takes root"
  [[ $(command -v apt-get) ]] || die "the release of $suite comes from Debian's packages: no apt-get here"
  mkdir -p "$cache"
  (
    flock 9
    [[ -x $cache/$suite/usr/lib/rabbitmq/bin/rabbitmq-server ]] || unpack_suite "$suite" "$cache"
  ) 9>"$cache/$suite.lock" >&2 || die "could not fetch the RabbitMQ of $suite"
  echo "$cache/$suite"
}

# The mirror that this machine takes its own release from, and the keyring that it trusts for it.
mirror() {
  local own
  # shellcheck source=/dev/null
  own=$(source /etc/os-release && echo "$VERSION_CODENAME")
  # shellcheck disable=SC2016 # apt expands these
  apt-get indextargets --format '$(RELEASE) $(REPO_URI) $(SIGNED_BY)' 'Created-By: Packages' |
    awk -v own="$own" '$1 == own { print $2, ($3 ~ /^\// ? $3 : "/usr/share/keyrings/debian-archive-keyring.gpg"); exit }'
}

# Called from a list, where `set -e` is off: each step says for itself that its failure is the end.
unpack_suite() {
  local suite=$1 cache=$2 work site keyring apt name deb
  work=$(mktemp -d "$cache/.unpack.XXXXXX") || return
  # shellcheck disable=SC2064 # this very folder
  trap "rm -rf '$work'" EXIT
  echo "rabbitmq: unpacking the RabbitMQ of $suite into $cache"
  [[ $(mirror) ]] || apt-get -q update || return # a new machine's apt knows no mirror yet
  read -r site keyring < <(mirror) || die 'no Debian mirror in the set-up of apt'
  mkdir -p "$work"/state/lists/partial "$work"/cache/archives/partial "$work"/root/{dev,etc,proc,tmp} \
    "$work"/root/usr/{bin,sbin,lib,lib64} || return
  : >"$work/status"
  echo "deb [signed-by=$keyring] $site $suite main" >"$work/sources.list"
  apt=(
    apt-get -q -y
    -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
    -o Dir::State="$work/state" -o Dir::State::Status="$work/status" -o Dir::Cache="$work/cache"
    -o APT::Sandbox::User=root -o APT::Install-Recommends=false
    -o Acquire::Languages=none -o Acquire::Check-Valid-Until=false # a mirror may lag behind
  )
  "${apt[@]}" update || return
  "${apt[@]}" install --download-only rabbitmq-server base-files dash coreutils sed grep || return
  for name in bin sbin lib lib64; do ln -s "usr/$name" "$work/root/$name" || return; done
  for deb in "$work"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$work/root" --keep-directory-symlink \
      --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' || return
  done
  printf '127.0.0.1 localhost\n::1 localhost\n' >"$work/root/etc/hosts"
  mv "$work/root" "$cache/$suite"
}

# enter_root ROOT FOLDER: sets $inside to the words that run a program in that root, with FOLDER at the same place
# inside; all in a mount namespace that is gone with the program.
enter_root() {
  mkdir -p "$1$2"
  # shellcheck disable=SC2016,SC2034 # the inner shell expands these; the caller runs it
  inside=(unshare --mount --propagation private -- sh -euc '
    root=$1 folder=$2
    shift 2
    mount --rbind /proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --bind "$folder" "$root$folder"
    exec chroot "$root" "$@"' sh "$1" "$2")
}

# leave_root ROOT FOLDER: removes the empty place that enter_root made for FOLDER.
leave_root() { rmdir "$1$2" 2>/dev/null || true; }
