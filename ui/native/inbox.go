package native

import "sync"

// Inbox keeps the documents that the system asks the app to open until there is a window for them.
type Inbox struct {
	mu      sync.Mutex
	waiting []string
	open    func([]string)
}

// Put adds documents.
func (i *Inbox) Put(paths []string) {
	i.mu.Lock()
	open := i.open
	if open == nil {
		i.waiting = append(i.waiting, paths...)
	}
	i.mu.Unlock()
	if open != nil {
		open(paths)
	}
}

// Connect opens the waiting documents and all later ones.
func (i *Inbox) Connect(open func([]string)) {
	i.mu.Lock()
	waiting := i.waiting
	i.open, i.waiting = open, nil
	i.mu.Unlock()
	if len(waiting) > 0 {
		open(waiting)
	}
}
