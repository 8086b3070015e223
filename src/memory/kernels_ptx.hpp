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
	// .globl	reduce_boxes
.visible .entry reduce_boxes(
	.param .u64 reduce_boxes_param_0,
	.param .u32 reduce_boxes_param_1,
	.param .u64 reduce_boxes_param_2,
	.param .u64 reduce_boxes_param_3,
	.param .u64 reduce_boxes_param_4,
	.param .u32 reduce_boxes_param_5,
	.param .align 1 .b8 reduce_boxes_param_6[2]
)
{
	.reg .pred 	%p<49>;
	.reg .b16 	%rs<15>;
	.reg .f32 	%f<15>;
	.reg .b32 	%r<67>;
	.reg .f64 	%fd<15>;
	.reg .b64 	%rd<80>;
	ld.param.u64 	%rd17, [reduce_boxes_param_0];
	ld.param.u32 	%r9, [reduce_boxes_param_1];
	ld.param.u64 	%rd18, [reduce_boxes_param_2];
	ld.param.u64 	%rd19, [reduce_boxes_param_3];
	ld.param.u64 	%rd16, [reduce_boxes_param_4];
	ld.param.u32 	%r10, [reduce_boxes_param_5];
	ld.param.u8 	%rs4, [reduce_boxes_param_6+1];
	ld.param.u8 	%rs3, [reduce_boxes_param_6];
	cvta.to.global.u64 	%rd1, %rd18;
	cvta.to.global.u64 	%rd2, %rd17;
	mov.u32 	%r11, %nctaid.x;
	mov.u32 	%r12, %ntid.x;
	mul.wide.u32 	%rd3, %r11, %r12;
	mov.u32 	%r13, %ctaid.x;
	mul.wide.u32 	%rd20, %r13, %r12;
	mov.u32 	%r14, %tid.x;
	cvt.u64.u32 	%rd21, %r14;
	add.s64 	%rd22, %rd20, %rd21;
	add.s64 	%rd78, %rd22, %rd19;
	setp.ge.u64 	%p1, %rd78, %rd16;
	@%p1 bra 	$L__BB1_64;
	setp.gt.u32 	%p2, %r9, 1;
	cvt.u64.u32 	%rd5, %r10;
	@%p2 bra 	$L__BB1_32;
	bra.uni 	$L__BB1_2;
$L__BB1_32:
	mov.u32 	%r66, 0;
	mov.u32 	%r64, %r9;
	mov.u32 	%r65, %r9;
$L__BB1_33:
	shr.u32 	%r39, %r64, 1;
	add.s32 	%r40, %r39, %r66;
	mul.wide.u32 	%rd48, %r40, 56;
	add.s64 	%rd49, %rd2, %rd48;
	ld.global.u64 	%rd50, [%rd49+8];
	setp.le.u64 	%p25, %rd50, %rd78;
	selp.b32 	%r66, %r40, %r66, %p25;
	selp.b32 	%r65, %r65, %r40, %p25;
	sub.s32 	%r64, %r65, %r66;
	setp.gt.u32 	%p26, %r64, 1;
	@%p26 bra 	$L__BB1_33;
	mul.wide.u32 	%rd51, %r66, 56;
	add.s64 	%rd52, %rd2, %rd51;
	ld.global.u64 	%rd53, [%rd52+8];
	sub.s64 	%rd54, %rd78, %rd53;
	cvt.u32.u64 	%r41, %rd54;
	ld.global.v2.u32 	{%r42, %r43}, [%rd52+16];
	div.u32 	%r46, %r41, %r42;
	mul.lo.s32 	%r47, %r46, %r42;
	sub.s32 	%r48, %r41, %r47;
	cvt.u64.u32 	%rd55, %r48;
	mul.lo.s64 	%rd56, %rd55, %rd5;
	ld.global.u64 	%rd57, [%rd52];
	cvta.to.global.u64 	%rd58, %rd57;
	ld.global.u32 	%r49, [%rd52+28];
	div.u32 	%r50, %r46, %r49;
	mul.lo.s32 	%r51, %r50, %r49;
	sub.s32 	%r52, %r46, %r51;
	cvt.u64.u32 	%rd59, %r52;
	ld.global.u64 	%rd60, [%rd52+48];
	mul.lo.s64 	%rd61, %rd60, %rd59;
	add.s64 	%rd62, %rd56, %rd61;
	ld.global.u32 	%r53, [%rd52+24];
	div.u32 	%r54, %r50, %r53;
	mul.lo.s32 	%r55, %r54, %r53;
	sub.s32 	%r56, %r50, %r55;
	cvt.u64.u32 	%rd63, %r56;
	ld.global.u64 	%rd64, [%rd52+40];
	mul.lo.s64 	%rd65, %rd64, %rd63;
	add.s64 	%rd66, %rd62, %rd65;
	rem.u32 	%r57, %r54, %r43;
	cvt.u64.u32 	%rd67, %r57;
	ld.global.u64 	%rd68, [%rd52+32];
	mul.lo.s64 	%rd69, %rd68, %rd67;
	add.s64 	%rd70, %rd66, %rd69;
	add.s64 	%rd13, %rd58, %rd70;
	mul.lo.s64 	%rd71, %rd78, %rd5;
	add.s64 	%rd12, %rd1, %rd71;
	setp.gt.s16 	%p27, %rs3, 1;
	@%p27 bra 	$L__BB1_41;
	setp.eq.s16 	%p30, %rs3, 0;
	@%p30 bra 	$L__BB1_57;
	setp.eq.s16 	%p31, %rs3, 1;
	@%p31 bra 	$L__BB1_37;
	bra.uni 	$L__BB1_63;
$L__BB1_37:
	ld.global.u64 	%rd14, [%rd12];
	setp.eq.s16 	%p42, %rs4, 0;
	@%p42 bra 	$L__BB1_56;
	setp.eq.s16 	%p43, %rs4, 1;
	@%p43 bra 	$L__BB1_55;
	setp.ne.s16 	%p44, %rs4, 2;
	@%p44 bra 	$L__BB1_63;
	ld.global.u64 	%rd72, [%rd13];
	max.s64 	%rd73, %rd14, %rd72;
	st.global.u64 	[%rd13], %rd73;
	bra.uni 	$L__BB1_63;
$L__BB1_41:
	setp.eq.s16 	%p28, %rs3, 2;
	@%p28 bra 	$L__BB1_49;
	setp.ne.s16 	%p29, %rs3, 3;
	@%p29 bra 	$L__BB1_63;
	ld.global.f64 	%fd2, [%rd12];
	setp.eq.s16 	%p32, %rs4, 0;
	@%p32 bra 	$L__BB1_48;
	setp.eq.s16 	%p33, %rs4, 1;
	@%p33 bra 	$L__BB1_47;
	setp.ne.s16 	%p34, %rs4, 2;
	@%p34 bra 	$L__BB1_63;
	ld.global.f64 	%fd9, [%rd13];
	setp.gt.f64 	%p35, %fd2, %fd9;
	selp.f64 	%fd10, %fd2, %fd9, %p35;
	st.global.f64 	[%rd13], %fd10;
	bra.uni 	$L__BB1_63;
$L__BB1_57:
	ld.global.u32 	%r8, [%rd12];
	setp.eq.s16 	%p45, %rs4, 0;
	@%p45 bra 	$L__BB1_62;
	setp.eq.s16 	%p46, %rs4, 1;
	@%p46 bra 	$L__BB1_61;
	setp.ne.s16 	%p47, %rs4, 2;
	@%p47 bra 	$L__BB1_63;
	ld.global.u32 	%r58, [%rd13];
	max.s32 	%r59, %r8, %r58;
	st.global.u32 	[%rd13], %r59;
	bra.uni 	$L__BB1_63;
$L__BB1_49:
	ld.global.f32 	%f2, [%rd12];
	setp.eq.s16 	%p37, %rs4, 0;
	@%p37 bra 	$L__BB1_54;
	setp.eq.s16 	%p38, %rs4, 1;
	@%p38 bra 	$L__BB1_53;
	setp.ne.s16 	%p39, %rs4, 2;
	@%p39 bra 	$L__BB1_63;
	ld.global.f32 	%f9, [%rd13];
	setp.gt.f32 	%p40, %f2, %f9;
	selp.f32 	%f10, %f2, %f9, %p40;
	st.global.f32 	[%rd13], %f10;
	bra.uni 	$L__BB1_63;
$L__BB1_56:
	ld.global.u64 	%rd76, [%rd13];
	add.s64 	%rd77, %rd76, %rd14;
	st.global.u64 	[%rd13], %rd77;
	bra.uni 	$L__BB1_63;
$L__BB1_55:
	ld.global.u64 	%rd74, [%rd13];
	min.s64 	%rd75, %rd14, %rd74;
	st.global.u64 	[%rd13], %rd75;
	bra.uni 	$L__BB1_63;
$L__BB1_48:
	ld.global.f64 	%fd13, [%rd13];
	add.f64 	%fd14, %fd2, %fd13;
	st.global.f64 	[%rd13], %fd14;
	bra.uni 	$L__BB1_63;
$L__BB1_47:
	ld.global.f64 	%fd11, [%rd13];
	setp.lt.f64 	%p36, %fd2, %fd11;
	selp.f64 	%fd12, %fd2, %fd11, %p36;
	st.global.f64 	[%rd13], %fd12;
	bra.uni 	$L__BB1_63;
$L__BB1_62:
	ld.global.u32 	%r62, [%rd13];
	add.s32 	%r63, %r62, %r8;
	st.global.u32 	[%rd13], %r63;
	bra.uni 	$L__BB1_63;
$L__BB1_61:
	ld.global.u32 	%r60, [%rd13];
	min.s32 	%r61, %r8, %r60;
	st.global.u32 	[%rd13], %r61;
	bra.uni 	$L__BB1_63;
$L__BB1_54:
	ld.global.f32 	%f13, [%rd13];
	add.f32 	%f14, %f2, %f13;
	st.global.f32 	[%rd13], %f14;
	bra.uni 	$L__BB1_63;
$L__BB1_53:
	ld.global.f32 	%f11, [%rd13];
	setp.lt.f32 	%p41, %f2, %f11;
	selp.f32 	%f12, %f2, %f11, %p41;
	st.global.f32 	[%rd13], %f12;
$L__BB1_63:
	add.s64 	%rd78, %rd78, %rd3;
	setp.lt.u64 	%p48, %rd78, %rd16;
	@%p48 bra 	$L__BB1_32;
	bra.uni 	$L__BB1_64;
$L__BB1_2:
	ld.global.u64 	%rd23, [%rd2+8];
	sub.s64 	%rd24, %rd78, %rd23;
	cvt.u32.u64 	%r15, %rd24;
	ld.global.v2.u32 	{%r16, %r17}, [%rd2+16];
	div.u32 	%r20, %r15, %r16;
	mul.lo.s32 	%r21, %r20, %r16;
	sub.s32 	%r22, %r15, %r21;
	cvt.u64.u32 	%rd25, %r22;
	mul.lo.s64 	%rd26, %rd25, %rd5;
	ld.global.u64 	%rd27, [%rd2];
	cvta.to.global.u64 	%rd28, %rd27;
	ld.global.u32 	%r23, [%rd2+28];
	div.u32 	%r24, %r20, %r23;
	mul.lo.s32 	%r25, %r24, %r23;
	sub.s32 	%r26, %r20, %r25;
	cvt.u64.u32 	%rd29, %r26;
	ld.global.u64 	%rd30, [%rd2+48];
	mul.lo.s64 	%rd31, %rd30, %rd29;
	add.s64 	%rd32, %rd26, %rd31;
	ld.global.u32 	%r27, [%rd2+24];
	div.u32 	%r28, %r24, %r27;
	mul.lo.s32 	%r29, %r28, %r27;
	sub.s32 	%r30, %r24, %r29;
	cvt.u64.u32 	%rd33, %r30;
	ld.global.u64 	%rd34, [%rd2+40];
	mul.lo.s64 	%rd35, %rd34, %rd33;
	add.s64 	%rd36, %rd32, %rd35;
	rem.u32 	%r31, %r28, %r17;
	cvt.u64.u32 	%rd37, %r31;
	ld.global.u64 	%rd38, [%rd2+32];
	mul.lo.s64 	%rd39, %rd38, %rd37;
	add.s64 	%rd40, %rd36, %rd39;
	add.s64 	%rd8, %rd28, %rd40;
	mul.lo.s64 	%rd41, %rd78, %rd5;
	add.s64 	%rd7, %rd1, %rd41;
	setp.gt.s16 	%p3, %rs3, 1;
	@%p3 bra 	$L__BB1_9;
	setp.eq.s16 	%p6, %rs3, 0;
	@%p6 bra 	$L__BB1_25;
	setp.eq.s16 	%p7, %rs3, 1;
	@%p7 bra 	$L__BB1_5;
	bra.uni 	$L__BB1_31;
$L__BB1_5:
	ld.global.u64 	%rd9, [%rd7];
	setp.eq.s16 	%p18, %rs4, 0;
	@%p18 bra 	$L__BB1_24;
	setp.eq.s16 	%p19, %rs4, 1;
	@%p19 bra 	$L__BB1_23;
	setp.ne.s16 	%p20, %rs4, 2;
	@%p20 bra 	$L__BB1_31;
	ld.global.u64 	%rd42, [%rd8];
	max.s64 	%rd43, %rd9, %rd42;
	st.global.u64 	[%rd8], %rd43;
	bra.uni 	$L__BB1_31;
$L__BB1_9:
	setp.eq.s16 	%p4, %rs3, 2;
	@%p4 bra 	$L__BB1_17;
	setp.ne.s16 	%p5, %rs3, 3;
	@%p5 bra 	$L__BB1_31;
	ld.global.f64 	%fd1, [%rd7];
	setp.eq.s16 	%p8, %rs4, 0;
	@%p8 bra 	$L__BB1_16;
	setp.eq.s16 	%p9, %rs4, 1;
	@%p9 bra 	$L__BB1_15;
	setp.ne.s16 	%p10, %rs4, 2;
	@%p10 bra 	$L__BB1_31;
	ld.global.f64 	%fd3, [%rd8];
	setp.gt.f64 	%p11, %fd1, %fd3;
	selp.f64 	%fd4, %fd1, %fd3, %p11;
	st.global.f64 	[%rd8], %fd4;
	bra.uni 	$L__BB1_31;
$L__BB1_25:
	ld.global.u32 	%r1, [%rd7];
	setp.eq.s16 	%p21, %rs4, 0;
	@%p21 bra 	$L__BB1_30;
	setp.eq.s16 	%p22, %rs4, 1;
	@%p22 bra 	$L__BB1_29;
	setp.ne.s16 	%p23, %rs4, 2;
	@%p23 bra 	$L__BB1_31;
	ld.global.u32 	%r32, [%rd8];
	max.s32 	%r33, %r1, %r32;
	st.global.u32 	[%rd8], %r33;
	bra.uni 	$L__BB1_31;
$L__BB1_17:
	ld.global.f32 	%f1, [%rd7];
	setp.eq.s16 	%p13, %rs4, 0;
	@%p13 bra 	$L__BB1_22;
	setp.eq.s16 	%p14, %rs4, 1;
	@%p14 bra 	$L__BB1_21;
	setp.ne.s16 	%p15, %rs4, 2;
	@%p15 bra 	$L__BB1_31;
	ld.global.f32 	%f3, [%rd8];
	setp.gt.f32 	%p16, %f1, %f3;
	selp.f32 	%f4, %f1, %f3, %p16;
	st.global.f32 	[%rd8], %f4;
	bra.uni 	$L__BB1_31;
$L__BB1_24:
	ld.global.u64 	%rd46, [%rd8];
	add.s64 	%rd47, %rd46, %rd9;
	st.global.u64 	[%rd8], %rd47;
	bra.uni 	$L__BB1_31;
$L__BB1_23:
	ld.global.u64 	%rd44, [%rd8];
	min.s64 	%rd45, %rd9, %rd44;
	st.global.u64 	[%rd8], %rd45;
	bra.uni 	$L__BB1_31;
$L__BB1_16:
	ld.global.f64 	%fd7, [%rd8];
	add.f64 	%fd8, %fd1, %fd7;
	st.global.f64 	[%rd8], %fd8;
	bra.uni 	$L__BB1_31;
$L__BB1_15:
	ld.global.f64 	%fd5, [%rd8];
	setp.lt.f64 	%p12, %fd1, %fd5;
	selp.f64 	%fd6, %fd1, %fd5, %p12;
	st.global.f64 	[%rd8], %fd6;
	bra.uni 	$L__BB1_31;
$L__BB1_30:
	ld.global.u32 	%r36, [%rd8];
	add.s32 	%r37, %r36, %r1;
	st.global.u32 	[%rd8], %r37;
	bra.uni 	$L__BB1_31;
$L__BB1_29:
	ld.global.u32 	%r34, [%rd8];
	min.s32 	%r35, %r1, %r34;
	st.global.u32 	[%rd8], %r35;
	bra.uni 	$L__BB1_31;
$L__BB1_22:
	ld.global.f32 	%f7, [%rd8];
	add.f32 	%f8, %f1, %f7;
	st.global.f32 	[%rd8], %f8;
	bra.uni 	$L__BB1_31;
$L__BB1_21:
	ld.global.f32 	%f5, [%rd8];
	setp.lt.f32 	%p17, %f1, %f5;
	selp.f32 	%f6, %f1, %f5, %p17;
	st.global.f32 	[%rd8], %f6;
$L__BB1_31:
	add.s64 	%rd78, %rd78, %rd3;
	setp.lt.u64 	%p24, %rd78, %rd16;
	@%p24 bra 	$L__BB1_2;
$L__BB1_64:
	ret;
}
)ptx";

} // namespace ortho::memory
