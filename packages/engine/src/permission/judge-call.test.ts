import { describe, expect, it } from 'vitest'
import { createFakeTool } from '@polylogue/testkit'
import type { Preset, ToolAccess, ToolEffect } from '../index.ts'
import { judgeCall } from './judge-call.ts'

const PRESETS: readonly Preset[] = ['read-only', 'workspace-write', 'full-access', 'plan']
const across = (effect: ToolEffect, exposed: boolean, access: ToolAccess) =>
  PRESETS.map((preset) => {
    const policy = { preset, access, denyRules: [], userRules: [], hosts: { allow: [], block: [] } }
    return judgeCall(createFakeTool('t', { effect, exposed }), {}, { type: 'plain' }, policy).decision
  })

const ALL: ToolAccess = { type: 'preset' }
const listed = (...tools: { name: string; trust?: boolean }[]): ToolAccess => ({ type: 'listed', tools })

describe('a session with all tools under its preset', () => {
  it('runs readonly tools everywhere', () => {
    expect(across('readonly', true, ALL)).toEqual(['allow', 'allow', 'allow', 'allow'])
  })

  it.each(['idempotent', 'unsafe'] as const)(
    'denies, asks, allows and denies %s tools over the four presets',
    (effect) => {
      expect(across(effect, true, ALL)).toEqual(['deny', 'ask', 'allow', 'deny'])
      expect(across(effect, false, ALL)).toEqual(['deny', 'ask', 'allow', 'deny'])
    },
  )
})

describe('a session with the tools its client listed', () => {
  it('does not have an exposed tool that is not listed', () => {
    expect(across('readonly', true, listed({ name: 'other', trust: true }))).toEqual(Array(4).fill('disabled'))
  })

  it('asks before a listed tool without trust, whatever the preset, unless the preset denies', () => {
    expect(across('readonly', true, listed({ name: 't' }))).toEqual(['ask', 'ask', 'ask', 'ask'])
    expect(across('unsafe', true, listed({ name: 't', trust: false }))).toEqual(['deny', 'ask', 'ask', 'deny'])
  })

  it('runs a trusted tool without asking, but trust never beats a deny', () => {
    expect(across('unsafe', true, listed({ name: 't', trust: true }))).toEqual(['deny', 'allow', 'allow', 'deny'])
  })

  it('never asks for an unexposed tool, and denies it where the preset does', () => {
    expect(across('unsafe', false, listed())).toEqual(['deny', 'allow', 'allow', 'deny'])
    expect(across('readonly', false, listed())).toEqual(['allow', 'allow', 'allow', 'allow'])
  })
})
