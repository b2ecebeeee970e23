import { PRESETS, type Session } from '@polylogue/console/client'
import { askLine } from '../ask-line.ts'
import { formatLocalTime } from '../local-time.ts'
import type { Terminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import type { Owner } from '../with-owner.ts'
import { fromHome, readSessionModel } from './session-model.ts'

const SHOWN_SESSIONS = 12
/** Some of them may be empty. */
const MOST_SESSIONS = 50
const SHOWN_MODELS = 40

/** `undefined`: none of them. */
export async function pickSession({ console }: Owner, terminal: Terminal): Promise<string | undefined> {
  const { sessions: newest } = await console.listSessions({ query: { limit: MOST_SESSIONS } })
  // In a session without a title nothing was said yet.
  const sessions = newest.filter(({ title }) => title !== undefined).slice(0, SHOWN_SESSIONS)
  if (sessions.length === 0) {
    terminal.stderr.write('There are no sessions yet.\n')
    return undefined
  }
  const number = await choose(terminal, sessions.map(formatSession))
  return number === undefined ? undefined : sessions[number]?.sessionId
}

/** Changes the model, or lets the user choose one. Returns a sentence about it. */
export async function changeModel(
  { console }: Owner,
  terminal: Terminal,
  { sessionId, name }: { readonly sessionId: string; readonly name: string },
): Promise<string> {
  const wanted = name === '' ? await pickModel({ console }, terminal, sessionId) : name
  if (wanted === undefined) return 'The model stays as it is.'
  const { model = wanted } = await console.changeSession({ id: sessionId, body: { model: wanted } })
  return `From the next turn on: ${toTerminalLine(model)}`
}

async function pickModel(
  { console }: Pick<Owner, 'console'>,
  terminal: Terminal,
  sessionId: string,
): Promise<string | undefined> {
  const { session } = await console.readSession({ id: sessionId, query: { messages: '0' } })
  const { models } = await console.listModels()
  const shown = models.slice(0, SHOWN_MODELS)
  terminal.stderr.write(`Model: ${toTerminalLine((await readSessionModel({ console }, session)).name)}\n`)
  if (models.length > shown.length) terminal.stderr.write('More models: polylogue models. Then: /model NAME\n')
  const number = await choose(
    terminal,
    shown.map(({ name }) => toTerminalLine(name)),
  )
  return number === undefined ? undefined : shown[number]?.name
}

const DEFAULT_THINKING = 'default'

/** Changes how much the model thinks, or lets the user choose it. Returns a sentence about it. */
export async function changeThinking(
  { console }: Owner,
  terminal: Terminal,
  { sessionId, name }: { readonly sessionId: string; readonly name: string },
): Promise<string> {
  const { session } = await console.readSession({ id: sessionId, query: { messages: '0' } })
  const model = await readSessionModel({ console }, session)
  if (model.levels.length === 0) return `No thinking levels are known for ${toTerminalLine(model.name)}.`
  const levels = [DEFAULT_THINKING, ...model.levels]
  if (name === '') terminal.stderr.write(`Thinking: ${session.thinking ?? DEFAULT_THINKING}\n`)
  const number = name === '' ? await choose(terminal, levels) : levels.indexOf(name)
  if (number === undefined) return 'The thinking level stays as it is.'
  const level = levels[number]
  if (level === undefined) return `There is no level "${toTerminalLine(name)}". Levels: ${levels.join(', ')}.`
  await console.changeSession({ id: sessionId, body: { thinking: level === DEFAULT_THINKING ? '' : level } })
  return `From the next turn on: thinking ${level}`
}

/** Changes what runs without asking, or lets the user choose it. Returns a sentence about it. */
export async function changeMode(
  { console }: Owner,
  terminal: Terminal,
  { sessionId, name }: { readonly sessionId: string; readonly name: string },
): Promise<string> {
  if (name === '') {
    const { session } = await console.readSession({ id: sessionId, query: { messages: '0' } })
    terminal.stderr.write(`Mode: ${session.preset}\n`)
  }
  const number = name === '' ? await choose(terminal, PRESETS) : PRESETS.findIndex((preset) => preset === name)
  if (number === undefined) return 'The mode stays as it is.'
  const preset = PRESETS[number]
  if (preset === undefined) return `There is no mode "${toTerminalLine(name)}". Modes: ${PRESETS.join(', ')}.`
  await console.changeSession({ id: sessionId, body: { preset } })
  return `Mode: ${preset}`
}

/** The index of the chosen line. `undefined`: none. */
async function choose({ stderr }: Terminal, lines: readonly string[]): Promise<number | undefined> {
  for (const [index, line] of lines.entries()) stderr.write(`${index + 1}. ${line}\n`)
  for (;;) {
    const answer = await askLine(`Which one? [1-${lines.length}, Enter: none] `)
    if (answer === undefined || answer === 'cancel' || answer.line === '') return undefined
    const number = Number(answer.line)
    if (/^\d+$/.test(answer.line) && number >= 1 && number <= lines.length) return number - 1
  }
}

function formatSession({ title = '', agent, status, updatedAt, directories }: Session): string {
  const facts = [agent, formatLocalTime(updatedAt), ...directories.slice(0, 1).map(fromHome)]
  const shown = status === 'idle' ? facts : [...facts, status]
  return `${toTerminalLine(title)} (${toTerminalLine(shown.join(', '))})`
}
