package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// A signature is a table of blobs, big-endian. The code directory among them has a hash of every page of the code.
const (
	magicSignature     = 0xfade0cc0
	magicCodeDirectory = 0xfade0c02
	sha256Hash         = 2 // type of hash
)

// Flags of a code directory.
const (
	flagAdhoc        = 0x2
	flagRuntime      = 0x10000
	flagLinkerSigned = 0x20000
)

// codeDirectory is the beginning of a code directory, as stored in the file.
type codeDirectory struct {
	Magic, Length, Version, Flags       uint32
	HashOffset, IdentOffset             uint32
	SpecialSlots, CodeSlots, CodeLimit  uint32
	HashSize, HashType, Platform, Shift uint8
}

// verifySignature compares each page of the code with its hash, and returns the kind of signature. The signer is not checked.
func verifySignature(code, signature []byte) (kind string, pages int, err error) {
	blob, err := findCodeDirectory(signature)
	if err != nil {
		return "", 0, err
	}
	var d codeDirectory
	if err := binary.Read(bytes.NewReader(blob), binary.BigEndian, &d); err != nil {
		return "", 0, errors.New("the code directory is too short")
	}
	if d.HashType != sha256Hash || d.HashSize != sha256.Size || d.Shift > 24 || uint64(d.CodeLimit) > uint64(len(code)) {
		return "", 0, fmt.Errorf("hashes of type %d with %d bytes over pages of 2^%d bytes and %d bytes of code, "+
			"want SHA-256 over the %d bytes that there are", d.HashType, d.HashSize, d.Shift, d.CodeLimit, len(code))
	}
	if err := verifyPages(code[:d.CodeLimit], blob, d); err != nil {
		return "", 0, err
	}
	return d.kind(), int(d.CodeSlots), nil
}

func verifyPages(code, blob []byte, d codeDirectory) error {
	page := 1 << d.Shift
	if want := (len(code) + page - 1) / page; int(d.CodeSlots) != want {
		return fmt.Errorf("%d hashes for %d pages", d.CodeSlots, want)
	}
	if uint64(d.HashOffset)+uint64(d.CodeSlots)*sha256.Size > uint64(len(blob)) {
		return errors.New("the hashes go on after the end of the code directory")
	}
	for i := range int(d.CodeSlots) {
		sum := sha256.Sum256(code[i*page : min(len(code), (i+1)*page)])
		at := int(d.HashOffset) + i*sha256.Size
		if !bytes.Equal(sum[:], blob[at:at+sha256.Size]) {
			return fmt.Errorf("page %d was changed after it was signed", i)
		}
	}
	return nil
}

// findCodeDirectory returns the first code directory of a signature.
func findCodeDirectory(signature []byte) ([]byte, error) {
	if len(signature) < 12 || binary.BigEndian.Uint32(signature) != magicSignature {
		return nil, errors.New("no table of blobs")
	}
	count := uint64(binary.BigEndian.Uint32(signature[8:]))
	if 12+8*count > uint64(len(signature)) {
		return nil, fmt.Errorf("a table of %d blobs in %d bytes", count, len(signature))
	}
	for i := range count {
		at := uint64(binary.BigEndian.Uint32(signature[12+8*i+4:]))
		if at+8 > uint64(len(signature)) {
			return nil, fmt.Errorf("blob %d begins after the end", i)
		}
		length := uint64(binary.BigEndian.Uint32(signature[at+4:]))
		if binary.BigEndian.Uint32(signature[at:]) == magicCodeDirectory && at+length <= uint64(len(signature)) {
			return signature[at : at+length], nil
		}
	}
	return nil, errors.New("no code directory")
}

// kind returns the kind of signature according to the flags.
func (d codeDirectory) kind() string {
	kind := "with a certificate"
	if d.Flags&flagAdhoc != 0 {
		kind = "ad hoc"
	}
	if d.Flags&flagLinkerSigned != 0 {
		kind += ", by the linker"
	}
	if d.Flags&flagRuntime != 0 {
		kind += ", hardened runtime"
	}
	return kind
}
