import { CHECKED, edit, edits, read, testOf, write, type EvalTask } from '../eval-task.ts'

const GREETINGS = `export const morning = (name) => 'Good morning ' + name
export const evening = (name) => 'Good evening ' + name
export const night = (name) => 'Good night ' + name
`

export const EDITING: readonly EvalTask[] = [
  {
    name: 'several-edits',
    about: 'three replacements in one call',
    prompt: 'Every greeting in greet.mjs must end with an exclamation mark.',
    files: {
      'greet.mjs': GREETINGS,
      'test.mjs': testOf(
        `import { morning, evening, night } from './greet.mjs'`,
        `assert.deepEqual([morning('A'), evening('A'), night('A')], ['Good morning A!', 'Good evening A!', 'Good night A!'])`,
      ),
    },
    answers: [
      { calls: [read('greet.mjs')] },
      {
        sees: ["'Good night '"],
        calls: [
          edits({
            path: 'greet.mjs',
            edits: ['morning', 'evening', 'night'].map((time) => ({
              oldText: `'Good ${time} ' + name`,
              newText: `\`Good ${time} \${name}!\``,
            })),
          }),
        ],
      },
      { sees: ['in 3 places'], calls: [read('greet.mjs')] },
      { sees: ['morning ${name}!', 'evening ${name}!', 'night ${name}!'], says: 'All three end with a mark now.' },
    ],
  },
  {
    name: 'replace-all',
    about: 'one name in many places',
    prompt: 'Rename the parameter `x` of area.mjs to `width`, everywhere.',
    files: {
      'area.mjs': `export function area({ xx }) {
  if (xx < 0) throw new RangeError('xx')
  return xx * xx
}
`,
      'test.mjs': testOf(
        `import { area } from './area.mjs'`,
        'assert.equal(area({ width: 3 }), 9)',
        'assert.throws(() => area({ width: -1 }), /width/)',
      ),
    },
    answers: [
      { calls: [read('area.mjs')] },
      {
        sees: ['{ xx }'],
        calls: [edits({ path: 'area.mjs', oldText: 'xx', newText: 'width', replaceAll: true })],
      },
      ...CHECKED,
    ],
  },
  {
    name: 'ambiguous-edit',
    about: 'an edit that is refused for being unclear, and made clear',
    prompt: 'max() in range.mjs returns the smallest number. Fix it.',
    files: {
      'range.mjs': `export function min(list) {
  return Math.min(...list)
}

export function max(list) {
  return Math.min(...list)
}
`,
      'test.mjs': testOf(
        `import { min, max } from './range.mjs'`,
        'assert.deepEqual([min([1, 2, 3]), max([1, 2, 3])], [1, 3])',
      ),
    },
    answers: [
      { calls: [edit('range.mjs', 'return Math.min(...list)', 'return Math.max(...list)')] },
      {
        sees: ['was found 2 times'],
        calls: [
          edit(
            'range.mjs',
            'function max(list) {\n  return Math.min(...list)',
            'function max(list) {\n  return Math.max(...list)',
          ),
        ],
      },
      ...CHECKED,
    ],
  },
  {
    name: 'stale-text',
    about: 'an edit of what the model only believes to be there',
    prompt: 'isEven() in parity.mjs is wrong for even numbers.',
    files: {
      'parity.mjs': 'export const isEven = (n) => n % 2 === 1\n',
      'test.mjs': testOf(`import { isEven } from './parity.mjs'`, 'assert.ok(isEven(2))', 'assert.ok(!isEven(3))'),
    },
    answers: [
      { calls: [edit('parity.mjs', 'return n % 2 == 1', 'return n % 2 == 0')] },
      { sees: ['was not found'], calls: [read('parity.mjs')] },
      { sees: ['n % 2 === 1'], calls: [edit('parity.mjs', 'n % 2 === 1', 'n % 2 === 0')] },
      ...CHECKED,
    ],
  },
  {
    name: 'windows-lines',
    about: 'line ends stay as they are',
    prompt: 'Version and name in app.ini should be 2 and "beta". Keep the Windows line ends.',
    files: {
      'app.ini': '[app]\r\nname=alpha\r\nversion=1\r\nlang=en\r\n',
      'test.mjs': testOf(
        `import { readFileSync } from 'node:fs'`,
        String.raw`assert.equal(readFileSync('app.ini', 'utf8'), '[app]\r\nname=beta\r\nversion=2\r\nlang=en\r\n')`,
      ),
    },
    answers: [
      { calls: [read('app.ini')] },
      { sees: ['name=alpha'], calls: [edit('app.ini', 'name=alpha\nversion=1', 'name=beta\nversion=2')] },
      ...CHECKED,
    ],
  },
  {
    name: 'other-alphabets',
    about: 'names and texts beyond ASCII',
    prompt: 'Die Begrüßung in größe.mjs soll 你好 statt 您好 sagen.',
    files: {
      'größe.mjs': "export const gruß = () => '您好 🌍'\n",
      'test.mjs': testOf(`import { gruß } from './größe.mjs'`, `assert.equal(gruß(), '你好 🌍')`),
    },
    answers: [
      { calls: [read('größe.mjs')] },
      { sees: ['您好 🌍'], calls: [edit('größe.mjs', '您好 🌍', '你好 🌍')] },
      ...CHECKED,
    ],
  },
  {
    name: 'tabs',
    about: 'white space that must match exactly',
    prompt: 'The nested branch of fee.mjs must return 5.',
    files: {
      'fee.mjs':
        'export function fee(days) {\n\tif (days > 7) {\n\t\tif (days > 30) {\n\t\t\treturn 4\n\t\t}\n\t\treturn 4\n\t}\n\treturn 0\n}\n',
      'test.mjs': testOf(`import { fee } from './fee.mjs'`, 'assert.deepEqual([fee(1), fee(8), fee(31)], [0, 4, 5])'),
    },
    answers: [
      { calls: [read('fee.mjs')] },
      { sees: ['\t\t\treturn 4'], calls: [edit('fee.mjs', '\t\t\treturn 4\n', '\t\t\treturn 5\n')] },
      ...CHECKED,
    ],
  },
  {
    name: 'special-characters',
    about: 'texts that mean something to regular expressions',
    prompt: 'The template in mail.mjs should say "$& more" instead of "$1 less".',
    files: {
      'mail.mjs': "export const template = 'You pay $1 less (.*)'\n",
      'test.mjs': testOf(`import { template } from './mail.mjs'`, `assert.equal(template, 'You pay $& more (.*)')`),
    },
    answers: [
      { calls: [read('mail.mjs')] },
      { sees: ['pay $1 less (.*)'], calls: [write('mail.mjs', "export const template = 'You pay $& more'\n")] },
      { sees: [/Wrote|Replaced|mail\.mjs/], calls: [edit('mail.mjs', 'pay $& more', 'pay $& more (.*)')] },
      ...CHECKED,
    ],
  },
]
