package main

import (
	"encoding/binary"
	"math/bits"
)

// sha1 is that of ../../sha1.cpp, not the one of the standard library, which uses instructions made
// for it. The message has at most 55 bytes.
func sha1(message []byte) [20]byte {
	var block [64]byte
	copy(block[:], message)
	block[len(message)] = 0x80
	binary.BigEndian.PutUint32(block[60:], uint32(8*len(message)))
	hash := compress([5]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, &block)
	var digest [20]byte
	for i, word := range hash {
		binary.BigEndian.PutUint32(digest[4*i:], word)
	}
	return digest
}

func compress(hash [5]uint32, block *[64]byte) [5]uint32 {
	var schedule [80]uint32
	for t := 0; t < 16; t++ {
		schedule[t] = binary.BigEndian.Uint32(block[4*t:])
	}
	for t := 16; t < 80; t++ {
		schedule[t] = bits.RotateLeft32(
			schedule[t-3]^schedule[t-8]^schedule[t-14]^schedule[t-16], 1)
	}
	a, b, c, d, e := hash[0], hash[1], hash[2], hash[3], hash[4]
	t := 0
	for ; t < 20; t++ {
		next := bits.RotateLeft32(a, 5) + ((b & c) ^ (^b & d)) + 0x5a827999 + e + schedule[t]
		a, b, c, d, e = next, a, bits.RotateLeft32(b, 30), c, d
	}
	for ; t < 40; t++ {
		next := bits.RotateLeft32(a, 5) + (b ^ c ^ d) + 0x6ed9eba1 + e + schedule[t]
		a, b, c, d, e = next, a, bits.RotateLeft32(b, 30), c, d
	}
	for ; t < 60; t++ {
		next := bits.RotateLeft32(a, 5) + ((b & c) ^ (b & d) ^ (c & d)) + 0x8f1bbcdc + e + schedule[t]
		a, b, c, d, e = next, a, bits.RotateLeft32(b, 30), c, d
	}
	for ; t < 80; t++ {
		next := bits.RotateLeft32(a, 5) + (b ^ c ^ d) + 0xca62c1d6 + e + schedule[t]
		a, b, c, d, e = next, a, bits.RotateLeft32(b, 30), c, d
	}
	return [5]uint32{hash[0] + a, hash[1] + b, hash[2] + c, hash[3] + d, hash[4] + e}
}
