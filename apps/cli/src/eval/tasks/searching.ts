import { CHECKED, edit, glob, grep, read, testOf, type EvalTask } from '../eval-task.ts'

const LONG = Array.from({ length: 2400 }, (_, index) => `export const n${index + 1} = ${index + 1}`)
LONG[2199] = 'export const n2200 = 2201'

export const SEARCHING: readonly EvalTask[] = [
  {
    name: 'find-by-grep',
    about: 'a function somewhere in the tree',
    prompt: 'formatPrice() prints two currency signs. I do not know where it is.',
    files: {
      'src/shop/view/price/format.mjs': "export const formatPrice = (cents) => '€€' + (cents / 100).toFixed(2)\n",
      'src/shop/index.mjs': "export { formatPrice } from './view/price/format.mjs'\n",
      'test.mjs': testOf(
        `import { formatPrice } from './src/shop/index.mjs'`,
        `assert.equal(formatPrice(150), '€1.50')`,
      ),
    },
    answers: [
      { calls: [grep({ pattern: 'formatPrice =' })] },
      { sees: [/^(\S+format\.mjs):1:/m], calls: [edit('$1', "'€€'", "'€'")] },
      ...CHECKED,
    ],
  },
  {
    name: 'ignored-copy',
    about: 'build output that Git ignores is not found',
    prompt: 'The limit must be 20, not 10.',
    files: {
      '.gitignore': 'dist/\n',
      'dist/limit.mjs': 'export const LIMIT = 10\n',
      'src/limit.mjs': 'export const LIMIT = 10\n',
      'test.mjs': testOf(`import { LIMIT } from './src/limit.mjs'`, 'assert.equal(LIMIT, 20)'),
    },
    answers: [
      { calls: [grep({ pattern: String.raw`LIMIT\s*=\s*10` })] },
      { sees: [/^(\S+):1:/m], misses: ['dist/'], calls: [edit('$1', 'LIMIT = 10', 'LIMIT = 20')] },
      ...CHECKED,
    ],
  },
  {
    name: 'find-by-glob',
    about: 'a file by the shape of its name',
    prompt: 'The German texts lack the key "bye". Add it: "Tschüss".',
    files: {
      'texts/en/messages.json': '{ "hi": "Hello", "bye": "Bye" }\n',
      'texts/de/messages.json': '{ "hi": "Hallo" }\n',
      'test.mjs': testOf(
        `import { readFileSync } from 'node:fs'`,
        `assert.equal(JSON.parse(readFileSync('texts/de/messages.json', 'utf8')).bye, 'Tschüss')`,
      ),
    },
    answers: [
      { calls: [glob({ pattern: '**/de/*.json' })] },
      { sees: [/^(\S*de\/messages\.json)$/m], misses: ['/en/'], calls: [read('$1')] },
      {
        sees: ['"Hallo"'],
        calls: [edit('texts/de/messages.json', '"Hallo" }', '"Hallo", "bye": "Tschüss" }')],
      },
      ...CHECKED,
    ],
  },
  {
    name: 'long-file',
    about: 'a file that is read in two parts',
    prompt: 'One number in numbers.mjs is not what its name says. Correct it.',
    files: {
      'numbers.mjs': `${LONG.join('\n')}\n`,
      'test.mjs': testOf(
        `import * as numbers from './numbers.mjs'`,
        'for (const [name, value] of Object.entries(numbers)) assert.equal(name, `n${value}`)',
      ),
    },
    answers: [
      { calls: [read('numbers.mjs')] },
      { sees: [/go on with offset (2001)\./], calls: [read('numbers.mjs', { offset: 2001 })] },
      { sees: ['  2200\texport const n2200 = 2201'], calls: [edit('numbers.mjs', 'n2200 = 2201', 'n2200 = 2200')] },
      ...CHECKED,
    ],
  },
  {
    name: 'lines-around',
    about: 'a search that shows the lines around a match',
    prompt: 'The retry in client.mjs waits 10 ms; the comment above it says how long it should be.',
    files: {
      'client.mjs': `export const settings = {
  // Wait for a quarter of a second.
  retryMs: 10,
}
`,
      'test.mjs': testOf(`import { settings } from './client.mjs'`, 'assert.equal(settings.retryMs, 250)'),
    },
    answers: [
      { calls: [grep({ pattern: 'retryMs', glob: '!test.mjs', context: 1 })] },
      { sees: ['quarter of a second', 'retryMs: 10'], calls: [edit('client.mjs', 'retryMs: 10', 'retryMs: 250')] },
      ...CHECKED,
    ],
  },
  {
    name: 'look-around',
    about: 'a directory is listed',
    prompt: 'index.mjs should export every shape that there is.',
    files: {
      'shapes/circle.mjs': "export const circle = 'circle'\n",
      'shapes/square.mjs': "export const square = 'square'\n",
      'index.mjs': "export { circle } from './shapes/circle.mjs'\n",
      'test.mjs': testOf(
        `import * as shapes from './index.mjs'`,
        `assert.deepEqual(Object.keys(shapes).sort(), ['circle', 'square'])`,
      ),
    },
    answers: [
      { calls: [read('shapes'), read('index.mjs')] },
      {
        sees: ['circle.mjs', 'square.mjs'],
        calls: [edit('index.mjs', "circle.mjs'\n", "circle.mjs'\nexport { square } from './shapes/square.mjs'\n")],
      },
      ...CHECKED,
    ],
  },
]
