import { asSessionId } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { createOpenEditors } from './open-editors.ts'

const one = asSessionId('one')
const other = asSessionId('other')

describe('open editors', () => {
  it('finds the newest editor of a session, and the one before it when that has left', () => {
    const editors = createOpenEditors()
    const [first, second] = [{}, {}]
    const leaveFirst = editors.register(one, first)
    const leaveSecond = editors.register(one, second)
    expect(editors.editorOf(one)).toBe(second)
    expect(editors.editorOf(other)).toBeUndefined()
    leaveSecond()
    leaveSecond()
    expect(editors.editorOf(one)).toBe(first)
    leaveFirst()
    expect(editors.editorOf(one)).toBeUndefined()
  })

  it('keeps an editor that came twice until it has left twice', () => {
    const editors = createOpenEditors()
    const editor = {}
    const leave = editors.register(one, editor)
    editors.register(one, editor)
    leave()
    expect(editors.editorOf(one)).toBe(editor)
  })
})
