# What every build is made with. migrated_fynedo says that all UI calls are made on Fyne's thread, which drops its run-time
# checks; no_emoji leaves out a font of 4 MB that the window would hold in memory several times over;
# no_animations keeps the window still: each fade of a blinking cursor redraws all of it 60 times a second.
tags=migrated_fynedo,no_emoji,no_animations

# The linters and their versions, for lint.sh and metalsim.sh: go run builds each once into the build cache.
gofumpt=mvdan.cc/gofumpt@v0.12.0
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
