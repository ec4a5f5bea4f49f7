# What every build is made with. migrated_fynedo says that all UI calls are made on Fyne's thread, which drops its run-time
# checks; no_emoji leaves out a font of 4 MB that the window would hold in memory several times over.
tags=migrated_fynedo,no_emoji

# The linters and their versions, for lint.sh and metalsim.sh: go run builds each once into the build cache.
gofumpt=mvdan.cc/gofumpt@v0.12.0
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
