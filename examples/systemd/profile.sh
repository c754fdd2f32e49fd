#!/bin/sh
# A service of systemd's with HPROF in it for some minutes: it is started anew with the agent, and without it again, and
# its profiles become a page, UNIT.html.
#
#   examples/systemd/profile.sh UNIT [SECONDS]      as root; UNIT is myapp or app@x, say; 300
#
# Needs systemd 246 or later and xrun's .deb. Not run: where this was written no systemd runs. `systemd-analyze verify`
# (252) has read profile.conf in a unit without a complaint.
#
# Who may not restart the service: `xrun attach PID --duration 5m -Xrunhprof:…` needs none of this.
set -eu
unit=${1:?UNIT [SECONDS]}
here=$(cd "$(dirname "$0")" && pwd)
name=${unit%.service}
# What lies there is gone with the next boot, should this script not come to its end.
folder=/run/systemd/system/$name.service.d
profiles=/var/log/xrun/$name

rm -f "$profiles"/cpu-*.pb.gz
mkdir -p "$folder"
cp "$here/profile.conf" "$folder/xrun.conf"
systemctl daemon-reload
systemctl restart "$unit"
sleep "${2:-300}"
# The profile is written as the JVM ends, for which profile.conf gives it time.
systemctl stop "$unit"
rm "$folder/xrun.conf"
systemctl daemon-reload
systemctl start "$unit"
# 1: one of several cannot be merged and has its line; the others are.
xrun merge --force -o "$name.html" "$profiles"/cpu-*.pb.gz || [ $? -eq 1 ]
echo "profile: $PWD/$name.html"
