#!/bin/sh
# Installs Bellwire as a service of systemd, from the unpacked archive that this file is in. Run it again from a newer
# archive to upgrade: settings and data stay. DESTDIR names another root, for packagers and for the test.
set -eu
# A plain su leaves root without the folders of useradd and setpriv.
PATH=$PATH:/usr/sbin:/sbin
if [ $# -gt 0 ]; then
  echo "Usage: $0 (as root, without arguments). It installs or upgrades Bellwire below /opt, /etc and /usr/local/bin." >&2
  exit 2
fi
here=$(cd "$(dirname "$0")/../.." && pwd)
root=${DESTDIR:-}
version=$(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$here/package.json")

if [ ! -f "$here/lib/main.js" ]; then
  echo "This is not an unpacked release: $here has no lib/main.js. Make one with npm run release." >&2
  exit 1
fi
if [ -z "$root" ]; then
  if [ "$(id -u)" != 0 ]; then
    echo "Run this as root: it makes the user bellwire and writes to /opt and /etc." >&2
    exit 1
  fi
  for tool in useradd systemctl setpriv getent xargs; do
    if ! command -v "$tool" > /dev/null; then
      echo "Nothing was installed. This machine has no $tool, which the service or its command needs." >&2
      exit 1
    fi
  done
  if [ ! -d /run/systemd/system ]; then
    echo "Nothing was installed. This machine does not run systemd; bin/bellwire serve starts Bellwire without it." >&2
    exit 1
  fi
fi
if [ ! -x "$here/bin/node" ] && node=$(command -v node); then
  # Root and the service run it: nobody else may be able to replace it, and the user bellwire must reach it.
  node=$(readlink -f "$node")
  path=$node
  while [ "$path" != / ]; do
    if [ -n "$(find "$path" -prune \( ! -user 0 ! -user "$(id -u)" -o -perm /022 ! -perm -1000 -o ! -perm -001 \))" ]; then
      echo "Nothing was installed. The PATH's Node is $node, and $path belongs to another user," >&2
      echo "can be changed by one, or is closed to the user bellwire. Put Node's program at $here/bin/node." >&2
      exit 1
    fi
    path=$(dirname "$path")
  done
fi
# It says itself which Node it needs.
if ! "$here/bin/bellwire" help > /dev/null; then
  echo "Nothing was installed. Put a newer Node in the PATH, or its program at $here/bin/node." >&2
  exit 1
fi

if [ -z "$root" ]; then
  id bellwire > /dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin bellwire
  # As systemd would make them, so that commands can use them before the first start.
  install -d -m 0700 -o bellwire -g bellwire /var/lib/bellwire /var/lib/bellwire-backups
fi
next="Start it: systemctl enable --now bellwire"
[ ! -e "$root/opt/bellwire" ] || next="Restart it: systemctl restart bellwire"
install -d "$root/opt" "$root/etc/systemd/system" "$root/usr/local/bin"
rm -rf "$root/opt/bellwire-$version.new"
cp -R "$here" "$root/opt/bellwire-$version.new"
if [ ! -e "$root/opt/bellwire-$version.new/bin/node" ]; then
  # The service has systemd's PATH, not the one of whoever installs it.
  ln -s "$node" "$root/opt/bellwire-$version.new/bin/node"
fi
rm -rf "$root/opt/bellwire-$version"
mv "$root/opt/bellwire-$version.new" "$root/opt/bellwire-$version"
ln -sfn "bellwire-$version" "$root/opt/bellwire"
ln -sf /opt/bellwire/ops/systemd/bellwire "$root/usr/local/bin/bellwire"
for unit in bellwire.service bellwire-bridge@.service bellwire-backup.service bellwire-backup.timer; do
  install -m 0644 "$here/ops/systemd/$unit" "$root/etc/systemd/system/$unit"
done
if [ ! -e "$root/etc/bellwire.env" ]; then
  echo "# Settings of Bellwire, one NAME=value a line: see /opt/bellwire/docs/config.md" > "$root/etc/bellwire.env"
  chmod 0600 "$root/etc/bellwire.env"
fi

[ -n "$root" ] || systemctl daemon-reload
echo "Bellwire $version is in /opt/bellwire. Settings: /etc/bellwire.env. $next"
# The service may still run one of them until it is restarted.
for old in "$root"/opt/bellwire-*; do
  [ "$old" = "$root/opt/bellwire-$version" ] || echo "An older version is there: rm -r $old, once you need no way back."
done
