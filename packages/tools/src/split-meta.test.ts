import type { JsonObject, JsonValue } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { splitMeta } from './split-meta.ts'

const card = { resourceHTML: '<p>Hi</p>', target: 'inline' }
const bridge = { action: 'map.highlight', payload: { cityIds: ['hangzhou', 'ningbo'] } }

function nested(depth: number): JsonValue {
  return depth === 0 ? 'end' : [nested(depth - 1)]
}

describe('splitMeta keeps', () => {
  it.each<[string, JsonObject]>([
    ['a card with HTML', { ui: card }],
    [
      'a card with an address, a height and a title',
      { ui: { resourceUri: 'https://example.org/a', target: 'preview', height: 320, title: 'A card' } },
    ],
    ['a card of 512 KiB', { ui: { resourceHTML: 'x'.repeat(512 * 1024), target: 'inline' } }],
    ['an action with a payload', { bridge }],
    ['an action without one', { bridge: { action: 'refresh' } }],
    ['an action whose payload is null', { bridge: { action: 'refresh', payload: null } }],
    ['both', { ui: card, bridge }],
    ['keys that it does not know', { progressToken: 7, 'com.example/trace': { id: 'a' } }],
    ['a value 31 lists deep', { deep: nested(31) }],
  ])('%s', (_, meta) => {
    expect(splitMeta({ ok: true, _meta: meta })).toEqual({ rest: { ok: true }, meta, dropped: [] })
  })

  it('the object unchanged when there is no _meta', () => {
    expect(splitMeta({ ok: true, meta: { ui: card } })).toEqual({ rest: { ok: true, meta: { ui: card } }, dropped: [] })
  })

  it('of a card and an action only their own fields', () => {
    const meta = { ui: { ...card, sandbox: 'off' }, bridge: { ...bridge, origin: '*' } }
    expect(splitMeta({ _meta: meta })).toEqual({ rest: {}, meta: { ui: card, bridge }, dropped: [] })
  })
})

describe('splitMeta leaves out and names', () => {
  it.each<[string, JsonValue, string]>([
    ['a _meta that is text', 'ui', '_meta: must be an object'],
    ['a _meta that is a list', [card], '_meta: must be an object'],
    ['a _meta that is null', null, '_meta: must be an object'],
    ['a card that is text', { ui: '<p>' }, '_meta.ui: must be an object'],
    [
      'a card without a resource',
      { ui: { target: 'inline' } },
      '_meta.ui: takes exactly one of resourceHTML and resourceUri',
    ],
    [
      'a card with both resources',
      { ui: { ...card, resourceUri: 'https://example.org/' } },
      '_meta.ui: takes exactly one of resourceHTML and resourceUri',
    ],
    ['a card without a target', { ui: { resourceHTML: '<p>' } }, '_meta.ui: target: must be one of inline, preview'],
    [
      'a card with a bad target',
      { ui: { ...card, target: 'top' } },
      '_meta.ui: target: must be one of inline, preview',
    ],
    ['a card whose HTML is a number', { ui: { ...card, resourceHTML: 1 } }, '_meta.ui: resourceHTML: must be a string'],
    ['a card whose HTML is empty', { ui: { ...card, resourceHTML: '' } }, '_meta.ui: resourceHTML: must not be empty'],
    [
      'a card of more than 512 KiB',
      { ui: { ...card, resourceHTML: 'ä'.repeat(256 * 1024 + 1) } },
      '_meta.ui: resourceHTML: is larger than 512 KiB',
    ],
    [
      'a card that is a script',
      { ui: { resourceUri: 'javascript:alert(1)', target: 'inline' } },
      '_meta.ui: resourceUri: must be an http or https URL',
    ],
    [
      'a card on no host',
      { ui: { resourceUri: 'https://', target: 'inline' } },
      '_meta.ui: resourceUri: must be an http or https URL',
    ],
    ['a card with half a pixel', { ui: { ...card, height: 1.5 } }, '_meta.ui: height: must be a whole number'],
    ['a card with a height in words', { ui: { ...card, height: '3' } }, '_meta.ui: height: must be a number'],
    ['a card whose title is a list', { ui: { ...card, title: [] } }, '_meta.ui: title: must be a string'],
    ['an action without a name', { bridge: { payload: 1 } }, '_meta.bridge: action: is missing'],
    ['an action whose name is a number', { bridge: { action: 1 } }, '_meta.bridge: action: must be a string'],
    ['an action whose name is empty', { bridge: { action: '' } }, '_meta.bridge: action: must not be empty'],
    ['an action that is a list', { bridge: ['a'] }, '_meta.bridge: must be an object'],
    ['another key of more than 64 KiB', { note: 'x'.repeat(65_536) }, '_meta.note: more than 64 KiB in all'],
    ['a value nested too deep', { deep: nested(40) }, '_meta.deep: nested more than 32 deep'],
  ])('%s', (_, meta, problem) => {
    expect(splitMeta({ ok: true, _meta: meta })).toEqual({ rest: { ok: true }, dropped: [problem] })
  })

  it('what is wrong, and keeps what is right beside it', () => {
    const meta = { ui: { target: 'inline' }, bridge, note: 'kept' }
    const split = splitMeta({ _meta: meta })
    expect(split.meta).toEqual({ bridge, note: 'kept' })
    expect(split.dropped).toEqual(['_meta.ui: takes exactly one of resourceHTML and resourceUri'])
  })

  it('the key that goes beyond 64 KiB, not those before and after it', () => {
    const meta = { a: 'x'.repeat(40_000), b: 'x'.repeat(40_000), c: 'x' }
    expect(Object.keys(splitMeta({ _meta: meta }).meta ?? {})).toEqual(['a', 'c'])
  })
})
