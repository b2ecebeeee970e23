import type { CallToolResult } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { toOutput } from './tool-result.ts'

const png = Buffer.from('not really a picture').toString('base64')
const convert = async (result: CallToolResult, keepImage?: () => Promise<string>) => {
  const warnings: string[] = []
  const output = await toOutput(result, { warn: (problem) => warnings.push(problem), ...(keepImage && { keepImage }) })
  return { output, warnings }
}

describe('the result of a call', () => {
  it('is its texts', async () => {
    const { output } = await convert({
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    })
    expect(output).toEqual({ content: 'a\nb' })
  })

  it('is empty when there is nothing', async () => {
    expect((await convert({ content: [] })).output).toEqual({ content: '' })
  })

  it('is an error when the server says so', async () => {
    const { output } = await convert({ content: [{ type: 'text', text: 'no' }], isError: true })
    expect(output).toEqual({ content: 'no', isError: true })
  })

  it('is structured content as JSON only where there is no text', async () => {
    const structuredContent = { a: 1 }
    expect((await convert({ content: [], structuredContent })).output.content).toBe('{"a":1}')
    const both = await convert({ content: [{ type: 'text', text: 'one' }], structuredContent })
    expect(both.output.content).toBe('one')
  })

  it('names links and what cannot be shown', async () => {
    const { output } = await convert({
      content: [
        { type: 'resource_link', name: 'r', uri: 'file:///r', description: 'what it is' },
        { type: 'resource', resource: { uri: 'file:///t', text: 'its text' } },
        { type: 'resource', resource: { uri: 'file:///b', blob: png } },
        { type: 'audio', data: png, mimeType: 'audio/wav' },
        { type: 'image', data: png, mimeType: 'image/png' },
      ],
    })
    expect(output.content).toBe(
      [
        '[resource r: file:///r] what it is',
        'its text',
        '[resource file:///b, about 21 bytes, not shown]',
        '[audio of type audio/wav, about 21 bytes, not shown]',
        '[image of type image/png, about 21 bytes, not shown]',
      ].join('\n'),
    )
  })

  it('has images that are kept, as far as they are of a known type and not too large or too many', async () => {
    const image = { type: 'image', data: png, mimeType: 'image/png' } as const
    const huge = { ...image, data: 'A'.repeat(7 * 1024 * 1024 + 4) }
    const vector = { ...image, mimeType: 'image/svg+xml' }
    const { output } = await convert({ content: [huge, vector, ...Array<typeof image>(10).fill(image)] }, () =>
      Promise.resolve('hash'),
    )
    const parts = output.content as readonly { readonly type: string }[]
    expect(parts.map(({ type }) => type)).toEqual(['text', 'text', ...Array<string>(8).fill('image'), 'text', 'text'])
    expect(parts[2]).toEqual({ type: 'image', source: { type: 'blob', hash: 'hash', mediaType: 'image/png' } })
  })

  it('is cut where it is too long', async () => {
    const { output } = await convert({
      content: Array.from({ length: 3 }, () => ({ type: 'text' as const, text: 'x'.repeat(200_000) })),
    })
    expect(output.content.length).toBeLessThan(263_000)
    expect(output.content).toMatch(/\[The rest was cut off\.\]$/)
  })

  it('gives what is for clients to clients alone, as far as it is valid', async () => {
    const { output, warnings } = await convert({
      content: [{ type: 'text', text: 'a' }],
      _meta: { bridge: { action: 'open' }, ui: { target: 'nowhere' } },
    })
    expect(output).toEqual({ content: 'a', meta: { bridge: { action: 'open' } } })
    expect(warnings).toHaveLength(1)
  })
})
