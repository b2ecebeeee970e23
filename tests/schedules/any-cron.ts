import fc from 'fast-check'

const field = (least: number, most: number): fc.Arbitrary<string> => {
  const number = fc.integer({ min: least, max: most })
  const range = fc.tuple(number, number).map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const)
  const step = fc.integer({ min: 1, max: most })
  const part = fc.oneof(
    number.map(String),
    range.map(([from, to]) => `${from}-${to}`),
    fc.tuple(range, step).map(([[from, to], by]) => `${from}-${to}/${by}`),
    step.map((by) => `*/${by}`),
  )
  const parts = fc.array(part, { minLength: 1, maxLength: 3 }).map((list) => list.join(','))
  return fc.oneof({ arbitrary: fc.constant('*'), weight: 2 }, { arbitrary: parts, weight: 3 })
}

/** Every kind of expression there is, but none without any date. */
export const anyCron: fc.Arbitrary<string> = fc
  .tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6))
  .map((fields) => fields.join(' '))
