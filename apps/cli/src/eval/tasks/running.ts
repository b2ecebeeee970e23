import { CHECKED, bash, edit, read, testOf, write, type EvalTask } from '../eval-task.ts'

export const RUNNING: readonly EvalTask[] = [
  {
    name: 'second-look',
    about: 'the test shows that the first repair was not enough',
    prompt: 'average() is wrong. Repair it until the test passes.',
    files: {
      'average.mjs': `export function average(list) {
  const sum = list.reduce((a, b) => a - b, 0)
  return sum / list.length
}
`,
      'test.mjs': testOf(
        `import { average } from './average.mjs'`,
        'assert.equal(average([2, 4]), 3)',
        'assert.equal(average([]), 0)',
      ),
    },
    answers: [
      { calls: [read('average.mjs')] },
      { sees: ['a - b'], calls: [edit('average.mjs', 'a - b', 'a + b')] },
      { told: ['Run the tests that cover the change'], sees: ['Edited'], calls: [bash('node test.mjs')] },
      {
        sees: ['NaN', 'Exit code 1.'],
        calls: [edit('average.mjs', 'return sum', 'return list.length === 0 ? 0 : sum')],
      },
      ...CHECKED,
    ],
  },
  {
    name: 'read-the-error',
    about: 'the place of an error comes from the output of a command',
    prompt: 'The program crashes. Run it and repair what it complains about.',
    files: {
      'main.mjs': "import { parse } from './lib/parse.mjs'\n\nexport const result = parse('a=1')\n",
      'lib/parse.mjs': `export function parse(line) {
  const [name, value] = line.splitt('=')
  return { [name]: Number(value) }
}
`,
      'test.mjs': testOf(`import { result } from './main.mjs'`, 'assert.deepEqual(result, { a: 1 })'),
    },
    answers: [
      { calls: [bash('node main.mjs')] },
      { sees: [/(lib\/parse\.mjs):2/, 'splitt is not a function', 'Exit code 1.'], calls: [read('$1')] },
      { sees: ['line.splitt'], calls: [edit('lib/parse.mjs', 'splitt', 'split')] },
      ...CHECKED,
    ],
  },
  {
    name: 'remove-file',
    about: 'a file is deleted with a command',
    prompt: 'plugins/old.mjs is not used any more and breaks the list of plugins. Delete it.',
    files: {
      'plugins/old.mjs': "throw new Error('old')\n",
      'plugins/new.mjs': "export const name = 'new'\n",
      'test.mjs': testOf(
        `import { readdirSync } from 'node:fs'`,
        `assert.deepEqual(readdirSync('plugins'), ['new.mjs'])`,
      ),
    },
    answers: [
      { calls: [bash('rm plugins/old.mjs && ls plugins')] },
      { sees: ['new.mjs'], misses: ['old.mjs'], calls: [bash('node test.mjs')] },
      { sees: ['all good'], says: 'plugins/old.mjs is deleted, and `node test.mjs` passes.' },
    ],
  },
  {
    name: 'long-output',
    about: 'output that is too long keeps its end',
    prompt: 'Run node check.mjs, and set the limit in limit.mjs to the number in its last line.',
    files: {
      'check.mjs': "for (let i = 0; i < 9000; i++) console.log('checked ' + i)\nconsole.log('the limit is 4711')\n",
      'limit.mjs': 'export const LIMIT = 0\n',
      'test.mjs': testOf(`import { LIMIT } from './limit.mjs'`, 'assert.equal(LIMIT, 4711)'),
    },
    answers: [
      { calls: [bash('node check.mjs')] },
      { sees: [/checked 0\n/, /the limit is (\d+)/], calls: [edit('limit.mjs', 'LIMIT = 0', 'LIMIT = $1')] },
      ...CHECKED,
    ],
  },
  {
    name: 'generated-file',
    about: 'a program of the project writes the file',
    prompt: 'names.json is old. Regenerate it with the generator in tools/.',
    files: {
      'tools/generate.mjs':
        "import { writeFileSync } from 'node:fs'\nwriteFileSync('names.json', JSON.stringify(['Ada', 'Grace']))\n",
      'names.json': '["Ada"]',
      'test.mjs': testOf(
        `import { readFileSync } from 'node:fs'`,
        `assert.deepEqual(JSON.parse(readFileSync('names.json', 'utf8')), ['Ada', 'Grace'])`,
      ),
    },
    answers: [
      { calls: [read('tools')] },
      { sees: ['generate.mjs'], calls: [bash('node tools/generate.mjs && cat names.json')] },
      { sees: ['"Grace"'], calls: [bash('node test.mjs')] },
      { sees: ['all good'], says: 'Regenerated.' },
    ],
  },
  {
    name: 'stay-inside',
    about: 'a write outside of the project is refused, and the turn goes on',
    prompt: 'Keep the version in a file. It is 3.',
    files: {
      'test.mjs': testOf(
        `import { readFileSync } from 'node:fs'`,
        `assert.equal(readFileSync('version.txt', 'utf8').trim(), '3')`,
      ),
    },
    answers: [
      { calls: [write('/version.txt', '3\n')] },
      { sees: [/outside|not allowed|denied|may not/i], calls: [write('version.txt', '3\n')] },
      ...CHECKED,
    ],
  },
]
