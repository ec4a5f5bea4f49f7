package plain

import (
	"testing"
	"unicode/utf8"
)

// nasty is a name with terminal escapes: it clears the screen, forges a line and reverses the text direction.
const nasty = "w\x1b[2J\nok\r\x00\u202eevil\u009b\xff\xfe"

const nastyPlain = `w\x1b[2J\nok\r\x00\u202eevil\u009b\xff\xfe`

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain": "plain", nasty: nastyPlain, "\t\v\a\x7f": `\t\v\a\x7f`, "\u2066a\u2069\u200f\u061c": `\u2066a\u2069\u200f\u061c`,
		"a\u2028b\u2029": `a\u2028b\u2029`, "\xe2\x80": `\xe2\x80`, `back\slash 'quote' "µ" – × 日本 👍 é`: `back\slash 'quote' "µ" – × 日本 👍 é`,
		"\uFFFD": "\uFFFD",
	} {
		if got := Text(text); got != want || !utf8.ValidString(got) {
			t.Errorf("Text(%q) = %q, want %q", text, got, want)
		}
	}
	if got := Lines("a\n\tb\r\x1b"); got != "a\n\tb\\r\\x1b" {
		t.Errorf("lines: %q", got)
	}
}

func TestUpperFirst(t *testing.T) {
	for s, want := range map[string]string{"": "", "µs": "µs", "matmul+ReLU": "Matmul+ReLU", "q4_K": "Q4_K"} {
		if got := UpperFirst(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

func TestCapitalized(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "a b": "A b", "Already": "Already", "4 kB": "4 kB", "µs": "µs",
		"stopped.": "Stopped.", "stopped: at 4.5 s": "Stopped: at 4.5 s", "weights.gguf: no such file": "weights.gguf: no such file",
		"q4_K has blocks": "q4_K has blocks", "f16: too wide": "f16: too wide", "max_size is 9": "max_size is 9", "bfloatX": "bfloatX",
	} {
		if got := Capitalized(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}
