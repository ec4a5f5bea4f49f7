#include "textflag.h"

// func callers(s *site)
// A frame pointer points at the caller's saved frame pointer, with the return address above it. The walk stays
// between the stack pointer and the top of the goroutine's stack (g.stack.hi, the second word of g). Assembly is not
// preempted, so the stack does not move meanwhile.
TEXT ·callers(SB), NOSPLIT|NOFRAME, $0-8
	MOVD s+0(FP), R0
	MOVD 8(g), R1
	SUB  $16, R1 // the highest place of a frame pointer and a return address
	MOVD RSP, R2
	SUB  $16, R2 // a frame pointer lies just below its frame
	MOVD R29, R3
	MOVD $8, R4

next:
	CMP  R2, R3
	BLS  end
	CMP  R1, R3
	BHI  end
	MOVD 8(R3), R5
	MOVD R5, (R0)
	MOVD R3, R2
	MOVD (R3), R3
	ADD  $8, R0
	SUB  $1, R4
	CBNZ R4, next
	RET

end:
	MOVD ZR, (R0)
	ADD  $8, R0
	SUB  $1, R4
	CBNZ R4, end
	RET

// func ticks() uint64
TEXT ·ticks(SB), NOSPLIT|NOFRAME, $0-8
	MRS  CNTVCT_EL0, R0
	MOVD R0, ret+0(FP)
	RET

// func publish(to *uint64, v uint64)
TEXT ·publish(SB), NOSPLIT|NOFRAME, $0-16
	MOVD to+0(FP), R0
	MOVD v+8(FP), R1
	STLR R1, (R0)
	RET
