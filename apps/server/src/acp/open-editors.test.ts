import { asSessionId } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { createOpenEditors } from './open-editors.ts'

const one = asSessionId('one')
const other = asSessionId('other')

describe('open editors', () => {
  it('finds the newest editor of a session, and the one before it when that has left', () => {
    const desk = createOpenEditors()
    const [first, second] = [{}, {}]
    const leaveFirst = desk.register(one, first)
    const leaveSecond = desk.register(one, second)
    expect(desk.editorOf(one)).toBe(second)
    expect(desk.editorOf(other)).toBeUndefined()
    leaveSecond()
    leaveSecond()
    expect(desk.editorOf(one)).toBe(first)
    leaveFirst()
    expect(desk.editorOf(one)).toBeUndefined()
  })

  it('keeps an editor that came twice until it has left twice', () => {
    const desk = createOpenEditors()
    const editor = {}
    const leave = desk.register(one, editor)
    desk.register(one, editor)
    leave()
    expect(desk.editorOf(one)).toBe(editor)
  })
})
