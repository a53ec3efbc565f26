;; Finds the lines of a text that hold one of a few literals, 32 bytes at a time. Compiled by `npm run generate`.
;;
;; line-scanner.ts lays out the memory: at 0 what a call tells beside its result, at 64 what there is to know of each
;; literal, at 1024 the literals, at 8192 the lines that are told, at 65536 the text. Places in the text are counted from
;; its beginning. Reads may go beyond its end, and 16 bytes before its beginning.
(module
  (import "scanner" "memory" (memory 1))

  ;; 48 bytes for each literal: sixteen times a rare byte of it, sixteen times another one, where in the literal these
  ;; two are, the address of the literal and its length.
  (global $literals i32 (i32.const 64))
  (global $literalBytes i32 (i32.const 48))

  ;; Whether a literal stands there as a whole.
  (func $holds (param $literal i32) (param $at i32) (param $end i32) (result i32)
    (local $address i32) (local $length i32) (local $index i32)
    (local.set $address (i32.load offset=40 (local.get $literal)))
    (local.set $length (i32.load offset=44 (local.get $literal)))
    (if (i32.gt_u (i32.add (local.get $at) (local.get $length)) (local.get $end)) (then (return (i32.const 0))))
    (loop $bytes
      (if (i32.ne
            (i32.load8_u offset=65536 (i32.add (local.get $at) (local.get $index)))
            (i32.load8_u (i32.add (local.get $address) (local.get $index))))
        (then (return (i32.const 0))))
      (local.set $index (i32.add (local.get $index) (i32.const 1)))
      (br_if $bytes (i32.lt_u (local.get $index) (local.get $length))))
    (i32.const 1))

  (func $holdsAny (param $literalsEnd i32) (param $at i32) (param $end i32) (result i32)
    (local $literal i32)
    (local.set $literal (global.get $literals))
    (loop $each
      (if (call $holds (local.get $literal) (local.get $at) (local.get $end)) (then (return (i32.const 1))))
      (local.set $literal (i32.add (local.get $literal) (global.get $literalBytes)))
      (br_if $each (i32.lt_u (local.get $literal) (local.get $literalsEnd))))
    (i32.const 0))

  ;; Of the sixteen places from there on, a bit for each where both rare bytes of a literal but the first one are.
  (func $lookalikes (param $literalsEnd i32) (param $at i32) (result i32)
    (local $literal i32) (local $found v128)
    (local.set $literal (i32.add (global.get $literals) (global.get $literalBytes)))
    (loop $each
      (local.set $found
        (v128.or
          (local.get $found)
          (v128.and
            (i8x16.eq
              (v128.load (local.get $literal))
              (v128.load offset=65536 (i32.add (local.get $at) (i32.load offset=32 (local.get $literal)))))
            (i8x16.eq
              (v128.load offset=16 (local.get $literal))
              (v128.load offset=65536 (i32.add (local.get $at) (i32.load offset=36 (local.get $literal))))))))
      (local.set $literal (i32.add (local.get $literal) (global.get $literalBytes)))
      (br_if $each (i32.lt_u (local.get $literal) (local.get $literalsEnd))))
    (i8x16.bitmask (local.get $found)))

  ;; Where the line begins that goes on there, or -1 where that is before the text.
  (func $startOfLine (param $at i32) (result i32)
    (local $ends i32)
    (loop $blocks
      (local.set $ends
        (i8x16.bitmask (i8x16.eq (v128.load offset=65520 (local.get $at)) (i8x16.splat (i32.const 10)))))
      (if (local.get $ends)
        (then
          (local.set $at (i32.add (local.get $at) (i32.sub (i32.const 16) (i32.clz (local.get $ends)))))
          (return (select (local.get $at) (i32.const -1) (i32.gt_s (local.get $at) (i32.const 0))))))
      (local.set $at (i32.sub (local.get $at) (i32.const 16)))
      (br_if $blocks (i32.gt_s (local.get $at) (i32.const 0))))
    (i32.const -1))

  ;; The next line end from there on, or -1.
  (func $endOfLine (param $at i32) (param $end i32) (result i32)
    (local $ends i32)
    (loop $blocks
      (local.set $ends
        (i8x16.bitmask (i8x16.eq (v128.load offset=65536 (local.get $at)) (i8x16.splat (i32.const 10)))))
      (if (local.get $ends)
        (then
          (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $ends))))
          (return (select (local.get $at) (i32.const -1) (i32.lt_u (local.get $at) (local.get $end))))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $blocks (i32.lt_u (local.get $at) (local.get $end))))
    (i32.const -1))

  ;; Finds lines in which a literal begins at `at` or after it and before `last`. A line begins at `at`, or it is 0.
  ;; Of the first `limit` of them it tells how many lines end before, where the line begins (-1: before the text) and
  ;; where it ends (-1: after it), three times 32 bits. Ends where a line does not, and after it told of `capacity`.
  ;; Returns the place it came to, which may be behind `last`. At 0 it leaves how many lines it found, at 4 of how many
  ;; it told, at 8 how many lines end before the place, at 12 whether the last line goes on after the text.
  (func (export "scan")
    (param $at i32) (param $last i32) (param $end i32) (param $literalCount i32) (param $limit i32) (param $capacity i32)
    (result i32)
    (local $literalsEnd i32) (local $rare v128) (local $other v128) (local $rareAt i32) (local $otherAt i32)
    (local $newline v128) (local $rarePlace i32) (local $otherPlace i32) (local $within i32)
    (local $ends i32) (local $places i32) (local $bit i32) (local $lineEnd i32)
    (local $found i32) (local $told i32) (local $lines i32) (local $line i32)
    (local.set $literalsEnd
      (i32.add (global.get $literals) (i32.mul (global.get $literalBytes) (local.get $literalCount))))
    (local.set $rare (v128.load (global.get $literals)))
    (local.set $other (v128.load offset=16 (global.get $literals)))
    (local.set $rareAt (i32.load offset=32 (global.get $literals)))
    (local.set $otherAt (i32.load offset=36 (global.get $literals)))
    (local.set $newline (i8x16.splat (i32.const 10)))
    (local.set $line (i32.const 8192))
    (block $done
      (loop $blocks
        (br_if $done (i32.ge_u (local.get $at) (local.get $last)))
        (local.set $ends
          (i32.or
            (i8x16.bitmask (i8x16.eq (local.get $newline) (v128.load offset=65536 (local.get $at))))
            (i32.shl
              (i8x16.bitmask (i8x16.eq (local.get $newline) (v128.load offset=65552 (local.get $at))))
              (i32.const 16))))
        (local.set $rarePlace (i32.add (local.get $at) (local.get $rareAt)))
        (local.set $otherPlace (i32.add (local.get $at) (local.get $otherAt)))
        (local.set $places
          (i32.or
            (i8x16.bitmask
              (v128.and
                (i8x16.eq (local.get $rare) (v128.load offset=65536 (local.get $rarePlace)))
                (i8x16.eq (local.get $other) (v128.load offset=65536 (local.get $otherPlace)))))
            (i32.shl
              (i8x16.bitmask
                (v128.and
                  (i8x16.eq (local.get $rare) (v128.load offset=65552 (local.get $rarePlace)))
                  (i8x16.eq (local.get $other) (v128.load offset=65552 (local.get $otherPlace)))))
              (i32.const 16))))
        (if (i32.gt_u (local.get $literalCount) (i32.const 1))
          (then
            (local.set $places
              (i32.or
                (local.get $places)
                (i32.or
                  (call $lookalikes (local.get $literalsEnd) (local.get $at))
                  (i32.shl
                    (call $lookalikes (local.get $literalsEnd) (i32.add (local.get $at) (i32.const 16)))
                    (i32.const 16)))))))
        (local.set $within (i32.sub (local.get $last) (local.get $at)))
        (if (i32.lt_u (local.get $within) (i32.const 32))
          (then
            (local.set $within (i32.sub (i32.shl (i32.const 1) (local.get $within)) (i32.const 1)))
            (local.set $ends (i32.and (local.get $ends) (local.get $within)))
            (local.set $places (i32.and (local.get $places) (local.get $within)))))
        (block $none
          (loop $each
            (br_if $none (i32.eqz (local.get $places)))
            (local.set $bit (i32.ctz (local.get $places)))
            (local.set $places (i32.and (local.get $places) (i32.sub (local.get $places) (i32.const 1))))
            (br_if $each
              (i32.eqz
                (call $holdsAny (local.get $literalsEnd) (i32.add (local.get $at) (local.get $bit)) (local.get $end)))))
          (local.set $ends
            (i32.and (local.get $ends) (i32.sub (i32.shl (i32.const 1) (local.get $bit)) (i32.const 1))))
          (local.set $lines (i32.add (local.get $lines) (i32.popcnt (local.get $ends))))
          (local.set $lineEnd (call $endOfLine (i32.add (local.get $at) (local.get $bit)) (local.get $end)))
          (local.set $found (i32.add (local.get $found) (i32.const 1)))
          (if (i32.lt_u (local.get $told) (local.get $limit))
            (then
              (i32.store (local.get $line) (local.get $lines))
              (i32.store offset=4 (local.get $line) (call $startOfLine (i32.add (local.get $at) (local.get $bit))))
              (i32.store offset=8 (local.get $line) (local.get $lineEnd))
              (local.set $line (i32.add (local.get $line) (i32.const 12)))
              (local.set $told (i32.add (local.get $told) (i32.const 1)))))
          (if (i32.eq (local.get $lineEnd) (i32.const -1))
            (then
              (local.set $at (local.get $end))
              (br $done)))
          (local.set $lines (i32.add (local.get $lines) (i32.const 1)))
          (local.set $at (i32.add (local.get $lineEnd) (i32.const 1)))
          (br_if $done (i32.eq (local.get $told) (local.get $capacity)))
          (br $blocks))
        (local.set $lines (i32.add (local.get $lines) (i32.popcnt (local.get $ends))))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br_if $blocks (i32.lt_u (local.get $at) (local.get $last)))
        (local.set $at (local.get $last))))
    (i32.store (i32.const 0) (local.get $found))
    (i32.store (i32.const 4) (local.get $told))
    (i32.store (i32.const 8) (local.get $lines))
    (i32.store (i32.const 12)
      (i32.and (i32.ne (local.get $found) (i32.const 0)) (i32.eq (local.get $lineEnd) (i32.const -1))))
    (local.get $at)))
