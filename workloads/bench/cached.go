package bench

// Cached returns what build creates in a scope; nothing may write to it afterward. If the environment caches inputs, it
// is built only once, and the key must distinguish it from everything else.
//
//go:noinline
func Cached[T any](s *Scope, key string, build func(s *Scope) (T, error)) (T, error) {
	cache := s.bench.Inputs
	if cache == nil {
		return build(s)
	}
	if value, ok := cache.Get(key); ok {
		return value.(T), nil
	}
	own := &Scope{bench: s.bench, ctx: s.ctx, c: s.c}
	defer own.Release() // what the cache does not own
	value, err := build(own)
	if err != nil {
		return value, err
	}
	leases := own.leases
	own.leases = nil
	return value, cache.Put(key, value, leases)
}
