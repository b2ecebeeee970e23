// A workspace with secrets beside it, and everything that anybody ever wrote to get from the one to the other.
import type { Workspace } from '@polylogue/engine'
import fc from 'fast-check'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

export interface PathWorld {
  readonly dir: string
  readonly workspace: Workspace
  readonly protectedPath: string
  /** As it was at first, without links. */
  reset(): void
  /** Instead of those before. */
  setLinks(links: readonly Link[]): void
  /** What is outside of the workspace or hidden in it, as one text. */
  outside(): string
  remove(): void
}

export interface Link {
  readonly place: string
  readonly target: string
}

const INSIDE = [
  'ws/a.txt',
  'ws/sub/b.txt',
  'ws/sub/deep/c.txt',
  'ws/..hidden/a.txt',
  'ws/.../a.txt',
  'ws/%2e%2e/a.txt',
  'ws/trail. /a.txt',
  'ws/C:/a.txt',
  'ws/\u00e9/a.txt',
  'ws/line\nbreak/a.txt',
  'ws2/a.txt',
]
const OUTSIDE = ['secret/a.txt', 'secret/sub/b.txt', 'ws-evil/a.txt', 'a.txt', 'ws/data/key', 'ws/data/a.txt']
const PLACES = ['l0', 'l1', 'l2', 'l3', 'sub/l4', 'sub/deep/l5']

export function createPathWorld(): PathWorld {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-test-')))
  const root = join(dir, 'ws')
  return {
    dir,
    workspace: { cwd: root, roots: [root, join(dir, 'ws2')] },
    protectedPath: join(root, 'data'),
    reset() {
      for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true, force: true })
      for (const [paths, text] of [
        [INSIDE, 'inside'],
        [OUTSIDE, 'SECRET'],
      ] as const) {
        for (const path of paths) {
          mkdirSync(join(dir, dirname(path)), { recursive: true })
          writeFileSync(join(dir, path), `${text} ${path}`)
        }
      }
    },
    setLinks(links) {
      for (const place of PLACES) rmSync(join(root, place), { recursive: true, force: true })
      for (const { place, target } of links) symlinkSync(target.replaceAll('DIR', dir), join(root, place))
    },
    outside() {
      const names = ['.', 'secret', 'secret/sub', 'ws-evil', 'ws/data'].map((path) =>
        readdirSync(join(dir, path)).sort(),
      )
      return JSON.stringify([names, OUTSIDE.map((path) => readFileSync(join(dir, path), 'utf8'))])
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

const part = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('..', '.', '', 'sub', 'deep', 'a.txt', 'b.txt', 'c.txt', 'secret', 'ws') },
  { weight: 4, arbitrary: fc.constantFrom('l0', 'l1', 'l2', 'l3', 'l4', 'l5', 'ws2', 'ws-evil', 'data', 'key') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        '%2e%2e',
        '%2f',
        '..hidden',
        '...',
        '. ',
        '.. ',
        'trail. ',
        'C:',
        '\\\\server\\share',
        '..\\',
        '\uFF0E\uFF0E',
      ],
      ...['\u00e9', 'e\u0301', 'line\nbreak', 'a\rb', '~', '-', '*', '\u202e', 'x'.repeat(255), 'x'.repeat(256)],
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
)
const start = fc.constantFrom(
  '',
  '',
  '',
  '/',
  '//',
  'DIR/',
  'DIR/ws/',
  'DIR/ws2/',
  'DIR/ws-evil/',
  'DIR/secret/',
  'DIR/ws/../',
  '/proc/self/cwd/',
  '/proc/self/root/DIR/ws/',
)
const parts = fc.array(part, { minLength: 1, maxLength: 8 })

/** Steps that exist, some of them through links, and a file at the end: many of these lead somewhere. */
const step = fc.constantFrom(
  ...['.', '', 'sub', 'sub/deep', 'sub/..', '..', 'l0/..', 'l0', 'l1', 'l2', 'l3', 'sub/l4', 'sub/deep/l5', 'l4', 'l5'],
)
const file = fc.constantFrom(
  ...['a.txt', 'a.txt', 'b.txt', 'sub/b.txt', 'sub/deep/c.txt', 'deep/c.txt', 'l0', 'l1', '../a.txt', '../ws/a.txt'],
  ...['../secret/a.txt', '../../a.txt', 'data/key', '../ws2/a.txt'],
)
const likelyPath = fc
  .tuple(fc.constantFrom('', '', 'DIR/ws/', 'DIR/ws2/'), fc.array(step, { maxLength: 2 }), file)
  .map(([from, steps, last]) => from + [...steps, last].join('/'))

/** `DIR` stands for the directory of the world. */
export const pathArbitrary = fc.oneof(
  { weight: 40, arbitrary: likelyPath },
  { weight: 20, arbitrary: fc.tuple(start, parts).map(([from, names]) => from + names.join('/')) },
  { weight: 1, arbitrary: parts.map((names) => `${names.join('/')}\0/a.txt`) },
  { weight: 1, arbitrary: fc.nat(3000).map((length) => `${'../'.repeat(length % 40)}${'sub/'.repeat(length)}a.txt`) },
)

const likelyTarget = fc.constantFrom(
  ...[
    '.',
    '..',
    'sub',
    'sub/deep',
    'a.txt',
    '../ws2',
    '../secret',
    '../ws/sub',
    'l1',
    'l2/..',
    '../l3',
    'sub/l4',
    '../..',
  ],
  ...['DIR/ws', 'DIR/ws/sub/../a.txt', 'DIR/secret', 'DIR/ws2/../ws', 'DIR/ws/l0', '/', 'DIR/ws/l1/../b.txt', 'data'],
)
/** A link's text cannot hold NUL, be empty or be too long. */
const target = fc.oneof(
  likelyTarget,
  fc
    .tuple(start, fc.array(part, { minLength: 1, maxLength: 4 }))
    .map(([from, names]) => (from + names.join('/')).replaceAll('\0', '').toWellFormed() || '.'),
)
export const linksArbitrary = fc.uniqueArray(fc.record({ place: fc.constantFrom(...PLACES), target }), {
  selector: ({ place }) => place,
  minLength: 2,
  maxLength: PLACES.length,
})

/** What the kernel opens, if that is a file that a tool may open: the second opinion. */
export function realFile({ dir, workspace, protectedPath }: PathWorld, path: string): string | undefined {
  try {
    const real = realpathSync.native(resolve(workspace.cwd, path.replaceAll('DIR', dir)))
    return isAllowed({ workspace, protectedPath }, real) ? real : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

export function isAllowed(
  { workspace, protectedPath }: Pick<PathWorld, 'workspace' | 'protectedPath'>,
  real: string,
): boolean {
  const isBelow = (directory: string): boolean => real.startsWith(`${directory}/`)
  return workspace.roots.some(isBelow) && !isBelow(protectedPath) && real !== protectedPath
}
