package app

const dataFolder = "Library/Application Support/Assay"
