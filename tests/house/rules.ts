import {
  findForeignImportsOfTheEngine,
  findRoomsWithoutArrows,
  findWrongArrows,
  findWrongArrowsOfTheRoot,
} from './arrows.ts'
import { findCirclesOfFolders } from './circles.ts'
import {
  findDeepImports,
  findHeavyImports,
  findImportsThatLeaveTheirRoom,
  findRoomsWithManyDoors,
  findUndeclaredImports,
} from './doors.ts'
import { findActingFilesWithoutGrant, findForeignGrants, findUngrantedEffects } from './effects.ts'
import { findConsoleUses, findLongFiles, findStarExports } from './files.ts'
import type { House, Manifest } from './house.ts'
import {
  findEmptyFileNames,
  findEmptyNames,
  findNamesNotInKebabCase,
  findProtocolWords,
  findStoreNames,
} from './words.ts'

/** A rule about the sources, with an example that breaks it, so that the check itself can be seen to work. */
export interface Rule {
  readonly sentence: string
  readonly find: (house: House) => string[]
  readonly brokenBy: Readonly<Record<string, string>>
  readonly brokenManifests?: Readonly<Record<string, Manifest>>
  readonly complaints: readonly string[]
}

export const RULES: readonly Rule[] = [
  {
    sentence: 'imports between rooms point down the layers only',
    find: findWrongArrows,
    brokenBy: {
      'packages/engine/src/a.ts': "import { x } from '@polylogue/tools'",
      'packages/engine/src/a.test.ts': "import { x } from '@polylogue/testkit'\nimport { y } from '@polylogue/models'",
      'packages/models/src/a.ts': "import { x } from '@polylogue/engine'\nexport { y } from '@polylogue/tools'",
      'packages/tools/src/a.ts': "export const lazy = () => import('@polylogue/server')",
      'packages/stores/sqlite/src/a.ts': "type X = import('@polylogue/aap').X",
      'packages/protocols/kit/src/a.ts':
        "import type { x } from '@polylogue/engine'\nimport { y } from '@polylogue/engine'\nimport '@polylogue/aap'",
      'packages/protocols/aap/src/a.ts': "import { x } from '@polylogue/testkit'\nimport { y } from '@polylogue/kit'",
      'packages/testkit/src/a.ts': "import { x } from '@polylogue/engine'\nimport '@polylogue/store-sqlite'",
      'apps/server/src/a.ts': "import { x } from '@polylogue/aap'\nimport { y } from '@polylogue/cli'",
      'apps/server/src/test-support/a.ts': "import { x } from '@polylogue/testkit'",
      'apps/cli/src/a.ts': "import type { x } from '@polylogue/engine'\nimport { y } from '@polylogue/engine'",
      'apps/cli/src/b.ts': "import '@polylogue/aap/client'\nimport '@polylogue/aap'",
    },
    complaints: [
      'packages/engine/src/a.ts:1 packages/engine may not import @polylogue/tools',
      'packages/engine/src/a.test.ts:2 packages/engine may not import @polylogue/models',
      'packages/models/src/a.ts:2 packages/models may not import @polylogue/tools',
      'packages/tools/src/a.ts:1 packages/tools may not import @polylogue/server',
      'packages/stores/sqlite/src/a.ts:1 packages/stores/sqlite may not import @polylogue/aap',
      'packages/protocols/kit/src/a.ts:2 packages/protocols/kit may not import @polylogue/engine',
      'packages/protocols/kit/src/a.ts:3 packages/protocols/kit may not import @polylogue/aap',
      'packages/protocols/aap/src/a.ts:1 packages/protocols/aap may not import @polylogue/testkit',
      'packages/testkit/src/a.ts:2 packages/testkit may not import @polylogue/store-sqlite',
      'apps/server/src/a.ts:2 apps/server may not import @polylogue/cli',
      'apps/cli/src/a.ts:2 apps/cli may not import @polylogue/engine',
      'apps/cli/src/b.ts:2 apps/cli may not import @polylogue/aap',
    ],
  },
  {
    sentence: 'the engine imports no foreign package but zod and re2js, and nothing of Node',
    find: findForeignImportsOfTheEngine,
    brokenBy: {
      'packages/engine/src/a.ts': "import { z } from 'zod'\nimport 'node:fs'\nimport 'path'\nimport 'hono/sse'",
      'packages/engine/src/a.test.ts': "import 'node:fs'\nimport 'vitest'",
      'packages/tools/src/a.ts': "import 'node:fs'",
    },
    complaints: [
      'packages/engine/src/a.ts:2 packages/engine may not import node:fs',
      'packages/engine/src/a.ts:3 packages/engine may not import path',
      'packages/engine/src/a.ts:4 packages/engine may not import hono/sse',
    ],
  },
  {
    sentence: 'the folders of the engine do not import each other in a circle',
    find: findCirclesOfFolders,
    brokenBy: {
      'packages/engine/src/index.ts': "export { a } from './session/a.ts'",
      'packages/engine/src/parts.ts': "import type { C } from './events/c.ts'",
      'packages/engine/src/events/c.ts': '',
      'packages/engine/src/session/a.ts': "import { b } from './b.ts'\nimport { p } from '../parts.ts'",
      'packages/engine/src/session/b.ts': "import type { T } from '../turn/t.ts'",
      'packages/engine/src/session/b.test.ts': "import { e } from '../engine/e.ts'",
      'packages/engine/src/turn/t.ts': "import { v } from '../views/v.ts'",
      'packages/engine/src/views/v.ts': "import { a } from '../session/a.ts'",
      'packages/engine/src/engine/e.ts': "import { t } from '../turn/t.ts'",
    },
    complaints: [
      'packages/engine/src/session/b.ts imports turn/t.ts: turn imports session as well, directly or through others',
      'packages/engine/src/turn/t.ts imports views/v.ts: views imports turn as well, directly or through others',
      'packages/engine/src/views/v.ts imports session/a.ts: session imports views as well, directly or through others',
    ],
  },
  {
    sentence: 'examples import only the published package, scripts nothing of ours',
    find: findWrongArrowsOfTheRoot,
    brokenBy: {
      'examples/weather/agent.ts': "import 'polylogue'\nimport '@polylogue/engine'",
      'scripts/start.mjs': "import '@polylogue/server'",
      'tests/whole.test.ts': "import '@polylogue/server'",
    },
    complaints: [
      'examples/weather/agent.ts:2 may not import @polylogue/engine',
      'scripts/start.mjs:1 may not import @polylogue/server',
    ],
  },
  {
    sentence: 'every room has its place in the layers',
    find: findRoomsWithoutArrows,
    brokenBy: {},
    brokenManifests: { 'packages/extras/package.json': { name: '@polylogue/extras' } },
    complaints: ['packages/extras has no row in tests/house/arrows.ts: decide what it may import'],
  },
  {
    sentence: 'a room is entered by its package name, never by a file inside it',
    find: findDeepImports,
    brokenBy: {
      'packages/models/src/a.ts':
        "import '@polylogue/engine'\nimport '@polylogue/engine/src/errors.ts'\nimport 'hono/sse'",
      'apps/cli/src/a.ts': "import '@polylogue/aap/client'\nimport '@polylogue/server/client'",
    },
    brokenManifests: {
      'packages/protocols/aap/package.json': {
        name: '@polylogue/aap',
        exports: { '.': './src/index.ts', './client': './src/client/index.ts' },
      },
    },
    complaints: [
      'packages/models/src/a.ts reaches into @polylogue/engine: @polylogue/engine/src/errors.ts',
      'apps/cli/src/a.ts reaches into @polylogue/server: @polylogue/server/client',
    ],
  },
  {
    sentence: 'relative imports stay inside their room',
    find: findImportsThatLeaveTheirRoom,
    brokenBy: {
      'packages/models/src/a.ts': "import './b.ts'\nimport '../../engine/src/errors.ts'\nimport '/etc/a.js'",
      'tests/a.test.ts': "import '../scripts/lib/run.mjs'\nvi.mock('x')\nawait import(`../apps/cli/src/main.ts`)",
    },
    complaints: [
      'packages/models/src/a.ts leaves packages/models: ../../engine/src/errors.ts',
      'packages/models/src/a.ts imports an absolute path: /etc/a.js',
      'tests/a.test.ts leaves .: ../apps/cli/src/main.ts',
    ],
  },
  {
    sentence: 'every imported package is declared by the room that imports it',
    find: findUndeclaredImports,
    brokenBy: {
      'packages/engine/src/a.ts': "import 'zod'\nimport 'node:fs'\nimport 'hono/sse'\nconst vitest = require('vitest')",
      'packages/engine/src/a.test.ts': "import 'vitest'\nimport '@polylogue/testkit'\nimport 'sinon'",
      'packages/models/src/a.ts': "import '@polylogue/engine'",
      'packages/testkit/src/a.ts': "import 'vitest'\nimport '@polylogue/engine'",
      'examples/weather/agent.ts': "import 'polylogue'\nimport 'zod'\nimport 'axios'",
    },
    complaints: [
      'packages/engine/src/a.ts uses hono, which packages/engine/package.json does not declare',
      'packages/engine/src/a.ts uses vitest, which packages/engine/package.json does not declare',
      'packages/engine/src/a.test.ts uses sinon, which packages/engine/package.json does not declare',
      'packages/models/src/a.ts uses @polylogue/engine, which packages/models/package.json does not declare',
      'examples/weather/agent.ts uses axios, which package.json does not declare',
    ],
  },
  {
    sentence: 'a package has one door, and at most a client and a light entry besides',
    find: findRoomsWithManyDoors,
    brokenBy: {},
    brokenManifests: {
      'packages/tools/package.json': { name: '@polylogue/tools', exports: { '.': './src/index.ts', './*': './src/*' } },
    },
    complaints: [
      'packages/tools/package.json must export "." at ./src/index.ts and at most "./client" and "./light" besides',
    ],
  },
  {
    sentence: 'a light entry loads no other package, except for its light entry',
    find: findHeavyImports,
    brokenBy: {
      'packages/protocols/aap/src/light/index.ts': "export { a } from './a.ts'\nimport type { Z } from 'zod'",
      'packages/protocols/aap/src/light/a.ts': "import '../b.ts'\nimport '@polylogue/kit/light'\nimport 'node:net'",
      'packages/protocols/aap/src/b.ts': "import 'zod'\nimport '@polylogue/kit'",
      'packages/protocols/aap/src/index.ts': "import 'zod'",
    },
    brokenManifests: {
      'packages/protocols/aap/package.json': {
        name: '@polylogue/aap',
        exports: { '.': './src/index.ts', './light': './src/light/index.ts' },
      },
      'packages/protocols/kit/package.json': {
        name: '@polylogue/kit',
        exports: { '.': './src/index.ts', './light': './src/light/index.ts' },
      },
    },
    complaints: [
      'packages/protocols/aap/src/b.ts:1 is part of a light entry and may not load zod',
      'packages/protocols/aap/src/b.ts:2 is part of a light entry and may not load @polylogue/kit',
    ],
  },
  {
    sentence: 'exports are named one by one',
    find: findStarExports,
    brokenBy: {
      'packages/tools/src/index.ts': "export { a } from './a.ts'\nexport * from './b.ts'\n// export * from './c.ts'",
    },
    complaints: ['packages/tools/src/index.ts:2 exports *: name what you export'],
  },
  {
    sentence: 'no file has more than 400 lines, no test file more than 800',
    find: findLongFiles,
    brokenBy: {
      'packages/tools/src/a.ts': 'a()\n'.repeat(400),
      'packages/tools/src/b.ts': 'a()\n'.repeat(401),
      'packages/tools/src/a.test.ts': 'a()\n'.repeat(800),
      'packages/tools/src/b.test.ts': 'a()\n'.repeat(801),
    },
    complaints: [
      'packages/tools/src/b.ts has 401 lines, 400 at most: split it by idea',
      'packages/tools/src/b.test.ts has 801 lines, 800 at most: split it by idea',
    ],
  },
  {
    sentence: 'file and folder names are kebab-case',
    find: findNamesNotInKebabCase,
    brokenBy: {
      'packages/tools/src/runTurn.ts': '',
      'packages/tools/Read/a.ts': '',
      'packages/tools/src/run-turn.test.ts': '',
    },
    complaints: ['packages/tools/src/runTurn.ts', 'packages/tools/Read/a.ts'],
  },
  {
    sentence: "a protocol's words are said only in its own room and by its door",
    find: findProtocolWords,
    brokenBy: {
      'apps/server/src/a.ts': "export const a = 'session/new'",
      'apps/server/src/doors/blade.ts': "export const a = ['chat:send', 'turn_stop']",
      'apps/cli/src/a.test.ts': "export const a = 'turn_start'",
      'apps/cli/src/bench/a.ts': "export const a = 'turn_start'",
      'packages/engine/src/a.ts': "import '../session/update.ts'\nexport const a = 'turn:patch'",
      'packages/tools/src/a.ts': '// answers session/request_permission',
      'packages/protocols/aap/src/a.ts': "export const a = ['turn_stop', 'chat:send']",
      'packages/models/src/a.ts': "export const a = event.tool_permission ?? 'turn_stopped'",
      'packages/testkit/src/a.ts': "export const a = 'turn_stop'",
    },
    complaints: [
      'apps/server/src/a.ts says session/new, a word of packages/protocols/acp',
      'apps/server/src/doors/blade.ts says turn_stop, a word of packages/protocols/aap',
      'apps/cli/src/a.test.ts says turn_start, a word of packages/protocols/aap',
      'packages/engine/src/a.ts says turn:patch, a word of packages/protocols/blade',
      'packages/tools/src/a.ts says session/request_permission, a word of packages/protocols/acp',
      'packages/protocols/aap/src/a.ts says chat:send, a word of packages/protocols/blade',
      'packages/models/src/a.ts says tool_permission, a word of packages/protocols/aap',
    ],
  },
  {
    sentence: 'only apps/server/src/stores.ts names a store',
    find: findStoreNames,
    brokenBy: {
      'apps/server/src/stores.ts': "import { openSqliteStores } from '@polylogue/store-sqlite'",
      'apps/server/src/compose.ts': "import type { Stores } from '@polylogue/engine'\nimport 'node:sqlite'",
      'apps/server/src/compose.test.ts': "import { DatabaseSync } from 'node:sqlite'",
      'apps/cli/src/a.ts': "const help = 'sqlite:FILE'",
      'packages/engine/src/a.ts': '// as SQLite does',
      'packages/stores/sqlite/src/a.ts': "import { DatabaseSync } from 'node:sqlite'",
      'tests/a.test.ts': "import { openSqliteStores } from '@polylogue/store-sqlite'",
    },
    complaints: [
      'apps/server/src/compose.ts:2 names the store sqlite: ask Stores instead',
      'apps/cli/src/a.ts:1 names the store sqlite: ask Stores instead',
      'packages/engine/src/a.ts:1 names the store sqlite: ask Stores instead',
    ],
  },
  {
    sentence: 'no exported name is made of a word that names nothing',
    find: findEmptyNames,
    brokenBy: {
      'packages/tools/src/a.ts': [
        'export class HTTPSessionManager {}',
        'export interface RequestHandlers {}',
        'export type Utility = string',
        'export const handleRequest = () => createUtil()',
        'export function createToolHelper() {}',
        "export { x as TextProcessor } from './x.ts'",
      ].join('\n'),
    },
    complaints: [
      'packages/tools/src/a.ts:1 exports HTTPSessionManager: name what it is or does',
      'packages/tools/src/a.ts:2 exports RequestHandlers: name what it is or does',
      'packages/tools/src/a.ts:5 exports createToolHelper: name what it is or does',
      'packages/tools/src/a.ts:6 exports TextProcessor: name what it is or does',
    ],
  },
  {
    sentence: 'no file is named after nothing',
    find: findEmptyFileNames,
    brokenBy: {
      'packages/tools/src/utils.ts': '',
      'packages/tools/src/common/a.ts': '',
      'apps/cli/src/run-helper.ts': '',
    },
    complaints: [
      'packages/tools/src/utils.ts: name the file after its main export',
      'packages/tools/src/common/a.ts: name the file after its main export',
      'apps/cli/src/run-helper.ts: name the file after its main export',
    ],
  },
  {
    sentence: 'only the engine issues grants',
    find: findForeignGrants,
    brokenBy: {
      'packages/tools/src/a.ts': "import { issueGrant as make, requireGrant } from '@polylogue/engine'",
      'packages/models/src/a.ts': "import * as engine from '@polylogue/engine'",
      'apps/server/src/a.ts':
        "import type { Grant } from '@polylogue/engine'\nexport { issueGrant } from '@polylogue/engine'",
      'packages/tools/src/a.test.ts': "import { issueGrant } from '@polylogue/engine'",
      'packages/testkit/src/a.ts': "import { issueGrant } from '@polylogue/engine'",
    },
    complaints: [
      'packages/tools/src/a.ts:1 may not issue grants: only the engine does, after it has judged a call',
      'packages/models/src/a.ts:1 may not issue grants: only the engine does, after it has judged a call',
      'apps/server/src/a.ts:2 may not issue grants: only the engine does, after it has judged a call',
    ],
  },
  {
    sentence: 'tools spawn, write and connect only in the files that ask for a grant',
    find: findUngrantedEffects,
    brokenBy: {
      'packages/tools/src/a.ts': [
        "import { readFileSync, writeFileSync as keep, type WriteStream } from 'node:fs'",
        "import { isIP, connect } from 'net'",
        "import type { ChildProcess } from 'node:child_process'",
        "const lazy = () => import('node:child_process')",
        "import fs from 'node:fs/promises'",
        "export const page = () => fetch('http://a.example')",
        'export const other = (it) => it.fetch()',
        "export const socket = () => new WebSocket('ws://a.example')",
      ].join('\n'),
      'packages/tools/src/bash/spawn-command.ts': "import { spawn } from 'node:child_process'",
      'packages/tools/src/a.test.ts': "import { spawn } from 'node:child_process'",
      'packages/stores/sqlite/src/a.ts': "import { writeFileSync } from 'node:fs'",
    },
    complaints: [
      'packages/tools/src/a.ts:1 may not use writeFileSync of node:fs',
      'packages/tools/src/a.ts:2 may not use connect of net',
      'packages/tools/src/a.ts:4 may not use * of node:child_process',
      'packages/tools/src/a.ts:5 may not use * of node:fs/promises',
      'packages/tools/src/a.ts:6 may not use fetch',
      'packages/tools/src/a.ts:8 may not use WebSocket',
    ],
  },
  {
    sentence: 'a file of the tools that acts for a model asks for the grant first',
    find: findActingFilesWithoutGrant,
    brokenBy: {
      'packages/tools/src/bash/spawn-command.ts': "import { spawn } from 'node:child_process'",
      'packages/tools/src/web/open-connection.ts': 'requireGrant(grant, tool)',
    },
    complaints: ['packages/tools/src/bash/spawn-command.ts acts without requireGrant'],
  },
  {
    sentence: 'packages never write to the console',
    find: findConsoleUses,
    brokenBy: {
      'packages/tools/src/a.ts': "log('console.log')\nconsole.log('x')",
      'apps/cli/src/a.ts': "console.log('x')",
    },
    complaints: ['packages/tools/src/a.ts:2 writes to the console'],
  },
]
