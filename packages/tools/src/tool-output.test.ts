import { describe, expect, it } from 'vitest'
import { toToolOutput } from './tool-output.ts'

const ui = { resourceHTML: '<p>Hi</p>', target: 'inline' }

function outputOf(returned: unknown): { output: unknown; warnings: string[] } {
  const warnings: string[] = []
  return { output: toToolOutput('show', returned, { warn: (problem) => warnings.push(problem) }), warnings }
}

describe('_meta reaches clients and not the model', () => {
  it.each<[string, unknown, unknown]>([
    ['in an object', { ok: true, _meta: { ui } }, { content: '{"ok":true}', meta: { ui } }],
    [
      'as JSON text',
      ' {"ok":true,"_meta":{"bridge":{"action":"a"}}}\n',
      { content: '{"ok":true}', meta: { bridge: { action: 'a' } } },
    ],
    ['beside a whole output', { content: 'done', _meta: { ui } }, { content: 'done', meta: { ui } }],
    [
      'inside the text of a whole output',
      { content: JSON.stringify({ _meta: { ui } }), isError: true },
      { content: '{}', isError: true, meta: { ui } },
    ],
    ['as the meta of a whole output', { content: 'done', meta: { ui } }, { content: 'done', meta: { ui } }],
    [
      'beside a text that has its own',
      { content: JSON.stringify({ n: 1, _meta: { ui, a: 1 } }), _meta: { a: 2 } },
      { content: '{"n":1}', meta: { ui, a: 2 } },
    ],
    [
      'beside parts',
      { content: [{ type: 'text', text: 'a' }], _meta: { ui } },
      { content: [{ type: 'text', text: 'a' }], meta: { ui } },
    ],
  ])('%s', (_, returned, output) => {
    expect(outputOf(returned)).toEqual({ output, warnings: [] })
  })

  it('drops what is wrong with a warning that names the tool, and the model does not see it either', () => {
    expect(outputOf({ ok: true, _meta: { ui: { target: 'inline' } } })).toEqual({
      output: { content: '{"ok":true}' },
      warnings: ['tool show: _meta.ui: takes exactly one of resourceHTML and resourceUri'],
    })
    expect(outputOf({ content: 'a', meta: { bridge: {} } })).toEqual({
      output: { content: 'a' },
      warnings: ['tool show: _meta.bridge: action: is missing'],
    })
  })

  it.each<[string, string]>([
    ['that only mentions it', 'the key "_meta" is for clients'],
    ['that is a list', '[{"_meta":{}}]'],
    ['that is not JSON', '{"_meta":{}'],
    ['that holds it deeper inside', '{"a":{"_meta":{}}}'],
    ['that is more than 1 MiB', `{"_meta":{},"a":"${'x'.repeat(1024 * 1024)}"}`],
  ])('leaves a text alone %s', (_, text) => {
    expect(outputOf(text)).toEqual({ output: { content: text }, warnings: [] })
  })

  it('reports data that is nested too deep to be written', () => {
    const deep = `{"_meta":{},"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    expect(outputOf(deep).output).toMatchObject({ isError: true, content: expect.stringMatching(/^The tool show /) })
  })
})

it('a whole output keeps the files that it changed', () => {
  const changedFiles = [{ path: '/w/a.ts', change: 'created' }]
  expect(outputOf({ content: 'written', changedFiles }).output).toEqual({ content: 'written', changedFiles })
})
