// What a typed line means. A line that begins with a slash is a command of the chat or of the session; two slashes send
// the rest as text.

const NAMES = ['help', 'new', 'sessions', 'model', 'thinking', 'mode', 'usage', 'compact', 'quit'] as const
export type ChatCommandName = (typeof NAMES)[number]

export type ChatInput =
  | { readonly type: 'nothing' }
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'command'; readonly name: ChatCommandName; readonly rest: string }
  /** Perhaps a command of the session, such as a skill. */
  | { readonly type: 'other'; readonly name: string; readonly rest: string }

const ABOUT: Readonly<Record<ChatCommandName, readonly [usage: string, about: string]>> = {
  help: ['/help', 'show these commands'],
  new: ['/new', 'start a new session'],
  sessions: ['/sessions', 'go to another session'],
  model: ['/model [name]', 'show or change the model'],
  thinking: ['/thinking [level]', 'show or change how much the model thinks'],
  mode: ['/mode [name]', 'show or change what runs without asking'],
  usage: ['/usage', 'show tokens and cost of this session'],
  compact: ['/compact', 'summarize the conversation for the model; the history stays'],
  quit: ['/quit', 'leave; the session is kept'],
}

export const CHAT_HELP: string = [
  ...NAMES.map((name) => `${ABOUT[name][0]}: ${ABOUT[name][1]}`),
  'Esc or Ctrl-C cancels the turn. Ctrl-C twice: leave.',
  'A \\ at the end of a line continues it. // sends a text that begins with a slash.',
  '',
].join('\n')

/** A path such as `/etc/hosts is empty` is text: the name of a command has no second slash. */
export function parseChatInput(typed: string): ChatInput {
  const text = typed.trim()
  if (text === '') return { type: 'nothing' }
  if (text.startsWith('//')) return { type: 'say', text: text.slice(1) }
  const [, word, rest = ''] = /^\/([\w.?-]+)(?:\s+(.*))?$/is.exec(text) ?? []
  if (word === undefined) return { type: 'say', text }
  const wanted = aliasOf(word.toLowerCase())
  const name = NAMES.find((one) => one === wanted)
  return name === undefined
    ? { type: 'other', name: word, rest: rest.trim() }
    : { type: 'command', name, rest: rest.trim() }
}

function aliasOf(word: string): string {
  if (word === '?') return 'help'
  return word === 'exit' || word === 'q' ? 'quit' : word
}
