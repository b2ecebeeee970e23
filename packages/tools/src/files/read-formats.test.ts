import { createInvocation } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { readImageSize } from './image-size.ts'
import { readPdfText } from './pdf-text.ts'
import { workbenchWith } from './test-support/workbench.ts'

const createWorkbench = workbenchWith(createInvocation)

/** A PDF with a page for each text. */
function pdfOf(...pages: readonly string[]): Buffer {
  const numbers = pages.map((_, index) => 4 + index * 2)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${numbers.map((number) => `${number} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((page, index) => {
      const stream = `BT /F1 12 Tf 20 100 Td (${page}) Tj ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents ${5 + index * 2} 0 R ` +
          '/Resources << /Font << /F1 3 0 R >> >> >>',
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ]
    }),
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const at = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const start = text.length
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`
  return Buffer.from(`${text}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF`)
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC',
  'base64',
)

describe('Read of a file that is no plain text', () => {
  it('shows an image to the model', async () => {
    const bench = createWorkbench()
    bench.file('ws/dot.png', png)
    const { content, blobs } = await bench.run('Read', { path: 'dot.png' })
    const hash = blobs?.[0]?.hash
    expect(content).toEqual([
      { type: 'text', text: 'dot.png is a PNG image of 69 bytes.' },
      { type: 'image', source: { type: 'blob', hash, mediaType: 'image/png' } },
    ])
    expect(blobs).toEqual([{ hash: expect.stringMatching(/^[0-9a-f]{64}$/), mediaType: 'image/png', bytes: png }])
  })

  it('does not show an image that providers would refuse', async () => {
    const bench = createWorkbench()
    bench.file('ws/big.png', Buffer.concat([png, Buffer.alloc(4_000_000)]))
    expect(await bench.say('Read', { path: 'big.png' })).toBe(
      'big.png is a PNG image of 3.8 MiB. Read shows images of up to 3.6 MiB.',
    )
  })

  it('does not show an image that is damaged or has too many pixels', async () => {
    const bench = createWorkbench()
    bench.file('ws/cut.png', png.subarray(0, 40))
    bench.file('ws/cut.jpg', Buffer.from('ffd8ffe000104a464946', 'hex'))
    bench.file('ws/cut.gif', 'GIF89a')
    bench.file('ws/cut.webp', 'RIFF~~~~WEBPVP8 ')
    const wide = Buffer.from(png)
    wide.writeUInt32BE(9000, 16)
    bench.file('ws/wide.png', wide)
    for (const name of ['cut.png', 'cut.jpg', 'cut.gif', 'cut.webp'])
      expect(await bench.say('Read', { path: name })).toContain('It is damaged, so it is not shown.')
    expect(await bench.say('Read', { path: 'wide.png' })).toContain('It has 9000 × 1 pixels')
  })

  it.each([
    ['image/gif', Buffer.from('47494638396102000300800000ffffff0000002c00000000020003000002024c01003b', 'hex')],
    ['image/jpeg', Buffer.from('ffd8ffe000040000ffc0000b080003000201011100ffd9', 'hex')],
    [
      'image/webp',
      Buffer.concat([
        Buffer.from('RIFF'),
        Buffer.from([22, 0, 0, 0]),
        Buffer.from('WEBPVP8X'),
        Buffer.from([10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0]),
      ]),
    ],
  ] as const)('knows the size of %s', (type, bytes) => {
    expect(readImageSize(bytes, type)).toEqual({ width: 2, height: 3 })
  })

  it('shows the text of a PDF, page by page, and a part of it', async () => {
    const bench = createWorkbench()
    bench.file('ws/a.pdf', pdfOf('Hello there', 'Second page'))
    expect(await bench.say('Read', { path: 'a.pdf' })).toBe(
      '     1\t--- page 1 of 2 ---\n     2\tHello there\n     3\t--- page 2 of 2 ---\n     4\tSecond page',
    )
    expect(await bench.say('Read', { path: 'a.pdf', offset: 4, limit: 1 })).toBe(
      '     4\tSecond page\n[Lines 4 to 4 of 4.]',
    )
  })

  it('says so when a PDF is broken, takes too long or has no text', async () => {
    const bench = createWorkbench()
    bench.file('ws/broken.pdf', '%PDF-1.4\nnothing')
    bench.file('ws/empty.pdf', pdfOf(''))
    expect(await bench.say('Read', { path: 'broken.pdf' })).toMatch(/^path: the PDF could not be read: Invalid PDF/)
    expect(await bench.say('Read', { path: 'empty.pdf' })).toContain('[1 pages without text: perhaps scanned images]')
    const { signal } = new AbortController()
    await expect(readPdfText(pdfOf('x'), { signal, deadlineMs: 1 })).rejects.toThrow('took more than 0.001 seconds')
  })

  it('stops reading a PDF when its call is cancelled', async () => {
    const abort = new AbortController()
    const reading = readPdfText(pdfOf('x'), { signal: abort.signal })
    abort.abort(new Error('cancelled'))
    await expect(reading).rejects.toThrow('cancelled')
  })

  it('shows a notebook of more than 200,000 values as the text that it is', async () => {
    const bench = createWorkbench()
    const cell = (lines: number) => ({ cells: [{ cell_type: 'code', source: Array<string>(lines).fill('[,{') }] })
    bench.file('ws/most.ipynb', JSON.stringify(cell(190_000)))
    expect(await bench.say('Read', { path: 'most.ipynb', limit: 1 })).toContain('--- cell 1: code ---')
    bench.file('ws/more.ipynb', JSON.stringify(cell(210_000)))
    expect(await bench.say('Read', { path: 'more.ipynb', limit: 1 })).toContain('{"cells":[{"cell_type"')
  })

  it('reads many PDFs of one answer', async () => {
    const bench = createWorkbench()
    bench.file('ws/a.pdf', pdfOf('Hello there'))
    const said = await Promise.all([1, 2, 3].map(() => bench.say('Read', { path: 'a.pdf', offset: 2 })))
    expect(said).toEqual(Array(3).fill('     2\tHello there\n[Lines 2 to 2 of 2.]'))
  })

  it('shows the cells of a notebook with their outputs', async () => {
    const bench = createWorkbench()
    const cells = [
      { cell_type: 'markdown', source: ['# Title\n', 'text'] },
      {
        cell_type: 'code',
        source: 'print(1)',
        outputs: [
          { output_type: 'stream', name: 'stdout', text: ['1\n'] },
          { output_type: 'display_data', data: { 'text/plain': '<Figure>', 'image/png': 'iVBO' } },
          { output_type: 'error', ename: 'ValueError', evalue: 'no', traceback: [] },
        ],
      },
    ]
    bench.file('ws/n.ipynb', JSON.stringify({ cells, metadata: { language_info: { name: 'python' } }, nbformat: 4 }))
    const said = await bench.say('Read', { path: 'n.ipynb' })
    expect(said.replaceAll(/^ *\d+\t/gm, '')).toBe(
      [
        ...['--- cell 1: markdown ---', '# Title', 'text', '--- cell 2: python ---', 'print(1)'],
        ...['--- output ---', '1', '', '--- output ---', '<Figure>', '[also as image/png, not shown]'],
        ...['--- output ---', 'ValueError: no'],
        '[This is the notebook as text, so the line numbers are not those of the file.]',
      ].join('\n'),
    )
  })

  it('shows what only looks like a notebook as the text it is', async () => {
    const bench = createWorkbench()
    bench.file('ws/n.ipynb', '{"cells": 5}')
    expect(await bench.say('Read', { path: 'n.ipynb' })).toBe('     1\t{"cells": 5}')
  })
})
