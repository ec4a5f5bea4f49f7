#include "textflag.h"

// func callers(s *site)
// A frame pointer points at the caller's saved frame pointer, with the return address above it. The walk stays
// between the stack pointer and the top of the goroutine's stack (g.stack.hi, the second word of g). Assembly is not
// preempted, so the stack does not move meanwhile.
TEXT ·callers(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ s+0(FP), DI
	MOVQ (TLS), R8
	MOVQ 8(R8), R8
	SUBQ $16, R8 // the highest place of a frame pointer and a return address
	MOVQ SP, R9  // frames lie above
	MOVQ BP, SI
	MOVQ $8, CX

next:
	CMPQ SI, R9
	JLS  end
	CMPQ SI, R8
	JHI  end
	MOVQ 8(SI), AX
	MOVQ AX, (DI)
	MOVQ SI, R9
	MOVQ (SI), SI
	ADDQ $8, DI
	DECQ CX
	JNZ  next
	RET

end:
	MOVQ $0, (DI)
	ADDQ $8, DI
	DECQ CX
	JNZ  end
	RET

// func ticks() uint64
TEXT ·ticks(SB), NOSPLIT|NOFRAME, $0-8
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET

// func publish(to *uint64, v uint64)
// Stores become visible in their order.
TEXT ·publish(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ to+0(FP), DI
	MOVQ v+8(FP), AX
	MOVQ AX, (DI)
	RET
