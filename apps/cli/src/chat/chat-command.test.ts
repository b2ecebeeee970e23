import { describe, expect, it } from 'vitest'
import { CHAT_HELP, parseChatInput } from './chat-command.ts'

describe('a typed line', () => {
  it.each(['', '  ', '\n'])('that is empty (%j) does nothing', (typed) => {
    expect(parseChatInput(typed)).toEqual({ type: 'nothing' })
  })

  it.each(['/help', '/new', '/sessions', '/model', '/thinking', '/mode', '/usage', '/compact', '/quit'])(
    '%s is a command, and in the help',
    (typed) => {
      expect(parseChatInput(` ${typed} `)).toEqual({ type: 'command', name: typed.slice(1), rest: '' })
      expect(CHAT_HELP).toContain(typed)
    },
  )

  it('gives the command the text after its name', () => {
    expect(parseChatInput('/model  openai/gpt-5.2 ')).toEqual({
      type: 'command',
      name: 'model',
      rest: 'openai/gpt-5.2',
    })
  })

  it.each([
    ['/exit', 'quit'],
    ['/q', 'quit'],
    ['/?', 'help'],
    ['/QUIT', 'quit'],
  ])('%s means /%s', (typed, name) => {
    expect(parseChatInput(typed)).toEqual({ type: 'command', name, rest: '' })
  })

  it('with another command is looked for among the commands of the session', () => {
    expect(parseChatInput('/qiut')).toEqual({ type: 'other', name: 'qiut', rest: '' })
    expect(parseChatInput('/mcp_git_log-2 HEAD a b')).toEqual({
      type: 'other',
      name: 'mcp_git_log-2',
      rest: 'HEAD a b',
    })
  })

  it.each([
    ['/etc/hosts is empty', '/etc/hosts is empty'],
    ['//help', '/help'],
    ['and/or', 'and/or'],
    ['say a\nsay b', 'say a\nsay b'],
    ['/', '/'],
  ])('%j is said as %j', (typed, text) => {
    expect(parseChatInput(typed)).toEqual({ type: 'say', text })
  })
})
