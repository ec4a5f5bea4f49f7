package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// unpack undoes pack.
func unpack(t *testing.T, packed []byte, size int) (plane, rest []byte) {
	t.Helper()
	for len(plane) < size {
		if len(packed) < 2 {
			t.Fatalf("the plane ends after %d of %d bytes", len(plane), size)
		}
		n := int(packed[0])
		if n < 128 {
			plane = append(plane, packed[1:n+2]...)
			packed = packed[n+2:]
			continue
		}
		plane = append(plane, bytes.Repeat(packed[1:2], n-125)...)
		packed = packed[2:]
	}
	if len(plane) != size {
		t.Fatalf("the plane has %d bytes, want %d", len(plane), size)
	}
	return plane, packed
}

func TestPack(t *testing.T) {
	noise := make([]byte, 1000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(r.IntN(3)) // short and long runs
	}
	for name, plane := range map[string][]byte{
		"one byte": {7}, "two": {7, 7}, "run of three": {7, 7, 7}, "longest run": bytes.Repeat([]byte{7}, 130),
		"one more": bytes.Repeat([]byte{7}, 131), "run between": {1, 2, 2, 2, 3}, "noise": noise,
		"longest literal": literal(128), "longer literal": literal(129), "long literal": literal(256),
	} {
		got, rest := unpack(t, pack(plane), len(plane))
		if !bytes.Equal(got, plane) || len(rest) != 0 {
			t.Errorf("%s: %d bytes came back as %d, %d are left", name, len(plane), len(got), len(rest))
		}
	}
	if n := len(pack(make([]byte, 1024))); n > 16 {
		t.Errorf("1024 equal bytes take %d", n)
	}
}

// literal returns n bytes without two equal ones in a row.
func literal(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// iconBlocks splits an icon file.
func iconBlocks(t *testing.T, file []byte) map[string][]byte {
	t.Helper()
	if string(file[:4]) != "icns" || int(binary.BigEndian.Uint32(file[4:])) != len(file) {
		t.Fatalf("the file begins with %q and says %d of %d bytes", file[:4], binary.BigEndian.Uint32(file[4:]), len(file))
	}
	blocks := map[string][]byte{}
	for file = file[8:]; len(file) > 0; {
		n := int(binary.BigEndian.Uint32(file[4:]))
		if n < 8 || n > len(file) || blocks[string(file[:4])] != nil {
			t.Fatalf("block %q of %d bytes, %d are left", file[:4], n, len(file))
		}
		blocks[string(file[:4])] = file[8:n]
		file = file[n:]
	}
	return blocks
}

// TestIconHasAllSizes creates the app's icon and reads every picture of it.
func TestIconHasAllSizes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Assay.icns")
	if err := makeIcon("../../assets/Icon.png", path); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	blocks := iconBlocks(t, file)
	sides := map[string]int{
		"ic04": 16, "ic11": 32, "ic05": 32, "ic12": 64, "ic07": 128, "ic13": 256, "ic08": 256, "ic14": 512, "ic09": 512, "ic10": 1024,
	}
	if len(blocks) != len(sides) {
		t.Errorf("%d pictures, want %d", len(blocks), len(sides))
	}
	for code, side := range sides {
		img := picture(t, code, blocks[code], side)
		if b := img.Bounds(); b.Dx() != side || b.Dy() != side {
			t.Errorf("%s is %v, want %d pixels a side", code, b, side)
		}
		corner, center := img.At(0, 0), img.At(side/2, side/2)
		if _, _, _, a := corner.RGBA(); a != 0 {
			t.Errorf("%s: the corner is not clear: %v", code, corner)
		}
		if _, _, _, a := center.RGBA(); a != 0xffff {
			t.Errorf("%s: the center is not opaque: %v", code, center)
		}
	}
	// The same picture in both encodings.
	plain, packed := picture(t, "ic11", blocks["ic11"], 32), picture(t, "ic05", blocks["ic05"], 32)
	for y := range 32 {
		for x := range 32 {
			a, b := color.NRGBAModel.Convert(plain.At(x, y)), color.NRGBAModel.Convert(packed.At(x, y))
			if a != b {
				t.Fatalf("pixel %d, %d is %v in PNG and %v in planes", x, y, a, b)
			}
		}
	}
}

// picture decodes one block.
func picture(t *testing.T, code string, data []byte, side int) image.Image {
	t.Helper()
	rest, planes := bytes.CutPrefix(data, []byte("ARGB"))
	if !planes {
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		return img
	}
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	for _, channel := range []int{3, 0, 1, 2} {
		var plane []byte
		plane, rest = unpack(t, rest, side*side)
		for i, v := range plane {
			img.Pix[4*i+channel] = v
		}
	}
	if len(rest) != 0 {
		t.Errorf("%s: %d bytes after the planes", code, len(rest))
	}
	return img
}

func TestIconWantsALargePicture(t *testing.T) {
	path := filepath.Join(t.TempDir(), "small.png")
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 512, 512))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "is 512 × 512 pixels, want 1024 × 1024"
	if err := makeIcon(path, path+".icns"); err == nil || !bytes.Contains([]byte(err.Error()), []byte(want)) {
		t.Errorf("a small picture: %v, want %q", err, want)
	}
}
