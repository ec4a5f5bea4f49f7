//go:build !darwin

package app

func places() (data, logs, caches, config place) {
	return place{"XDG_DATA_HOME", ".local/share/assay"},
		place{"XDG_STATE_HOME", ".local/state/assay"},
		place{"XDG_CACHE_HOME", ".cache/assay"},
		place{"XDG_CONFIG_HOME", ".config/assay"}
}
