// Names: our own words inside, each protocol's words only in its own room, and none that name nothing.
import { type House, isTest } from './house.ts'

/** Words that only one protocol has. Words that providers share with a protocol (`tool_use`, `end_turn`) are not here. */
const PROTOCOL_WORDS: Readonly<Record<string, readonly string[]>> = {
  'packages/protocols/aap': words('tool_permission turn_start turn_stop'),
  'packages/protocols/acp': words(`
    session/new session/load session/resume session/prompt session/update session/cancel session/close session/fork
    session/request_permission session/set_mode session/set_config_option session_info_update
    user_message_chunk agent_message_chunk agent_thought_chunk tool_call_update
    fs/read_text_file fs/write_text_file terminal/create`),
  'packages/protocols/blade': words(`
    chat:send chat:start chat:end chat:stop chat:compact turn:start turn:patch turn:end
    session:updated session:subscribe session:unsubscribe
    askuser_answer client_message_id parent_fork_tool_call_id solution_id`),
}

const EMPTY_WORDS = 'manager|helper|util|service|handler|processor'
const EMPTY_NAME = new RegExp(`^(${EMPTY_WORDS})s?$`, 'i')
const EMPTY_PATH = new RegExp(`^(${EMPTY_WORDS}|common|misc)s?$`)
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/

/**
 * Looks at packages and apps. A protocol's own room and its file in the server's doors may say its words, and so may
 * testkit, whose contract suites name what they compare.
 */
export function findProtocolWords(house: House): string[] {
  const files = house.files.filter(
    ({ path }) =>
      /^(?:packages\/(?!testkit\/)|apps\/)/.test(path) && !CLIENTS.some((client) => path.startsWith(client)),
  )
  return files.flatMap(({ path, text }) =>
    Object.entries(PROTOCOL_WORDS)
      .filter(([owner]) => !path.startsWith(`${owner}/`) && path !== doorOf(owner))
      .flatMap(([owner, itsWords]) => itsWords.map((word) => ({ owner, word })))
      .filter(({ word }) => new RegExp(`(?<![\\w/:-])${word}(?![\\w/:-]|\\.ts)`).test(text))
      .map(({ owner, word }) => `${path} says ${word}, a word of ${owner}`),
  )
}

/**
 * Where stores may be named. Scripts run before the server and check the version of Node themselves. A home directory may
 * have a `.sqliterc`.
 */
const STORE_PLACES = [
  'packages/stores/',
  'apps/server/src/stores.ts',
  'scripts/',
  'apps/cli/src/bench/least-store.ts',
  'apps/cli/src/bench/cluster/',
  'packages/tools/src/protected/home-names.ts',
]

/** The folders below `packages/stores` are the names, in any spelling: `sqlite` covers `node:sqlite` and `SQLite`. */
export function findStoreNames(house: House): string[] {
  const names = house.rooms.flatMap(({ folder }) => /^packages\/stores\/(?!rows$)([^/]+)$/.exec(folder)?.[1] ?? [])
  return house.files
    .filter(({ path }) => !isTest(path) && !STORE_PLACES.some((place) => path.startsWith(place)))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          names
            .filter((name) => line.toLowerCase().includes(name))
            .map((name) => `${path}:${index + 1} names the store ${name}: ask Stores instead`),
        ),
    )
}

/** Code that speaks a protocol as its client. Paths are prefixes. */
const CLIENTS = [
  'packages/client/',
  // Tries the rules of each protocol on a server.
  'apps/cli/src/check/',
  // Measures each protocol beside a bare implementation of it.
  'apps/cli/src/bench/',
  // Lines to paste into a program.
  'apps/cli/src/banner.ts',
  'apps/web/src/features/connect/connect-lines.ts',
  // Runs in a browser, as a client of Blade.
  'apps/web/src/model/',
]

/** `packages/protocols/aap` is served by `apps/server/src/doors/aap.ts`. */
const doorOf = (owner: string): string => `apps/server/src/doors/${owner.slice(owner.lastIndexOf('/') + 1)}.ts`

export function findEmptyNames(house: House): string[] {
  return house.files.flatMap(({ path, exportedNames }) =>
    exportedNames
      .filter(({ name }) => wordsOf(name).some((word) => EMPTY_NAME.test(word)))
      .map(({ name, line }) => `${path}:${line} exports ${name}: name what it is or does`),
  )
}

export function findEmptyFileNames(house: House): string[] {
  return house.files
    .filter(({ path }) => path.split(/[/.-]/).some((word) => EMPTY_PATH.test(word)))
    .map(({ path }) => `${path}: name the file after its main export`)
}

export function findNamesNotInKebabCase(house: House): string[] {
  return house.files
    .filter(({ path }) => !path.split('/').every((part) => KEBAB_CASE.test(part)))
    .map(({ path }) => path)
}

/** `HTTPRequestHandler` is HTTP, Request, Handler. */
function wordsOf(name: string): string[] {
  return name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []
}

function words(list: string): string[] {
  return list.trim().split(/\s+/)
}
