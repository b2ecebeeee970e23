import type { CallToolResult } from '@modelcontextprotocol/client'
import { testDigest } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { toOutput } from './tool-result.ts'

const bytes = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('not really a picture')])
const png = bytes.toString('base64')
const hash = testDigest(bytes)
const sound = Buffer.from('not really a picture').toString('base64')
const convert = (result: CallToolResult) => {
  const warnings: string[] = []
  const output = toOutput(result, { digest: testDigest, warn: (problem) => warnings.push(problem) })
  return { output, warnings }
}

describe('the result of a call', () => {
  it('is its texts', () => {
    const { output } = convert({
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    })
    expect(output).toEqual({ content: 'a\nb' })
  })

  it('is empty when there is nothing', () => {
    expect(convert({ content: [] }).output).toEqual({ content: '' })
  })

  it('is an error when the server says so', () => {
    const { output } = convert({ content: [{ type: 'text', text: 'no' }], isError: true })
    expect(output).toEqual({ content: 'no', isError: true })
  })

  it('is structured content as JSON only where there is no text; clients get all of it', () => {
    const structuredContent = { a: 1, list: [{ b: true }] }
    const alone = convert({ content: [], structuredContent }).output
    expect(alone).toEqual({ content: '{"a":1,"list":[{"b":true}]}', meta: { structuredContent } })
    const both = convert({ content: [{ type: 'text', text: 'one' }], structuredContent })
    expect(both.output).toEqual({ content: 'one', meta: { structuredContent } })
    const large = convert({ content: [], structuredContent: { text: 'x'.repeat(70_000) } })
    expect(large.output.meta).toBeUndefined()
    expect(large.warnings).toEqual(['_meta.structuredContent: more than 64 KiB in all'])
  })

  it('names links and what cannot be shown', () => {
    const { output } = convert({
      content: [
        { type: 'resource_link', name: 'r', uri: 'file:///r', description: 'what it is' },
        { type: 'resource', resource: { uri: 'file:///t', text: 'its text' } },
        { type: 'resource', resource: { uri: 'file:///b', blob: sound } },
        { type: 'audio', data: sound, mimeType: 'audio/wav' },
        { type: 'image', data: sound, mimeType: 'image/svg+xml' },
      ],
    })
    expect(output.content).toBe(
      [
        '[resource r: file:///r] what it is',
        'its text',
        '[resource file:///b, about 21 bytes, not shown]',
        '[audio of type audio/wav, about 21 bytes, not shown]',
        '[image of type image/svg+xml, about 21 bytes, not shown]',
      ].join('\n'),
    )
  })

  it('has its images as blobs, each once, as far as they are not too large or too many', () => {
    const image = { type: 'image', data: png, mimeType: 'image/png' } as const
    const huge = { ...image, data: 'A'.repeat(7 * 1024 * 1024 + 4) }
    const { output } = convert({ content: [huge, ...Array<typeof image>(10).fill(image)] })
    const parts = output.content as readonly { readonly type: string }[]
    expect(parts.map(({ type }) => type)).toEqual(['text', ...Array<string>(8).fill('image'), 'text', 'text'])
    expect(parts[1]).toEqual({ type: 'image', source: { type: 'blob', hash, mediaType: 'image/png' } })
    expect(output.blobs).toEqual([{ hash, mediaType: 'image/png', bytes }])
  })

  it("identifies an image by its bytes, not by the server's type", () => {
    const { output } = convert({
      content: [
        { type: 'image', data: png, mimeType: 'image/jpeg' },
        { type: 'image', data: Buffer.from('<svg/>').toString('base64'), mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///p.png', blob: png, mimeType: 'image/png' } },
      ],
    })
    expect(output.content).toEqual([
      { type: 'image', source: { type: 'blob', hash, mediaType: 'image/png' } },
      { type: 'text', text: '[image of type image/png, about 6 bytes, not shown]' },
      { type: 'image', source: { type: 'blob', hash, mediaType: 'image/png' } },
    ])
  })

  it('is cut where it is too long', () => {
    const { output } = convert({
      content: Array.from({ length: 3 }, () => ({ type: 'text' as const, text: 'x'.repeat(200_000) })),
    })
    expect(output.content.length).toBeLessThan(263_000)
    expect(output.content).toMatch(/\[The rest was cut off\.\]$/)
  })

  it('gives valid client data to clients only', () => {
    const { output, warnings } = convert({
      content: [{ type: 'text', text: 'a' }],
      _meta: { bridge: { action: 'open' }, ui: { target: 'nowhere' } },
    })
    expect(output).toEqual({ content: 'a', meta: { bridge: { action: 'open' } } })
    expect(warnings).toHaveLength(1)
  })
})
