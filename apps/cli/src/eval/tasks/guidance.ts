import { CHECKED, agent, bash, edit, read, testOf, todos, write, type EvalTask } from '../eval-task.ts'

const STEPS = ['one', 'two', 'three', 'four', 'five', 'six']
const COUNT = 'How many entries does data/list.json have? Answer with the number alone.'
const LONGEST = 'Which entry of data/list.json is the longest? Answer with the entry alone.'

export const GUIDANCE: readonly EvalTask[] = [
  {
    name: 'house-rules',
    about: 'AGENTS.md decides how the file is called',
    prompt: 'Add a constant ANSWER = 42 in a module of its own.',
    files: {
      'AGENTS.md': '# Rules\n\nModules with constants end in `.const.mjs`.\n',
      'test.mjs': testOf(`import { ANSWER } from './answer.const.mjs'`, 'assert.equal(ANSWER, 42)'),
    },
    answers: [
      { told: [/end in `(\.const\.mjs)`/], calls: [write('answer$1', 'export const ANSWER = 42\n')] },
      ...CHECKED,
    ],
  },
  {
    name: 'know-the-place',
    about: 'the working directory is in the prompt',
    prompt: 'Write the absolute path of this project, followed by /data, to where.txt.',
    files: {
      'test.mjs': testOf(
        `import { readFileSync } from 'node:fs'`,
        "assert.equal(readFileSync('where.txt', 'utf8').trim(), import.meta.dirname + '/data')",
      ),
    },
    answers: [{ told: [/^- Working directory: (\S+)$/m], calls: [write('$1/where.txt', '$1/data\n')] }, ...CHECKED],
  },
  {
    name: 'long-plan',
    about: 'a plan, and more than twenty steps',
    prompt: 'Repair all six modules, one after the other, with a plan.',
    files: {
      ...Object.fromEntries(STEPS.map((name) => [`${name}.mjs`, `export const ${name} = 'wrong'\n`])),
      'test.mjs': testOf(
        STEPS.map((name) => `import { ${name} } from './${name}.mjs'`).join('\n'),
        `assert.deepEqual([${STEPS.join(', ')}], ${JSON.stringify(STEPS)})`,
      ),
    },
    answers: [
      { calls: [todos({ todos: STEPS.map((name) => ({ content: name, status: 'pending' })) })] },
      ...STEPS.flatMap((name, index) => [
        { sees: [index === 0 ? 'The plan is kept.' : /plan is kept/], calls: [read(`${name}.mjs`)] },
        { sees: ["'wrong'"], calls: [edit(`${name}.mjs`, "'wrong'", `'${name}'`)] },
        {
          sees: ['Edited'],
          calls: [
            todos({
              todos: STEPS.map((content, at) => ({ content, status: at <= index ? 'completed' : 'pending' })),
            }),
          ],
        },
      ]),
      { sees: ['All 6 steps are completed.'], calls: [bash('node test.mjs')] },
      { sees: ['all good'], says: 'All six are repaired.' },
    ],
  },
  {
    name: 'two-errands',
    about: 'two sub-agents side by side',
    prompt: 'Have two helpers find the number of entries and the longest entry, and write both to facts.json.',
    files: {
      'data/list.json': '["fig", "banana", "kiwi"]\n',
      'test.mjs': testOf(
        `import { readFileSync } from 'node:fs'`,
        `assert.deepEqual(JSON.parse(readFileSync('facts.json', 'utf8')), { count: 3, longest: 'banana' })`,
      ),
    },
    answers: [
      {
        calls: [agent({ description: 'Count', prompt: COUNT }), agent({ description: 'Longest', prompt: LONGEST })],
      },
      { sees: [/^(3)$/m, /^(banana)$/m], calls: [write('facts.json', '{ "count": $1, "longest": "$2" }\n')] },
      ...CHECKED,
    ],
    errands: {
      [COUNT]: [{ calls: [read('data/list.json')] }, { sees: ['"kiwi"'], says: '3' }],
      [LONGEST]: [{ calls: [read('data/list.json')] }, { sees: ['"kiwi"'], says: 'banana' }],
    },
  },
]
