package uitest

import "assay/ui/native"

// Chooser answers as scripted: with a path, with an error, or, without either, by canceling.
type Chooser struct {
	Path  string
	Err   error
	Asked []native.Question
	Saves int
}

// Open is part of native.Chooser.
func (c *Chooser) Open(q native.Question, done func(string, error)) {
	c.Asked = append(c.Asked, q)
	if c.Path != "" || c.Err != nil {
		done(c.Path, c.Err)
	}
}

// Save is part of native.Chooser.
func (c *Chooser) Save(q native.Question, done func(string, error)) {
	c.Saves++
	c.Open(q, done)
}

// Last is the last question.
func (c *Chooser) Last() native.Question { return c.Asked[len(c.Asked)-1] }
