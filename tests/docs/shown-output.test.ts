import { describe, expect, it } from 'vitest'
import { toPattern } from './shown-output.ts'

describe('output that a page shows', () => {
  it.each([
    ['a (b) [c] $d', 'a (b) [c] $d'],
    ['{"a":…}\n…\nlast', '{"a":1}\nb\n\nc\nlast'],
    ['session 01a1dec2-d42f-7000-b083-04bdc508ace6', 'session 0198c0de-7a11-7000-8000-000000000000'],
    ['at http://127.0.0.1:8020/aap', 'at http://127.0.0.1:45871/aap'],
  ])('agrees with what was printed: %j', (shown, printed) => {
    expect(printed).toMatch(toPattern(shown))
  })

  it.each([
    ['a', 'b'],
    ['a', 'ab'],
    ['a.b', 'a-b'],
    ['a…c', 'ab'],
    ['session 01a1dec2-d42f-7000-b083-04bdc508ace6', 'session of yours'],
    ['at http://127.0.0.1:8020/aap', 'at http://localhost:8020/aap'],
  ])('disagrees with another: %j', (shown, printed) => {
    expect(printed).not.toMatch(toPattern(shown))
  })
})
