package alike

import "encoding/binary"

// Texts are a few texts as bytes: the length of each, then the text.
type Texts []byte

// textPiece is how many bytes are allocated at a time, unless texts have more; see piece.
const textPiece = 8192

// PackTexts packs texts next to those packed before, if there is room.
func PackTexts(texts []string, before Texts) Texts {
	n := 0
	for _, t := range texts {
		n += binary.MaxVarintLen32 + len(t)
	}
	out := before[len(before):]
	if cap(out) < n {
		out = make(Texts, 0, max(n, textPiece))
	}
	for _, t := range texts {
		out = append(binary.AppendUvarint(out, uint64(len(t))), t...)
	}
	return out
}

// Unpack returns the texts.
func (t Texts) Unpack() (texts []string) {
	for len(t) > 0 {
		n, from := binary.Uvarint(t)
		texts = append(texts, string(t[from:from+int(n)]))
		t = t[from+int(n):]
	}
	return texts
}
