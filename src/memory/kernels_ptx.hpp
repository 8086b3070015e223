// SPDX-License-Identifier: BSD-3-Clause
// Made of kernels.cu by `make ptx`.  No MPI in this file.
#pragma once

namespace ortho::memory {

inline constexpr char kernels_ptx[] = R"ptx(
.version 6.3
.target sm_70
.address_size 64
	// .globl	copy_boxes
.visible .entry copy_boxes(
	.param .u64 copy_boxes_param_0,
	.param .u32 copy_boxes_param_1,
	.param .u64 copy_boxes_param_2,
	.param .u64 copy_boxes_param_3,
	.param .u64 copy_boxes_param_4,
	.param .u32 copy_boxes_param_5,
	.param .u32 copy_boxes_param_6
)
{
	.reg .pred 	%p<19>;
	.reg .b16 	%rs<5>;
	.reg .b32 	%r<74>;
	.reg .b64 	%rd<72>;
	ld.param.u64 	%rd15, [copy_boxes_param_0];
	ld.param.u32 	%r8, [copy_boxes_param_1];
	ld.param.u64 	%rd16, [copy_boxes_param_2];
	ld.param.u64 	%rd17, [copy_boxes_param_3];
	ld.param.u64 	%rd14, [copy_boxes_param_4];
	ld.param.u32 	%r9, [copy_boxes_param_5];
	ld.param.u32 	%r10, [copy_boxes_param_6];
	cvta.to.global.u64 	%rd1, %rd16;
	cvta.to.global.u64 	%rd2, %rd15;
	mov.u32 	%r11, %nctaid.x;
	mov.u32 	%r12, %ntid.x;
	mul.wide.u32 	%rd3, %r11, %r12;
	mov.u32 	%r13, %ctaid.x;
	mul.wide.u32 	%rd18, %r13, %r12;
	mov.u32 	%r14, %tid.x;
	cvt.u64.u32 	%rd19, %r14;
	add.s64 	%rd20, %rd18, %rd19;
	add.s64 	%rd70, %rd20, %rd17;
	setp.ge.u64 	%p1, %rd70, %rd14;
	@%p1 bra 	$L__BB0_26;
	setp.gt.u32 	%p2, %r8, 1;
	cvt.u64.u32 	%rd5, %r9;
	add.s32 	%r15, %r9, -2;
	shf.l.wrap.b32 	%r1, %r15, %r15, 31;
	@%p2 bra 	$L__BB0_13;
	bra.uni 	$L__BB0_2;
$L__BB0_13:
	mov.u32 	%r73, 0;
	mov.u32 	%r71, %r8;
	mov.u32 	%r72, %r8;
$L__BB0_14:
	shr.u32 	%r43, %r71, 1;
	add.s32 	%r44, %r43, %r73;
	mul.wide.u32 	%rd43, %r44, 56;
	add.s64 	%rd44, %rd2, %rd43;
	ld.global.u64 	%rd45, [%rd44+8];
	setp.le.u64 	%p10, %rd45, %rd70;
	selp.b32 	%r73, %r44, %r73, %p10;
	selp.b32 	%r72, %r72, %r44, %p10;
	sub.s32 	%r71, %r72, %r73;
	setp.gt.u32 	%p11, %r71, 1;
	@%p11 bra 	$L__BB0_14;
	setp.eq.s32 	%p12, %r10, 0;
	mul.wide.u32 	%rd46, %r73, 56;
	add.s64 	%rd47, %rd2, %rd46;
	ld.global.u64 	%rd48, [%rd47+8];
	sub.s64 	%rd49, %rd70, %rd48;
	cvt.u32.u64 	%r45, %rd49;
	ld.global.v2.u32 	{%r46, %r47}, [%rd47+16];
	div.u32 	%r50, %r45, %r46;
	mul.lo.s32 	%r51, %r50, %r46;
	sub.s32 	%r52, %r45, %r51;
	cvt.u64.u32 	%rd50, %r52;
	mul.lo.s64 	%rd51, %rd50, %rd5;
	ld.global.u64 	%rd52, [%rd47];
	cvta.to.global.u64 	%rd53, %rd52;
	ld.global.u32 	%r53, [%rd47+28];
	div.u32 	%r54, %r50, %r53;
	mul.lo.s32 	%r55, %r54, %r53;
	sub.s32 	%r56, %r50, %r55;
	cvt.u64.u32 	%rd54, %r56;
	ld.global.u64 	%rd55, [%rd47+48];
	mul.lo.s64 	%rd56, %rd55, %rd54;
	add.s64 	%rd57, %rd51, %rd56;
	ld.global.u32 	%r57, [%rd47+24];
	div.u32 	%r58, %r54, %r57;
	mul.lo.s32 	%r59, %r58, %r57;
	sub.s32 	%r60, %r54, %r59;
	cvt.u64.u32 	%rd58, %r60;
	ld.global.u64 	%rd59, [%rd47+40];
	mul.lo.s64 	%rd60, %rd59, %rd58;
	add.s64 	%rd61, %rd57, %rd60;
	rem.u32 	%r61, %r58, %r47;
	cvt.u64.u32 	%rd62, %r61;
	ld.global.u64 	%rd63, [%rd47+32];
	mul.lo.s64 	%rd64, %rd63, %rd62;
	add.s64 	%rd65, %rd61, %rd64;
	add.s64 	%rd66, %rd53, %rd65;
	mul.lo.s64 	%rd67, %rd70, %rd5;
	add.s64 	%rd68, %rd1, %rd67;
	selp.b64 	%rd11, %rd68, %rd66, %p12;
	selp.b64 	%rd12, %rd66, %rd68, %p12;
	setp.gt.s32 	%p13, %r1, 2;
	@%p13 bra 	$L__BB0_19;
	setp.eq.s32 	%p16, %r1, 0;
	@%p16 bra 	$L__BB0_23;
	setp.eq.s32 	%p17, %r1, 1;
	@%p17 bra 	$L__BB0_18;
	bra.uni 	$L__BB0_24;
$L__BB0_18:
	ld.global.u32 	%r70, [%rd12];
	st.global.u32 	[%rd11], %r70;
	bra.uni 	$L__BB0_25;
$L__BB0_19:
	setp.eq.s32 	%p14, %r1, 3;
	@%p14 bra 	$L__BB0_22;
	setp.ne.s32 	%p15, %r1, 7;
	@%p15 bra 	$L__BB0_24;
	ld.global.v4.u32 	{%r62, %r63, %r64, %r65}, [%rd12];
	st.global.v4.u32 	[%rd11], {%r62, %r63, %r64, %r65};
	bra.uni 	$L__BB0_25;
$L__BB0_23:
	ld.global.u16 	%rs3, [%rd12];
	st.global.u16 	[%rd11], %rs3;
	bra.uni 	$L__BB0_25;
$L__BB0_22:
	ld.global.u64 	%rd69, [%rd12];
	st.global.u64 	[%rd11], %rd69;
	bra.uni 	$L__BB0_25;
$L__BB0_24:
	ld.global.u8 	%rs4, [%rd12];
	st.global.u8 	[%rd11], %rs4;
$L__BB0_25:
	add.s64 	%rd70, %rd70, %rd3;
	setp.lt.u64 	%p18, %rd70, %rd14;
	@%p18 bra 	$L__BB0_13;
	bra.uni 	$L__BB0_26;
$L__BB0_2:
	ld.global.u64 	%rd21, [%rd2+8];
	sub.s64 	%rd22, %rd70, %rd21;
	cvt.u32.u64 	%r16, %rd22;
	ld.global.v2.u32 	{%r17, %r18}, [%rd2+16];
	div.u32 	%r21, %r16, %r17;
	mul.lo.s32 	%r22, %r21, %r17;
	sub.s32 	%r23, %r16, %r22;
	cvt.u64.u32 	%rd23, %r23;
	mul.lo.s64 	%rd24, %rd23, %rd5;
	ld.global.u64 	%rd25, [%rd2];
	cvta.to.global.u64 	%rd26, %rd25;
	ld.global.u32 	%r24, [%rd2+28];
	div.u32 	%r25, %r21, %r24;
	mul.lo.s32 	%r26, %r25, %r24;
	sub.s32 	%r27, %r21, %r26;
	cvt.u64.u32 	%rd27, %r27;
	ld.global.u64 	%rd28, [%rd2+48];
	mul.lo.s64 	%rd29, %rd28, %rd27;
	add.s64 	%rd30, %rd24, %rd29;
	ld.global.u32 	%r28, [%rd2+24];
	div.u32 	%r29, %r25, %r28;
	mul.lo.s32 	%r30, %r29, %r28;
	sub.s32 	%r31, %r25, %r30;
	cvt.u64.u32 	%rd31, %r31;
	ld.global.u64 	%rd32, [%rd2+40];
	mul.lo.s64 	%rd33, %rd32, %rd31;
	add.s64 	%rd34, %rd30, %rd33;
	rem.u32 	%r32, %r29, %r18;
	cvt.u64.u32 	%rd35, %r32;
	ld.global.u64 	%rd36, [%rd2+32];
	mul.lo.s64 	%rd37, %rd36, %rd35;
	add.s64 	%rd38, %rd34, %rd37;
	add.s64 	%rd39, %rd26, %rd38;
	mul.lo.s64 	%rd40, %rd70, %rd5;
	add.s64 	%rd41, %rd1, %rd40;
	setp.eq.s32 	%p3, %r10, 0;
	selp.b64 	%rd7, %rd41, %rd39, %p3;
	selp.b64 	%rd8, %rd39, %rd41, %p3;
	setp.gt.s32 	%p4, %r1, 2;
	@%p4 bra 	$L__BB0_6;
	setp.eq.s32 	%p7, %r1, 0;
	@%p7 bra 	$L__BB0_10;
	setp.eq.s32 	%p8, %r1, 1;
	@%p8 bra 	$L__BB0_5;
	bra.uni 	$L__BB0_11;
$L__BB0_5:
	ld.global.u32 	%r41, [%rd8];
	st.global.u32 	[%rd7], %r41;
	bra.uni 	$L__BB0_12;
$L__BB0_6:
	setp.eq.s32 	%p5, %r1, 3;
	@%p5 bra 	$L__BB0_9;
	setp.ne.s32 	%p6, %r1, 7;
	@%p6 bra 	$L__BB0_11;
	ld.global.v4.u32 	{%r33, %r34, %r35, %r36}, [%rd8];
	st.global.v4.u32 	[%rd7], {%r33, %r34, %r35, %r36};
	bra.uni 	$L__BB0_12;
$L__BB0_10:
	ld.global.u16 	%rs1, [%rd8];
	st.global.u16 	[%rd7], %rs1;
	bra.uni 	$L__BB0_12;
$L__BB0_9:
	ld.global.u64 	%rd42, [%rd8];
	st.global.u64 	[%rd7], %rd42;
	bra.uni 	$L__BB0_12;
$L__BB0_11:
	ld.global.u8 	%rs2, [%rd8];
	st.global.u8 	[%rd7], %rs2;
$L__BB0_12:
	add.s64 	%rd70, %rd70, %rd3;
	setp.lt.u64 	%p9, %rd70, %rd14;
	@%p9 bra 	$L__BB0_2;
$L__BB0_26:
	ret;
}
)ptx";

} // namespace ortho::memory
