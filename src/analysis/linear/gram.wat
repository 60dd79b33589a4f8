;; The innermost loop of `gram.ts`: two components at a time, where JavaScript takes one. `gram-kernel.ts` holds this, assembled.
(module
  (import "rows" "memory" (memory 1))

  ;; Adds the inner products of four rows with two others, over the components that are taken, to eight sums. Addresses and
  ;; lengths are in bytes: of the first of the four and of the two, of a row, of the components, of the first sum, of a row
  ;; of sums.
  (func (export "addBlock") (param $x0 i32) (param $y0 i32) (param $row i32) (param $taken i32) (param $sum i32) (param $next i32)
    (local $x1 i32) (local $x2 i32) (local $x3 i32) (local $y1 i32) (local $end i32)
    (local $x v128) (local $a v128) (local $b v128)
    (local $s0a v128) (local $s0b v128) (local $s1a v128) (local $s1b v128)
    (local $s2a v128) (local $s2b v128) (local $s3a v128) (local $s3b v128)
    (local.set $x1 (i32.add (local.get $x0) (local.get $row)))
    (local.set $x2 (i32.add (local.get $x1) (local.get $row)))
    (local.set $x3 (i32.add (local.get $x2) (local.get $row)))
    (local.set $y1 (i32.add (local.get $y0) (local.get $row)))
    (local.set $end (i32.add (local.get $x0) (local.get $taken)))
    (loop $more
      (local.set $a (v128.load (local.get $y0)))
      (local.set $b (v128.load (local.get $y1)))
      (local.set $x (v128.load (local.get $x0)))
      (local.set $s0a (f64x2.add (local.get $s0a) (f64x2.mul (local.get $x) (local.get $a))))
      (local.set $s0b (f64x2.add (local.get $s0b) (f64x2.mul (local.get $x) (local.get $b))))
      (local.set $x (v128.load (local.get $x1)))
      (local.set $s1a (f64x2.add (local.get $s1a) (f64x2.mul (local.get $x) (local.get $a))))
      (local.set $s1b (f64x2.add (local.get $s1b) (f64x2.mul (local.get $x) (local.get $b))))
      (local.set $x (v128.load (local.get $x2)))
      (local.set $s2a (f64x2.add (local.get $s2a) (f64x2.mul (local.get $x) (local.get $a))))
      (local.set $s2b (f64x2.add (local.get $s2b) (f64x2.mul (local.get $x) (local.get $b))))
      (local.set $x (v128.load (local.get $x3)))
      (local.set $s3a (f64x2.add (local.get $s3a) (f64x2.mul (local.get $x) (local.get $a))))
      (local.set $s3b (f64x2.add (local.get $s3b) (f64x2.mul (local.get $x) (local.get $b))))
      (local.set $x0 (i32.add (local.get $x0) (i32.const 16)))
      (local.set $x1 (i32.add (local.get $x1) (i32.const 16)))
      (local.set $x2 (i32.add (local.get $x2) (i32.const 16)))
      (local.set $x3 (i32.add (local.get $x3) (i32.const 16)))
      (local.set $y0 (i32.add (local.get $y0) (i32.const 16)))
      (local.set $y1 (i32.add (local.get $y1) (i32.const 16)))
      (br_if $more (i32.lt_u (local.get $x0) (local.get $end))))
    (call $addPair (local.get $sum) (local.get $s0a) (local.get $s0b))
    (local.set $sum (i32.add (local.get $sum) (local.get $next)))
    (call $addPair (local.get $sum) (local.get $s1a) (local.get $s1b))
    (local.set $sum (i32.add (local.get $sum) (local.get $next)))
    (call $addPair (local.get $sum) (local.get $s2a) (local.get $s2b))
    (local.set $sum (i32.add (local.get $sum) (local.get $next)))
    (call $addPair (local.get $sum) (local.get $s3a) (local.get $s3b)))

  ;; To two neighbouring sums, what both halves of a vector come to.
  (func $addPair (param $sum i32) (param $a v128) (param $b v128)
    (v128.store (local.get $sum)
      (f64x2.add (v128.load (local.get $sum))
        (f64x2.add
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $b))
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $b)))))))
