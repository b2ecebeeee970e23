import { CHECKED, edit, read, testOf, write, type EvalTask } from '../eval-task.ts'

export const FIRST_STEPS: readonly EvalTask[] = [
  {
    name: 'off-by-one',
    about: 'read, edit, run the test',
    prompt: 'sum() in sum.mjs leaves out the last number. Please fix it.',
    files: {
      'sum.mjs': `export function sum(list) {
  let total = 0
  for (let i = 0; i < list.length - 1; i++) total += list[i]
  return total
}
`,
      'test.mjs': testOf(`import { sum } from './sum.mjs'`, 'assert.equal(sum([1, 2, 3]), 6)'),
    },
    answers: [
      { calls: [read('sum.mjs')] },
      { sees: ['list.length - 1'], calls: [edit('sum.mjs', 'list.length - 1', 'list.length')] },
      ...CHECKED,
    ],
  },
  {
    name: 'missing-export',
    about: 'a name that a module does not export',
    prompt: 'The test cannot import `double`. Find out why and fix it.',
    files: {
      'math.mjs': 'function double(n) {\n  return n * 2\n}\n\nexport const half = (n) => n / 2\n',
      'test.mjs': testOf(`import { double } from './math.mjs'`, 'assert.equal(double(4), 8)'),
    },
    answers: [
      { calls: [read('test.mjs'), read('math.mjs')] },
      {
        sees: ['import { double }', 'function double(n)'],
        calls: [edit('math.mjs', 'function double', 'export function double')],
      },
      ...CHECKED,
    ],
  },
  {
    name: 'new-module',
    about: 'a new file in a new directory',
    prompt: 'test.mjs wants a module lib/slug.mjs that does not exist. Write it.',
    files: {
      'test.mjs': testOf(`import { slug } from './lib/slug.mjs'`, `assert.equal(slug('Hello, World'), 'hello-world')`),
    },
    answers: [
      { calls: [read('test.mjs')] },
      {
        sees: ['hello-world'],
        calls: [
          write(
            'lib/slug.mjs',
            "export const slug = (text) =>\n  text\n    .toLowerCase()\n    .replace(/[^a-z0-9]+/g, '-')\n    .replace(/^-|-$/g, '')\n",
          ),
        ],
      },
      ...CHECKED,
    ],
  },
  {
    name: 'missing-await',
    about: 'a promise that nobody awaits',
    prompt: 'load() gives [object Promise]. Repair it.',
    files: {
      'load.mjs': `const fetchName = async () => 'Ada'

export async function load() {
  const name = fetchName()
  return 'Hello ' + name
}
`,
      'test.mjs': testOf(`import { load } from './load.mjs'`, `assert.equal(await load(), 'Hello Ada')`),
    },
    answers: [
      { calls: [read('load.mjs')] },
      { sees: ['= fetchName()'], calls: [edit('load.mjs', '= fetchName()', '= await fetchName()')] },
      ...CHECKED,
    ],
  },
  {
    name: 'two-files',
    about: 'two edits in one answer',
    prompt: 'Prices must be in cents in both cart.mjs and tax.mjs.',
    files: {
      'cart.mjs': 'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0) / 100\n',
      'tax.mjs': 'export const tax = (cents) => Math.round(cents * 0.2) / 100\n',
      'test.mjs': testOf(
        `import { total } from './cart.mjs'\nimport { tax } from './tax.mjs'`,
        'assert.equal(tax(total([500, 500])), 200)',
      ),
    },
    answers: [
      { calls: [read('cart.mjs'), read('tax.mjs')] },
      {
        sees: ['prices.reduce', 'Math.round'],
        calls: [edit('cart.mjs', ' / 100', ''), edit('tax.mjs', ' / 100', '')],
      },
      ...CHECKED,
    ],
  },
  {
    name: 'json-settings',
    about: 'a file that is written anew',
    prompt: 'settings.json is not valid JSON. Make it so, with the same values.',
    files: {
      'settings.json': "{\n  port: 8080,\n  host: 'localhost',\n}\n",
      'test.mjs': testOf(
        `import { readFileSync } from 'node:fs'`,
        `assert.deepEqual(JSON.parse(readFileSync('settings.json', 'utf8')), { port: 8080, host: 'localhost' })`,
      ),
    },
    answers: [
      { calls: [read('settings.json')] },
      { sees: ['port: 8080'], calls: [write('settings.json', '{\n  "port": 8080,\n  "host": "localhost"\n}\n')] },
      ...CHECKED,
    ],
  },
]
