#!/bin/sh
# Prints the licenses of everything in a build: Assay, Go and each module, including all licenses in its folder.
# usage: licenses.sh [TAGS], with GOOS and CGO_ENABLED=1 for another system
set -eu
cd "$(dirname "$0")/.."

# one NAME FOLDER prints the licenses in a folder, and fails if there are none.
one() {
    files=$(cd "$2" && find . -name testdata -prune -o -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' -o -path '*/licenses/*' \) \
        ! -name '*.go' -print | LC_ALL=C sort)
    [ -n "$files" ] || { echo "licenses: no license of $1 in $2" >&2; exit 1; }
    for f in $files; do
        printf '=== %s: %s\n\n' "$1" "${f#./}"
        tr -d '\r' <"$2/$f"
        echo
    done
}

printf '=== Assay: LICENSE\n\n'
cat LICENSE
echo
printf '=== Go: LICENSE\n\n'
cat "$(go env GOROOT)/LICENSE"
echo
modules=$(go list -deps -tags "${1:-}" -f '{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}} {{.Dir}}{{end}}{{end}}' . | LC_ALL=C sort -u)
echo "$modules" | while read -r name folder; do one "$name" "$folder"; done
