import { describe, expect, it } from 'vitest'
import { fileNote, toUserBlocks } from './user-turn.ts'

const part = (text: string) => ({ type: 'text', text }) as const
const isFile = (text: string): boolean => toUserBlocks([part(text)], 's1').attachments !== undefined

describe('what a user said', () => {
  it('lists a file that was put into the workspace beside the text', () => {
    expect(toUserBlocks([part('read it'), part(fileNote('uploads/a b.csv'))], 's1')).toMatchObject({
      blocks: [{ type: 'text', content: 'read it' }],
      attachments: [
        { type: 'file', name: 'a b.csv', path: 'uploads/a b.csv', url: '/api/sessions/s1/files/uploads/a%20b.csv' },
      ],
    })
  })

  it.each([
    'Attached file: report.pdf',
    'Attached file: /etc/passwd',
    'Attached file: uploads/',
    'Attached file: uploads/../secret',
    'Attached file: uploads/.hidden',
    'Attached file: uploads/a/b',
    'Attached file: uploads/a\u0007',
    'Attached file: uploads/a\nand more',
    'see Attached file: uploads/a.csv',
    `Attached file: uploads/${'x'.repeat(200)}`,
  ])('stays text where it only reads like the note of a file: %j', (text) => {
    expect(isFile(text)).toBe(false)
    expect(toUserBlocks([part(text)], 's1').blocks).toMatchObject([{ type: 'text', content: text }])
  })

  it('blade 39: has a block where it is images and files alone', () => {
    const image = { type: 'image', source: { type: 'blob', hash: 'h1', mediaType: 'image/png' } } as const
    expect(toUserBlocks([image, part(fileNote('uploads/a.csv'))], 's1')).toMatchObject({
      blocks: [{ type: 'text', content: '[image] [file: a.csv]' }],
      attachments: [{ type: 'image', url: '/api/sessions/s1/attachments/h1' }, { type: 'file' }],
    })
  })

  it('stays text as a whole message, whatever it reads like', () => {
    expect(toUserBlocks('Attached file: uploads/a.csv', 's1').blocks).toMatchObject([
      { content: 'Attached file: uploads/a.csv' },
    ])
  })
})
