/** Whether there is a dark module in this column and row. */
type Grid = (x: number, y: number) => boolean

const MASKS: readonly ((x: number, y: number) => number)[] = [
  (x, y) => (x + y) % 2,
  (_, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
]

/** How the format is masked, so that it is never all light. */
const FORMAT_MASK = 0b101010000010010
const LEVEL_L = 0b01
const BYTES = 0b0100

/**
 * Reads a QR code without errors, as a camera does: its format, its mask, and its bytes along the zigzag. Up to version 5 at
 * level L, whose data is one block and comes first.
 */
export function readQr(size: number, isDark: Grid): string {
  const format = formatOf(isDark) ^ FORMAT_MASK
  const version = (size - 17) / 4
  if (format >> 13 !== LEVEL_L || version > 5) throw new Error(`not a code of one block: ${version}, ${format >> 13}`)
  const mask = MASKS[(format >> 10) & 7]
  const bits: number[] = []
  for (const [x, y] of zigzag(size)) {
    if (isFunction(size, x, y)) continue
    bits.push(Number(isDark(x, y)) ^ Number(mask?.(x, y) === 0))
  }
  const number = (from: number, count: number): number => Number.parseInt(bits.slice(from, from + count).join(''), 2)
  if (number(0, 4) !== BYTES) throw new Error('not a code of bytes')
  return Buffer.from(Array.from({ length: number(4, 8) }, (_, index) => number(12 + 8 * index, 8))).toString()
}

/** The 15 bits beside the finder at the top left, the highest first. */
function formatOf(isDark: Grid): number {
  const places = [0, 1, 2, 3, 4, 5, 7].map((x): [number, number] => [x, 8])
  const rest = [8, 7, 5, 4, 3, 2, 1, 0].map((y): [number, number] => [8, y])
  return [...places, ...rest].reduce((bits, [x, y]) => (bits << 1) | Number(isDark(x, y)), 0)
}

function* zigzag(size: number): Generator<[number, number]> {
  let isUp = true
  for (let right = size - 1; right > 0; right -= 2) {
    // The column of the timing pattern holds nothing.
    if (right === 6) right--
    for (let row = 0; row < size; row++) {
      const y = isUp ? size - 1 - row : row
      yield [right, y]
      yield [right - 1, y]
    }
    isUp = !isUp
  }
}

/** Finders with their formats, timing, and the alignment pattern at the bottom right. */
function isFunction(size: number, x: number, y: number): boolean {
  const isFinder = (x < 9 && y < 9) || (x < 9 && y >= size - 8) || (x >= size - 8 && y < 9)
  const centre = size - 7
  const isAlignment = size > 21 && Math.abs(x - centre) <= 2 && Math.abs(y - centre) <= 2
  return isFinder || isAlignment || x === 6 || y === 6
}
