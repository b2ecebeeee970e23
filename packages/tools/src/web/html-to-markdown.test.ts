import { describe, expect, it } from 'vitest'
import { htmlToMarkdown, type HtmlReading } from './html-to-markdown.ts'

const url = new URL('https://example.org/docs/page')

async function read(html: string, maxChars = 100_000): Promise<HtmlReading> {
  return htmlToMarkdown(html, { url, maxChars, signal: new AbortController().signal })
}

describe('a page as Markdown', () => {
  it.each<[string, string, string]>([
    ['paragraphs', '<p>One\n two</p><p>Three</p>', 'One two\n\nThree'],
    ['headings', '<h1>Title</h1>text<h3> Sub </h3>', '# Title\n\ntext\n\n### Sub'],
    [
      'links, made absolute',
      'See <a href="../a?b=1">the <b>docs</b></a>.',
      'See [the **docs**](https://example.org/a?b=1).',
    ],
    [
      'the text of a link that leads nowhere',
      '<a href="#top">Top</a> <a href="javascript:x()">Run</a> <a>No</a>',
      'Top Run No',
    ],
    ['nothing of an empty link', 'a<a href="/x"> </a>b', 'a b'],
    ['emphasis', 'a<em> b</em> <strong>c </strong>d', 'a *b* **c** d'],
    ['lists inside lists', '<ul><li>a<ol><li>b<li>c</ol><li>d</ul>', '- a\n  1. b\n  2. c\n- d'],
    ['rows of a table', '<table><tr><th>a<th>b<tr><td>1<td>2</table>', 'a | b\n1 | 2'],
    ['code', 'Run <code>npm  start</code>:<pre>a\n  <b>b</b></pre>', 'Run `npm start`:\n\n```\na\n  b\n```'],
    ['quotes and rules', '<blockquote>Said</blockquote><hr>after', '> Said\n\n---\n\nafter'],
    ['what stands for an image', '<img alt="A cat" src="c.png"><img src="x.png">', '[image: A cat]'],
    ['entities', 'a &amp; b &lt;c&gt; &eacute;&#x1F600;', 'a & b <c> é😀'],
    ['a link around a block', '<a href="/x"><div></div><div>text</div></a>', '[text](https://example.org/x)'],
    ['line breaks', 'a<br>b<div>c</div>d', 'a\nb\nc\nd'],
    ['text of broken tags', '</p></b>a<b>b</i></div>c', 'a**bc**'],
  ])('%s', async (_, html, markdown) => {
    expect((await read(html)).markdown).toBe(markdown)
  })

  it('splits the title, and leaves out unused parts', async () => {
    const html =
      '<!doctype html><html><head><title> The\n title </title><style>p{}</style><script>var a="<p>b</p>"</script></head>' +
      '<body><nav><a href="/">Home</a></nav><template>t</template><noscript>n</noscript><svg><title>s</title></svg>' +
      '<p>Text</p><p hidden>h</p><div style="DISPLAY : none"><p>x</p></div><span style="visibility:hidden">v</span>' +
      '<!-- comment --><button>Buy</button>end</body></html>'
    expect(await read(html)).toEqual({ title: 'The title', markdown: 'Text\n\nend', isTooDeep: false })
  })

  it('is read only as far as needed', async () => {
    const { markdown } = await read('<p>word</p>'.repeat(100_000), 1000)
    expect(markdown.length).toBeGreaterThan(1000)
    expect(markdown.length).toBeLessThan(20_000)
  })

  it('ends when the call is cancelled', async () => {
    const controller = new AbortController()
    const reading = htmlToMarkdown('<p>word</p>'.repeat(100_000), { url, maxChars: 1e9, signal: controller.signal })
    controller.abort(new Error('cancelled'))
    await expect(reading).rejects.toThrow('cancelled')
  })
})

describe('S10: a page made to be slow is read in a bounded time', () => {
  const MIB = 1024 * 1024
  const fill = (text: string, size = 2 * MIB): string => text.repeat(size / text.length)

  it.each<[string, string]>([
    ['tags that never close', fill('<div>')],
    ['deep tags, then closing ones that match nothing', fill('<div>', MIB) + fill('</x>', MIB)],
    ['tags just as deep as is read, then closing ones that match nothing', '<b>'.repeat(900) + fill('</x>', MIB / 2)],
    ['tables in tables', fill('<table><tr><td>')],
    ['cells without text', fill('<td></td><b></b>')],
    ['marks without text', '<td></td>'.repeat(50_000) + fill('<a href=x></a><b></b>')],
    ['comments that never end', fill('<!--')],
    ['angle brackets', fill('<', MIB)],
    ['ampersands', fill('&')],
    ['one tag with a million attributes', `<a ${fill('a=1 ')}>`],
    ['one attribute', `<a href="${fill('x')}">a</a>`],
    ['forms in forms', fill('<form><p>')],
    ['lists in lists', fill('<ul><li>a')],
    ['spaces', fill(' \n')],
    ['a title that never ends', `<title>${fill('x ')}`],
  ])('%s', async (_, html) => {
    // The loop must not be held either: this is how long one slice takes at most.
    let longest = 0
    let last = performance.now()
    let isDone = false
    const watch = (): void => {
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
      if (!isDone) setImmediate(watch)
    }
    setImmediate(watch)
    const cpu = process.threadCpuUsage()
    await htmlToMarkdown(html, { url, maxChars: 10 * MIB, signal: new AbortController().signal })
    isDone = true
    const { user } = process.threadCpuUsage(cpu)
    expect(user / 1000).toBeLessThan(8000)
    expect(longest).toBeLessThan(2000)
  })
})
