package app

func places() (data, logs, caches, config place) {
	return place{"XDG_DATA_HOME", "Library/Application Support/Assay"},
		place{"XDG_STATE_HOME", "Library/Logs/Assay"},
		place{"XDG_CACHE_HOME", "Library/Caches/Assay"},
		place{"XDG_CONFIG_HOME", "Library/Application Support/Assay"}
}
