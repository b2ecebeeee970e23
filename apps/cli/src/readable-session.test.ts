import type { SessionRecord } from '@polylogue/console/client'
import { expect, it } from 'vitest'
import { toHtml, toMarkdown } from './readable-session.ts'

const RECORD: SessionRecord = {
  session: {
    sessionId: '01900000-0000-7000-8000-000000000000',
    user: 'local',
    title: '<script>alert(1)</script>\n# Two lines',
    status: 'idle',
    agent: 'coder',
    preset: 'plan',
    directories: [],
    waitingCalls: [],
    createdAt: 0,
    updatedAt: 0,
  },
  events: 9,
  messages: [
    { role: 'user', content: 'Read <b>it</b>' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'Hm\nwell' },
        { type: 'text', text: 'I **read**.' },
        { type: 'tool-call', toolCallId: 't1', name: 'Read', input: { path: 'a.md' } },
      ],
    },
    { role: 'tool', toolCallId: 't1', content: '```\n</pre><script>alert(2)</script>' },
  ],
}

it('Markdown keeps answers as they are and encloses what tools said', () => {
  expect([...toMarkdown(RECORD)].join('')).toBe(`# \\<script\\>alert(1)\\</script\\> \\# Two lines

- Agent: coder
- Created: 1970-01-01T00:00:00.000Z
- Session: 01900000-0000-7000-8000-000000000000

## User

Read <b>it</b>

## Agent

> Hm
> well

I **read**.

**Read** t1

\`\`\`json
{
  "path": "a.md"
}
\`\`\`

## Result of t1

\`\`\`\`
\`\`\`
</pre><script>alert(2)</script>
\`\`\`\`

`)
})

it('HTML contains no markup but its own', () => {
  const page = [...toHtml(RECORD)].join('')
  expect(page).not.toMatch(/<script|<b>it/)
  expect(page).toContain('Read &lt;b&gt;it&lt;/b&gt;')
  expect(page).toContain('&lt;/pre&gt;&lt;script&gt;alert(2)&lt;/script&gt;')
  expect(page).toContain("default-src 'none'")
})

const HOSTILE: readonly string[] = [
  '<script>alert(1)</script>',
  '</title></style></pre><svg onload=alert(1)>',
  '" onmouseover="alert(1)',
  "' style='background:url(//evil.example)",
  '<meta http-equiv="refresh" content="0;url=//evil.example">',
  '<base href="//evil.example"><a href="javascript:alert(1)">x</a>',
  '<!--<plaintext>--><![CDATA[',
  '&lt;script&gt;&#60;img src=x onerror=alert(1)&#62;',
  '\u001b]8;;http://evil.example\u0007\u202e\u0000\ufeff\u2028',
]

it('HTML has the same tags and attributes, whatever any part of a session says', () => {
  const withText = (text: string): SessionRecord => ({
    ...RECORD,
    session: { ...RECORD.session, title: text, agent: text, model: text, sessionId: text },
    messages: [
      { role: 'system', content: text },
      { role: 'user', content: text },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text },
          { type: 'text', text },
          { type: 'tool-call', toolCallId: text, name: text, input: { [text]: [text] } },
          { type: 'image', url: text },
        ],
      },
      { role: 'tool', toolCallId: text, content: text },
    ],
  })
  const pageOf = (text: string): string => [...toHtml(withText(text))].join('')
  const tagsOf = (page: string): readonly string[] => page.match(/<[^>]*>?/g) ?? []
  const plain = tagsOf(pageOf('plain'))
  for (const text of HOSTILE) {
    expect(tagsOf(pageOf(text))).toEqual(plain)
    // oxlint-disable-next-line no-control-regex
    expect(pageOf(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202e\u2028\ufeff]/)
  }
  expect(plain.join('')).not.toMatch(/href|src=|script|unsafe-inline/)
})
