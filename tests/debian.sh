# For the scripts beside it, which say what they do by `say`.

# debian PACKAGE…: this machine's own.
debian() {
    wanted=""
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || wanted="$wanted $package"
    done
    [ -n "$wanted" ] || return 0
    say "installing with apt-get:$wanted"
    root=""
    [ "$(id -u)" -eq 0 ] || root="sudo -n"
    # Of several lists one may be out of step with its mirror: what is wanted is had or not.
    $root timeout 120 apt-get update -q >/dev/null || true
    # shellcheck disable=SC2086 # a list of packages
    DEBIAN_FRONTEND=noninteractive $root timeout 600 apt-get install -qy --no-remove --no-install-recommends $wanted >/dev/null
}
