;; The inner loop of vector search. Compiled into kernel.ts; test/store/kernel.test.ts ties the two.
;;
;; score(query, rows, scales, out, from, to, unit)
;;   query   address of 384 int16: the query's components times 32767 / largest
;;   rows    address of the vectors, 384 int8 each, one after the other
;;   scales  address of one float32 per vector
;;   out     address of one float32 per vector: dot product x scale x unit
;;   from, to  the rows to score, to not included
;; A row adds 384 products of at most 127 x 32767 into 8 lanes of int32: far below overflow.
(module
  (import "env" "memory" (memory 1))
  (func (export "score")
    (param $query i32) (param $rows i32) (param $scales i32) (param $out i32)
    (param $from i32) (param $to i32) (param $unit f32)
    (local $row i32) (local $end i32) (local $q i32)
    (local $part v128) (local $low v128) (local $high v128)
    (local.set $row
      (i32.add (local.get $rows) (i32.mul (local.get $from) (i32.const 384))))
    (local.set $scales
      (i32.add (local.get $scales) (i32.shl (local.get $from) (i32.const 2))))
    (local.set $out
      (i32.add (local.get $out) (i32.shl (local.get $from) (i32.const 2))))
    (block $done
      (loop $vector
        (br_if $done (i32.ge_u (local.get $from) (local.get $to)))
        (local.set $low (v128.const i32x4 0 0 0 0))
        (local.set $high (v128.const i32x4 0 0 0 0))
        (local.set $q (local.get $query))
        (local.set $end (i32.add (local.get $row) (i32.const 384)))
        (loop $components
          (local.set $part (v128.load (local.get $row)))
          (local.set $low (i32x4.add (local.get $low)
            (i32x4.dot_i16x8_s
              (i16x8.extend_low_i8x16_s (local.get $part)) (v128.load (local.get $q)))))
          (local.set $high (i32x4.add (local.get $high)
            (i32x4.dot_i16x8_s
              (i16x8.extend_high_i8x16_s (local.get $part)) (v128.load offset=16 (local.get $q)))))
          (local.set $part (v128.load offset=16 (local.get $row)))
          (local.set $low (i32x4.add (local.get $low)
            (i32x4.dot_i16x8_s
              (i16x8.extend_low_i8x16_s (local.get $part)) (v128.load offset=32 (local.get $q)))))
          (local.set $high (i32x4.add (local.get $high)
            (i32x4.dot_i16x8_s
              (i16x8.extend_high_i8x16_s (local.get $part)) (v128.load offset=48 (local.get $q)))))
          (local.set $row (i32.add (local.get $row) (i32.const 32)))
          (local.set $q (i32.add (local.get $q) (i32.const 64)))
          (br_if $components (i32.lt_u (local.get $row) (local.get $end))))
        (local.set $low (i32x4.add (local.get $low) (local.get $high)))
        (f32.store (local.get $out)
          (f32.mul
            (f32.mul (local.get $unit) (f32.load (local.get $scales)))
            (f32.convert_i32_s (i32.add
              (i32.add
                (i32x4.extract_lane 0 (local.get $low)) (i32x4.extract_lane 1 (local.get $low)))
              (i32.add
                (i32x4.extract_lane 2 (local.get $low)) (i32x4.extract_lane 3 (local.get $low)))))))
        (local.set $scales (i32.add (local.get $scales) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))
        (br $vector)))))
