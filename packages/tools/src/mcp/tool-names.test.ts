import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { nameServers, nameTool } from './tool-names.ts'

const digest = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
const nameOf = (servers: readonly string[], server: string, tool: string): string =>
  nameTool(nameServers(servers, digest).get(server) ?? '', tool, digest)

describe('the name of a tool', () => {
  it('is made of the server and the tool', () => {
    expect(nameOf(['files'], 'files', 'read_file')).toBe('mcp_files_read_file')
    expect(nameOf(['my_files', 'web'], 'my_files', 'read')).toBe('mcp_my_files_read')
  })

  it.each(['a.b', 'a b', 'ä', '工具', 'x'.repeat(300), '', '../../etc', 'a\nb'])('is valid for %j', (odd) => {
    for (const name of [nameOf(['s'], 's', odd), nameOf([odd, 's'], odd, 'tool'), nameOf([odd], odd, odd)]) {
      expect(name).toMatch(/^mcp_[A-Za-z0-9_-]{1,60}$/)
    }
  })

  it('differs for tools that look the same once they fit', () => {
    const names = ['a.b', 'a_b', 'a b', 'a:b', 'x'.repeat(100), `${'x'.repeat(100)}y`].map((tool) =>
      nameOf(['s'], 's', tool),
    )
    expect(new Set(names).size).toBe(names.length)
    expect(names[1]).toBe('mcp_s_a_b')
  })

  it('cannot be taken by a tool of another server', () => {
    const servers = ['a', 'a_b', 'a.b', 'a-b']
    const names = [nameOf(servers, 'a', 'b_c'), nameOf(servers, 'a_b', 'c'), nameOf(servers, 'a.b', 'c')]
    expect(new Set(names).size).toBe(3)
    expect(nameOf(servers, 'a-b', 'c')).toBe('mcp_a-b_c')
  })
})
