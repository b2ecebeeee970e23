import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInvocation } from '@polylogue/testkit'
import { type Command, parse } from 'unbash'
import { afterAll, describe, expect, it } from 'vitest'
import { createBashTool } from '../bash/bash-tool.ts'
import { type WordContext, expandWord } from './field.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-test-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function fieldsOf(word: string, variables: Record<string, string[]> = {}): readonly string[] {
  const context: WordContext = { home: '/home/u', variables: new Map(Object.entries(variables)), doubt: () => {} }
  const command = parse(`x ${word}`).commands[0]?.command as Command
  return command.args.flatMap((arg) => (arg.type === 'Word' ? expandWord(arg, context) : [])).map(({ text }) => text)
}

const WORDS = [
  ...[
    'rm',
    'r""m',
    `r''m`,
    String.raw`\rm`,
    String.raw`r\m`,
    `"r"'m'`,
    `$'rm'`,
    String.raw`$'\x72m'`,
    String.raw`$'\162\u006d'`,
  ],
  ...[
    String.raw`$'a\'b'`,
    String.raw`"a\"b"`,
    String.raw`"a\b"`,
    String.raw`'a\b'`,
    String.raw`a\ b`,
    '"a  b"',
    `'$X'`,
    String.raw`\$X`,
  ],
  ...[
    'a{b,c}d',
    '{a,b}{1,2}',
    '{a,{b,c}}',
    '{a}',
    '{a,}',
    '{,a}',
    '{,}x',
    'a{b',
    '{}',
    'x{a,b,c}',
    String.raw`\{a,b}`,
    '"{a,b}"',
    `'{a,b}'`,
  ],
  ...[
    '~',
    '~/x',
    '"~"',
    `'~'/x`,
    String.raw`\~`,
    'a~',
    '~/{a,b}',
    '{~,x}/y',
    '"$HOME"',
    '${HOME}/x',
    '$HOME',
    '"${HOME}"x',
  ],
  ...[
    '$"hi"',
    '""',
    `a"b"'c'd`,
    '--x=y',
    '"-"rf',
    String.raw`-\r\f`,
    'a#b',
    '"a#b"',
    '%s',
    'ä€𝄞',
    String.raw`$'\u20ac'`,
    'a=b',
    'a\\\nb',
  ],
]

describe('a word', () => {
  it('C16: is read as bash reads it', async () => {
    const tool = createBashTool({
      stateDir: join(folder, 'state'),
      outputDir: join(folder, 'outputs'),
      sandbox: 'none',
      environment: { HOME: '/home/u' },
    })
    const command = WORDS.map((word) => `printf '<%s>' ${word}; echo`).join('\n')
    const call = createInvocation(tool, { command }, { workspace: { cwd: folder, roots: [folder] } })
    const { content } = await tool.run(call)
    expect(
      WORDS.map((word) =>
        fieldsOf(word)
          .map((text) => `<${text}>`)
          .join(''),
      ),
    ).toEqual(String(content).split('\n'))
  })

  it('takes the values that the script assigns, apart at spaces unless quoted', () => {
    const variables = { X: ['-rf /'], Y: ['a', 'b'] }
    expect(fieldsOf('$X', variables)).toEqual(['-rf', '/'])
    expect(fieldsOf('"$X"', variables)).toEqual(['-rf /'])
    expect(fieldsOf('p${Y}q', variables)).toEqual(['paq', 'pbq'])
    expect(fieldsOf('${Z:-d}', variables)).toEqual(['\0', 'd'])
  })

  it.each([
    '$Z',
    '"$Z"',
    '$(ls)',
    '`ls`',
    '$((1+1))',
    '<(ls)',
    '${Z%x}',
    '${Z/a/b}',
    '${#Z}',
    '${!Z}',
    '${Z[1]}',
    '$1',
    '$@',
  ])('leaves to the run what only the run can decide: %s', (word) => {
    expect(fieldsOf(word)).toEqual(['\0'])
  })
})
