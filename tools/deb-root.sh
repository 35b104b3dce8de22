#!/usr/bin/env bash
# Unpack newer Debian or Ubuntu packages, with all they depend on, into a folder: nothing is installed, no rights are needed.
#
#   deb-root.sh SUITE DIR PACKAGE...        e.g.  deb-root.sh sid .oracles/spirv spirv-tools
#   deb-root.sh alone SUITE DIR PACKAGE...  the named packages only, without what they depend on
#   deb-root.sh run DIR PROGRAM [ARG...]    run a program of it through its own loader and C library
#
# The mirror is the one this machine's own apt sources name.
set -euo pipefail

if [ "$1" = run ]; then
  root=$2; program=$3; shift 3
  libraries=$(echo "$root"/usr/lib/*-linux-gnu*)
  loader=$(ls "$libraries"/ld-linux-*.so.* | head -1)
  exec "$loader" --library-path "$libraries" "$root/usr/bin/$program" "$@"
fi

alone=; if [ "$1" = alone ]; then alone=1; shift; fi
suite=$1; mkdir -p "$2"; dir=$(cd "$2" && pwd); shift 2
apt=$dir/.apt
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/etc/preferences.d"

sources() { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null || true; }
mirrors() { sources | grep -vE '^ *#|security' | grep -oE '[a-z+]+://[^ ]+' || true; }
if mirror=$(mirrors | grep -E '/debian/?$' | head -1) && [ -n "$mirror" ]; then
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg; components=main
elif mirror=$(mirrors | grep -E '/ubuntu(-ports)?/?$' | head -1) && [ -n "$mirror" ]; then
  keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg; components="main universe"
else
  echo "deb-root.sh: apt's sources name no Debian or Ubuntu mirror" >&2; exit 1
fi

base=${suite%-backports}; base=${base%-updates}
{ echo "deb [signed-by=$keyring] $mirror $suite $components"
  [ "$base" = "$suite" ] || echo "deb [signed-by=$keyring] $mirror $base $components"; } > "$apt/etc/sources.list"
touch "$apt/status"
opts=(-o "Dir::Etc::SourceList=$apt/etc/sources.list" -o Dir::Etc::SourceParts=/dev/null
      -o "Dir::Etc::PreferencesParts=$apt/etc/preferences.d" -o "Dir::State::Lists=$apt/lists" -o "Dir::State::Status=$apt/status"
      -o "Dir::Cache=$apt/cache" -o Acquire::Languages=none -o Acquire::Retries=2 -o Acquire::http::Timeout=20
      -o APT::Update::Error-Mode=any -o APT::Sandbox::User=root -o APT::Get::List-Cleanup=0 -o APT::Install-Recommends=false)
apt-get "${opts[@]}" -qq update
if [ -n "$alone" ]; then
  (cd "$apt/cache/archives" && apt-get "${opts[@]}" -qq -t "$suite" download "$@")
else
  apt-get "${opts[@]}" -qq -y --download-only -t "$suite" install "$@" >/dev/null
fi
for deb in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$dir"; done
