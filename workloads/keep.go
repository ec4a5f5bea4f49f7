package workloads

import (
	"errors"

	"assay/gpu"
)

// Keep holds what cases have built and never write to, such as inputs, for the cases after them. Someone who moves a
// slider measures often, and most of a brief measurement would go into making the same inputs again. It is not safe
// for concurrent use, and serves one pool.
type Keep struct {
	limit int64
	bytes int64
	turn  int // counts cases
	items []*keptItem
}

// keptItem is one thing, with the buffers it is made of.
type keptItem struct {
	key    string
	value  any
	leases []gpu.Lease
	bytes  int64
	turn   int // in which it was used last
}

// NewKeep keeps up to limit bytes of buffers; what the case at hand uses is kept whatever its size.
func NewKeep(limit int64) *Keep { return &Keep{limit: limit} }

// Bytes is the size of the buffers that are kept.
func (k *Keep) Bytes() int64 { return k.bytes }

// Release gives all buffers back to their pool.
func (k *Keep) Release() error {
	k.turn++
	return k.shrink(0)
}

// shrink drops what was not used for longest, until no more than limit bytes are kept or all is in use.
func (k *Keep) shrink(limit int64) error {
	var errs error
	for k.bytes > limit || limit == 0 {
		oldest := -1
		for i, item := range k.items {
			if item.turn != k.turn && (oldest < 0 || item.turn < k.items[oldest].turn) {
				oldest = i
			}
		}
		if oldest < 0 {
			break
		}
		errs = errors.Join(errs, k.drop(oldest))
	}
	return errs
}

func (k *Keep) drop(i int) error {
	var errs error
	for _, l := range k.items[i].leases {
		errs = errors.Join(errs, l.Release())
	}
	k.bytes -= k.items[i].bytes
	k.items = append(k.items[:i], k.items[i+1:]...)
	return errs
}

func (k *Keep) find(key string) *keptItem {
	for _, item := range k.items {
		if item.key == key {
			item.turn = k.turn
			return item
		}
	}
	return nil
}

// add takes over what s has built, which is the only user of its buffers.
func (k *Keep) add(key string, value any, s *Scope) error {
	item := &keptItem{key: key, value: value, leases: s.leases, turn: k.turn}
	for _, l := range s.leases {
		item.bytes += int64(l.Size())
	}
	s.leases = nil
	k.items, k.bytes = append(k.items, item), k.bytes+item.bytes
	return k.shrink(k.limit)
}

// kept is what build makes of a scope, which nothing may write to afterwards. Where the environment keeps things it is
// built once, and the key must then tell it from all else.
//
//go:noinline
func kept[T any](s *Scope, key string, build func(s *Scope) (T, error)) (T, error) {
	k := s.env.Keep
	if k == nil {
		return build(s)
	}
	if item := k.find(key); item != nil {
		return item.value.(T), nil
	}
	own := &Scope{env: s.env, ctx: s.ctx, c: s.c}
	defer own.release() // what add has not taken over
	value, err := build(own)
	if err != nil {
		return value, err
	}
	return value, k.add(key, value, own)
}
