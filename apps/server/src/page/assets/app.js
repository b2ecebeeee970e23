// Wires the page: which session is open, what the buttons do, what is shown after every change.
import { Refused, cancelCall, changeMode, listSessions, readAgents, readStatus, request } from './api.js'
import { CallAnswers } from './call-answers.js'
import { Chat } from './chat.js'
import { connectLines, showLines } from './connect-lines.js'
import { find, showFacts } from './element.js'
import { ModeSwitch } from './mode-switch.js'
import { showSessions } from './session-list.js'
import { ToolPicker } from './tool-picker.js'
import { TranscriptView } from './transcript-view.js'

/**
 * @typedef {import('./api.js').Agent} Agent
 * @typedef {import('./api.js').CallAnswer} CallAnswer
 */

const parts = {
  status: find('status', HTMLElement),
  signedOut: find('signed-out', HTMLElement),
  app: find('app', HTMLElement),
  menu: find('menu', HTMLButtonElement),
  sessions: find('sessions', HTMLElement),
  agent: find('agent', HTMLSelectElement),
  about: find('about', HTMLElement),
  toolsBox: find('tools-box', HTMLDetailsElement),
  welcome: find('welcome', HTMLElement),
  starters: find('starters', HTMLElement),
  transcript: find('transcript', HTMLElement),
  problem: find('problem', HTMLElement),
  composer: find('composer', HTMLFormElement),
  prompt: find('prompt', HTMLTextAreaElement),
  send: find('send', HTMLButtonElement),
  stop: find('stop', HTMLButtonElement),
  connect: find('connect', HTMLDialogElement),
}
const toolPicker = new ToolPicker(find('tools', HTMLElement), find('pick-tools', HTMLInputElement))
const modeSwitch = new ModeSwitch()
const callAnswers = new CallAnswers()
const transcriptView = new TranscriptView(parts.transcript, {
  stateOf: (call) => callAnswers.stateOf(call, chat, currentAgent()),
  loggedOf: ({ toolCallId }) => chat.calls.find(toolCallId),
  subAgentOf: ({ toolCallId }) => chat.calls.subAgentOf(toolCallId),
  choose: ({ toolCallId }, granted) => give({ role: 'tool_permission', toolCallId, granted }),
  answer: ({ toolCallId }, content) => give({ role: 'tool', toolCallId, content }),
  cancel: ({ toolCallId }) => void attempt(() => cancelCall(chat.sessionId ?? '', toolCallId)),
})

/** @type {Agent[]} */
let agents = []
let defaultAgent = ''
/** The starters are what the demo understands. @type {readonly string[]} */
let demoAgents = []
let chat = new Chat()
/** When the open session was last changed, as far as we know. @type {number | undefined} */
let updatedAt
/** What is said next is meant for the mode that was chosen before. @type {Promise<void>} */
let modeChange = Promise.resolve()
/** Whether the next frame will show what has changed. */
let isDue = false

await start()

async function start() {
  showLines(find('lines', HTMLElement), connectLines(new URL('.', location.href).href.replace(/\/$/, ''), 'assistant'))
  find('connect-open', HTMLButtonElement).addEventListener('click', () => parts.connect.showModal())
  try {
    await request('healthz')
    await signIn()
  } catch (error) {
    if (error instanceof Refused && error.status === 401) {
      setStatus('ready', 'ready')
      parts.signedOut.hidden = false
    } else report(error)
  }
}

async function signIn() {
  const status = await readStatus()
  defaultAgent = status.defaultAgent
  demoAgents = status.demoAgents ?? []
  agents = await readAgents()
  setStatus('ready', `${status.phase} · version ${status.version}`)
  showFacts(find('facts', HTMLElement), [
    ['Address', location.origin],
    ['Agents', status.agents.join(', ')],
    ['Doors', status.doors.join(', ')],
  ])
  showLines(find('lines', HTMLElement), connectLines(new URL('.', location.href).href.replace(/\/$/, ''), defaultAgent))
  parts.agent.replaceChildren(...agents.map(({ name, title }) => new Option(title ? `${title} (${name})` : name, name)))
  parts.app.hidden = false
  parts.menu.hidden = false
  listen()
  await openFromAddress()
}

async function signOut() {
  await request('signout', { method: 'POST', body: {} })
  location.reload()
}

function listen() {
  addEventListener('hashchange', () => void attempt(openFromAddress))
  parts.agent.addEventListener('change', showSetup)
  modeSwitch.onChange = (change) => void attempt(() => (modeChange = applyMode(change)))
  parts.composer.addEventListener('submit', (event) => {
    event.preventDefault()
    void attempt(say)
  })
  parts.prompt.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    if (!chat.isRunning) parts.composer.requestSubmit()
  })
  parts.stop.addEventListener('click', () => void attempt(() => chat.stop()))
  parts.welcome.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return
    parts.prompt.value = target.textContent
    parts.composer.requestSubmit()
  })
  find('sign-out', HTMLButtonElement).addEventListener('click', () => void attempt(signOut))
  addEventListener('focus', () => void attempt(catchUp))
  parts.menu.addEventListener('click', () => {
    const isOpen = document.body.classList.toggle('with-menu')
    parts.menu.setAttribute('aria-expanded', String(isOpen))
  })
}

/** The address names the session, so that a reload and a bookmark find it again. */
function addressedSession() {
  return new URLSearchParams(location.hash.slice(1)).get('session') ?? undefined
}

async function openFromAddress() {
  const sessionId = addressedSession()
  document.body.classList.remove('with-menu')
  if (sessionId !== undefined && sessionId === chat.sessionId) return
  chat.leave()
  callAnswers.clear()
  hideProblem()
  // A session that cannot be opened leaves an empty chat, not the one before.
  let opened = new Chat()
  try {
    if (sessionId !== undefined) opened = await Chat.open(sessionId)
  } finally {
    if (sessionId === addressedSession()) await take(opened)
  }
}

/** @param {Chat} opened */
async function take(opened) {
  chat = opened
  chat.onChange = showSoon
  parts.agent.value = chat.agentName || defaultAgent
  showSetup()
  show()
  parts.prompt.focus()
  await refreshSessions()
  await follow(chat.resume())
}

/** Sessions go on behind other doors while nobody looks here. */
async function catchUp() {
  const seen = updatedAt
  await refreshSessions()
  if (chat.sessionId === undefined || chat.isRunning || seen === updatedAt) return
  chat.leave()
  chat = new Chat()
  await openFromAddress()
}

async function say() {
  const text = parts.prompt.value
  const agent = currentAgent()
  if (text.trim() === '') return
  if (!agent) throw new Error(`The agent ${chat.agentName} of this session is not served here any more.`)
  await modeChange
  parts.prompt.value = ''
  hideProblem()
  callAnswers.clear()
  const spoken = chat
  try {
    await follow(chat.say(agent, text, { tools: toolPicker.chosen, mode: modeSwitch.wanted }))
  } finally {
    // Nothing took it, so nobody should have to type it again.
    if (spoken.sessionId === undefined && spoken === chat) parts.prompt.value = text
  }
}

/** @param {import('./mode-switch.js').ModeChange} change */
async function applyMode(change) {
  const changed = chat
  try {
    if (changed.sessionId !== undefined) changed.preset = (await changeMode(changed.sessionId, change)).preset
    hideProblem()
  } finally {
    modeChange = Promise.resolve()
    if (changed === chat) modeSwitch.show(chat.preset)
  }
}

/** @param {CallAnswer} answer */
function give(answer) {
  const agent = currentAgent()
  const all = callAnswers.give(answer, chat, agent)
  show()
  focusNext({ isLast: all !== undefined })
  if (agent && all) void attempt(() => follow(chat.answer(agent, all)))
}

/**
 * The button that was pressed is hidden now. Focus goes to the next call that asks, or else to the message. Not to the
 * button of that call: a key that is pressed twice must not allow it.
 * @param {{ isLast: boolean }} answer
 */
function focusNext({ isLast }) {
  const asking = [...parts.transcript.querySelectorAll('.answers')].find((answers) => answers.checkVisibility())
  const next = isLast ? undefined : asking?.closest('.call')?.querySelector('summary')
  ;(next ?? parts.prompt).focus()
}

/** @param {Promise<void>} turn */
async function follow(turn) {
  const shown = chat
  try {
    await turn
  } finally {
    await refreshSessions()
    if (shown === chat) show()
  }
}

function currentAgent() {
  return agents.find(({ name }) => name === parts.agent.value)
}

function showSetup() {
  const agent = currentAgent()
  const tools = agent?.tools ?? []
  const isNew = chat.sessionId === undefined
  parts.about.textContent = agent?.description ?? ''
  parts.starters.hidden = !demoAgents.includes(parts.agent.value)
  parts.toolsBox.hidden = tools.length === 0
  toolPicker.show(tools, isNew ? tools.map(({ name }) => ({ name })) : chat.tools)
  modeSwitch.show(chat.preset)
}

/** Deltas come faster than a screen can show them. */
function showSoon() {
  if (isDue) return
  isDue = true
  requestAnimationFrame(() => {
    isDue = false
    show()
  })
}

function show() {
  const { sessionId, isRunning, isLost, transcript } = chat
  transcriptView.show(transcript.items)
  if (modeSwitch.isNew && sessionId !== undefined) modeSwitch.show(chat.preset)
  parts.welcome.hidden = transcript.items.length > 0
  parts.transcript.hidden = transcript.items.length === 0
  parts.agent.disabled = sessionId !== undefined || isRunning
  parts.send.hidden = isRunning
  parts.stop.hidden = !isRunning
  document.body.classList.toggle('running', isRunning)
  if (isLost) setStatus('lost', 'connection lost, trying again…')
  else if (parts.status.dataset['state'] === 'lost') setStatus('ready', 'ready')
  if (sessionId !== undefined && !location.hash.includes(sessionId)) {
    history.replaceState(null, '', `#session=${sessionId}`)
  }
}

async function refreshSessions() {
  const sessions = await listSessions()
  updatedAt = sessions.find(({ sessionId }) => sessionId === chat.sessionId)?.updatedAt
  showSessions(parts.sessions, sessions, chat.sessionId)
}

/** @param {() => Promise<void>} action */
async function attempt(action) {
  try {
    await action()
  } catch (error) {
    report(error)
  }
}

/** @param {unknown} error */
function report(error) {
  if (!(error instanceof Error)) throw error
  if (error instanceof TypeError) setStatus('lost', 'the server does not answer')
  parts.problem.textContent = error.message
  parts.problem.hidden = false
}

function hideProblem() {
  parts.problem.hidden = true
}

/** @param {'ready' | 'lost'} state @param {string} text */
function setStatus(state, text) {
  parts.status.dataset['state'] = state
  parts.status.textContent = text
}
