export interface ProjectChoices {
  /** Of the source files. `mts` where the folder's package.json says CommonJS. */
  readonly extension: 'ts' | 'mts'
  readonly name: string
  readonly hasPackage: boolean
  /** Present where the folder has no package `polylogue` installed. */
  readonly typesFrom?: TypesPlace
}

/** Where types are on this machine. */
export interface TypesPlace {
  /** The module that `polylogue` means. */
  readonly polylogue: string
  /** The folder of `@types`. */
  readonly roots: string
}

/** Where the editor finds the types of `polylogue`: a path of this machine, so it is not for version control. */
export const TYPES_FILE = '.types/tsconfig.json'

/** The files of a new agent project, by path. */
export function listProjectFiles(choices: ProjectChoices): ReadonlyMap<string, string> {
  const { extension, hasPackage, typesFrom } = choices
  return new Map([
    [`polylogue.config.${extension}`, CONFIG.replaceAll('.EXT', `.${extension}`)],
    [`tools/dice.${extension}`, DICE],
    [`tools/dice.test.${extension}`, DICE_TEST.replaceAll('.EXT', `.${extension}`)],
    ['agents/helper.md', HELPER],
    ['tsconfig.json', formatTsconfig(typesFrom !== undefined)],
    ...(typesFrom === undefined ? [] : [[TYPES_FILE, formatTypes(typesFrom)] as const]),
    ...(hasPackage ? [] : [['package.json', formatPackage(choices)] as const]),
    ['.gitignore', 'node_modules/\n.polylogue/\n.types/\n'],
  ])
}

const CONFIG = `import { defineAgent, defineConfig, defineTool, z } from 'polylogue'
import { rollDice } from './tools/dice.EXT'

const roll = defineTool({
  name: 'roll_dice',
  title: 'Roll dice',
  description: 'Rolls dice and gives what each of them shows.',
  input: z.object({
    count: z.number().int().min(1).max(20).describe('How many dice'),
    sides: z.number().int().min(2).max(100).default(6).describe('How many sides each of them has'),
  }),
  // It changes nothing, so it runs without asking. A tool that changes something is 'unsafe': it asks first.
  effect: 'readonly',
  run: ({ input }) => rollDice(input).join(', '),
})

export default defineConfig({
  tools: [roll],
  agents: [
    defineAgent({
      name: 'croupier',
      description: 'Rolls dice.',
      instructions: 'You roll dice for the user with roll_dice. You never make up what they show.',
      tools: [roll],
      // Without a model, the first provider that has a key is used, else a built-in demo.
      // model: 'anthropic/claude-sonnet-5-5',
    }),
  ],
})
`

const DICE = `export interface Throw {
  readonly count: number
  readonly sides: number
}

/** What each die shows. */
export function rollDice({ count, sides }: Throw, random: () => number = Math.random): readonly number[] {
  return Array.from({ length: count }, () => 1 + Math.floor(random() * sides))
}
`

const DICE_TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rollDice } from './dice.EXT'

test('every die shows one of its sides', () => {
  assert.deepEqual(rollDice({ count: 2, sides: 6 }, () => 0), [1, 1])
  assert.deepEqual(rollDice({ count: 2, sides: 6 }, () => 0.999), [6, 6])
})
`

const HELPER = `---
title: Helper
description: Explains the rules of dice games.
tools: [roll_dice]
---
You explain the rules of dice games in a few sentences, and show an example with roll_dice.
`

function formatTsconfig(hasTypesFile: boolean): string {
  return format({
    ...(hasTypesFile && { extends: `./${TYPES_FILE}` }),
    compilerOptions: {
      module: 'nodenext',
      target: 'es2024',
      lib: ['esnext'],
      strict: true,
      noEmit: true,
      types: ['node'],
      allowImportingTsExtensions: true,
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
      skipLibCheck: true,
    },
    include: ['*.config.*', 'tools'],
  })
}

function formatTypes({ polylogue, roots }: TypesPlace): string {
  return format({ compilerOptions: { paths: { polylogue: [polylogue] }, typeRoots: [roots] } })
}

function formatPackage({ name }: ProjectChoices): string {
  return format({
    name,
    private: true,
    type: 'module',
    scripts: { start: 'polylogue serve', test: 'node --test' },
  })
}

const format = (value: object): string => `${JSON.stringify(value, null, 2)}\n`
