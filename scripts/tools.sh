# The linters and their versions, for lint.sh and metalsim.sh: go run builds each once into the build cache.
gofumpt=mvdan.cc/gofumpt@v0.12.0
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
