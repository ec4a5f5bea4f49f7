package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"os"

	"golang.org/x/image/draw"
)

// An icon file is the word "icns" and its length, then one block per picture: a type of four letters, the block's length
// with these eight bytes, and the picture. All numbers are big-endian.

// iconKind is one picture of an icon file.
type iconKind struct {
	code string
	side int  // pixels
	argb bool // four compressed planes instead of PNG: macOS displays the smallest PNG sizes of an app's icon incorrectly
}

// iconKinds are the kinds that iconutil creates for a full set: 16 to 512 points, at one and two pixels per point.
func iconKinds() []iconKind {
	return []iconKind{
		{"ic04", 16, true}, {"ic11", 32, false}, // 16 points
		{"ic05", 32, true}, {"ic12", 64, false}, // 32
		{"ic07", 128, false}, {"ic13", 256, false}, // 128
		{"ic08", 256, false}, {"ic14", 512, false}, // 256
		{"ic09", 512, false}, {"ic10", 1024, false}, // 512
	}
}

const iconSide = 1024

// makeIcon writes the icon file of a picture.
func makeIcon(picture, icon string) error {
	f, err := os.Open(picture)
	if err != nil {
		return err
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		return fmt.Errorf("%s: %w", picture, err)
	}
	if b := img.Bounds(); b.Dx() != iconSide || b.Dy() != iconSide {
		return fmt.Errorf("%s is %d × %d pixels, want %d × %d", picture, b.Dx(), b.Dy(), iconSide, iconSide)
	}
	data, err := encodeIcon(img)
	if err != nil {
		return err
	}
	return os.WriteFile(icon, data, 0o644)
}

// encodeIcon returns the icon file of a picture of 1024 × 1024 pixels.
func encodeIcon(img image.Image) ([]byte, error) {
	var blocks bytes.Buffer
	for _, k := range iconKinds() {
		data, err := k.encode(img)
		if err != nil {
			return nil, err
		}
		block(&blocks, k.code, data)
	}
	var file bytes.Buffer
	block(&file, "icns", blocks.Bytes())
	return file.Bytes(), nil
}

func block(to *bytes.Buffer, code string, data []byte) {
	to.WriteString(code)
	_ = binary.Write(to, binary.BigEndian, uint32(len(data)+8)) // a buffer accepts everything
	to.Write(data)
}

func (k iconKind) encode(img image.Image) ([]byte, error) {
	small := scaled(img, k.side)
	if k.argb {
		return encodeARGB(small), nil
	}
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, small)
	return b.Bytes(), err
}

// scaled returns the picture with side × side pixels, with colors not premultiplied by their opacity.
func scaled(img image.Image, side int) *image.NRGBA {
	to := image.Rect(0, 0, side, side)
	mixed := image.NewRGBA(to)
	draw.CatmullRom.Scale(mixed, to, img, img.Bounds(), draw.Src, nil)
	out := image.NewNRGBA(to)
	draw.Draw(out, to, mixed, image.Point{}, draw.Src)
	return out
}

// encodeARGB returns the word "ARGB" and the planes of opacity, red, green and blue, each compressed separately.
func encodeARGB(img *image.NRGBA) []byte {
	out := []byte("ARGB")
	for _, channel := range []int{3, 0, 1, 2} {
		plane := make([]byte, 0, len(img.Pix)/4)
		for i := channel; i < len(img.Pix); i += 4 {
			plane = append(plane, img.Pix[i])
		}
		out = append(out, pack(plane)...)
	}
	return out
}

// Limits of what one control byte of a packed plane can represent.
const (
	minRepeat  = 3
	maxRepeat  = 130
	maxLiteral = 128
)

// pack compresses a plane: a control byte n below 128 is followed by n + 1 literal bytes, one of 128 or more by a byte to be
// repeated n − 125 times.
func pack(plane []byte) (out []byte) {
	literal := 0 // bytes before i that are not written yet
	flush := func(end int) {
		for literal > 0 {
			n := min(literal, maxLiteral)
			from := end - literal
			out = append(out, byte(n-1))
			out = append(out, plane[from:from+n]...)
			literal -= n
		}
	}
	for i := 0; i < len(plane); {
		n := repeats(plane[i:])
		if n < minRepeat {
			literal += n
			i += n
			continue
		}
		flush(i)
		out = append(out, byte(n-minRepeat+128), plane[i])
		i += n
	}
	flush(len(plane))
	return out
}

// repeats returns how often the first byte is repeated, up to what one control byte can represent.
func repeats(b []byte) int {
	n := 1
	for n < len(b) && n < maxRepeat && b[n] == b[0] {
		n++
	}
	return n
}
