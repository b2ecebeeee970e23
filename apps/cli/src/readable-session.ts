// A session for readers, as one document, in pieces. Everything in it was written by a user, a model or a tool: it must not become
// markup, and hidden characters are spelled out: in calls each of them, in other text what reorders it, hides it or is no text.
import { spellOut, spellOutLine, type Message, type MessagePart, type SessionRecord } from '@polylogue/console/client'
import { hash } from 'node:crypto'
import { toTerminalText } from './terminal-text.ts'

export function* toMarkdown({ session, messages }: SessionRecord): Generator<string> {
  const facts = [
    `- Agent: ${inline(session.agent)}`,
    ...(session.model === undefined ? [] : [`- Model: ${inline(session.model)}`]),
    `- Created: ${new Date(session.createdAt).toISOString()}`,
    `- Session: ${session.sessionId}`,
  ]
  const title = inline(session.title ?? 'Session')
  yield `# ${title}\n\n${facts.join('\n')}\n\n`
  for (const message of messages) yield `${toMarkdownMessage(message)}\n\n`
}

function toMarkdownMessage({ role, toolCallId, content }: Message): string {
  const heading = `## ${HEADINGS[role]}${toolCallId === undefined ? '' : ` ${inline(toolCallId)}`}`
  // Answers are Markdown. What people and tools wrote is not.
  if (role === 'tool') return `${heading}\n\n${fence(toTerminalText(textOf(content)))}`
  const parts = typeof content === 'string' ? [toTerminalText(content)] : content.map(toMarkdownPart)
  return [heading, ...parts].join('\n\n')
}

function toMarkdownPart(part: MessagePart): string {
  switch (part.type) {
    case 'text':
      return toTerminalText(part.text)
    case 'thinking':
      return toTerminalText(part.text).replaceAll(/^/gm, '> ')
    case 'tool-call':
      return `**${inline(spellOutLine(part.name))}** ${inline(part.toolCallId)}\n\n${fence(showInput(part.input), 'json')}`
    case 'image':
      return `*image${part.mediaType === undefined ? '' : ` (${inline(part.mediaType)})`}*`
  }
}

/** Indentation can make a deep value many times as long. */
const LONGEST_INDENTED = 100_000

function showInput(input: unknown): string {
  const text = JSON.stringify(input)
  return spellOut(text.length > LONGEST_INDENTED ? text : JSON.stringify(input, null, 2))
}

const HEADINGS = { system: 'Instructions', user: 'User', assistant: 'Agent', tool: 'Result of' } as const

/** On one line, and plain. */
const inline = (text: string): string =>
  toTerminalText(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/([\\`*_[\]<>#])/g, '\\$1')

/** Longer than any run of backticks inside. */
function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const mark = '`'.repeat(longest + 1)
  return `${mark}${language}\n${text}\n${mark}`
}

/** One file without scripts and without anything from the network. */
export function* toHtml({ session, messages }: SessionRecord): Generator<string> {
  const title = escape(session.title ?? 'Session').replaceAll(/\s+/g, ' ')
  const model = session.model === undefined ? '' : ` · ${escape(session.model)}`
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p class="quiet">${escape(session.agent)}${model} · ${new Date(session.createdAt).toISOString()} · ${escape(session.sessionId)}</p>
`
  for (const message of messages) yield `${toHtmlMessage(message)}\n`
  yield '</body>\n</html>\n'
}

const STYLE = `:root{color-scheme:light dark}body{font:15px/1.6 system-ui,sans-serif;max-width:760px;margin:40px auto;padding:0 16px}
section{margin:24px 0;padding-left:12px;border-left:3px solid #8885}section.user{border-color:#2b5db0}h2{font-size:13px;margin:0;opacity:.7}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.5 ui-monospace,monospace}pre.text{font:inherit}.quiet,.thinking{opacity:.7}`

function toHtmlMessage({ role, toolCallId, content }: Message): string {
  const heading = `${HEADINGS[role]}${toolCallId === undefined ? '' : ` ${escape(toolCallId)}`}`
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  const shown = parts.map((part) => toHtmlPart(part, role === 'tool' ? 'code' : 'text'))
  return `<section class="${role}"><h2>${heading}</h2>${shown.join('')}</section>`
}

function toHtmlPart(part: MessagePart, kind: 'code' | 'text'): string {
  switch (part.type) {
    case 'text':
      return `<pre class="${kind}">${escape(part.text)}</pre>`
    case 'thinking':
      return `<pre class="text thinking">${escape(part.text)}</pre>`
    case 'tool-call':
      return `<p><b>${escape(spellOutLine(part.name))}</b> <span class="quiet">${escape(part.toolCallId)}</span></p><pre>${escape(showInput(part.input))}</pre>`
    case 'image':
      return '<p class="quiet">image</p>'
  }
}

const textOf = (content: Message['content']): string =>
  typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escape = (text: string): string => toTerminalText(text).replaceAll(/[&<>"']/g, (found) => ENTITIES[found] ?? '')
