# The cask of a release: packaging/homebrew/cask.sh fills in what stands between @ signs. Homebrew takes only apps that
# pass Gatekeeper, that is, notarized ones.
cask "assay" do
  version "@VERSION@"
  sha256 "@SHA256@"

  url "https://github.com/@REPOSITORY@/releases/download/v#{version}/Assay-#{version}.dmg"
  name "Assay"
  desc "Workbench that measures compute workloads on GPUs and processors"
  homepage "https://github.com/@REPOSITORY@"

  livecheck do
    url :url
    strategy :github_latest
  end

  depends_on macos: :monterey

  app "Assay.app"
  binary "#{appdir}/Assay.app/Contents/MacOS/assay"

  zap trash: [
    "~/Library/Application Support/Assay",
    "~/Library/Caches/Assay",
    "~/Library/Logs/Assay",
    "~/Library/Preferences/fyne/io.github.assay.Assay",
    "~/Library/Saved Application State/io.github.assay.Assay.savedState",
  ]
end
