import type { SessionUpdate } from '@agentclientprotocol/sdk'
import {
  calls,
  createAgentTool,
  createFakeParts,
  createFakeTool,
  finishes,
  loadAcpFrameChecker,
  says,
  thinks,
  untilQuiet,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { historyOf } from '../test-support/history-of.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'

const PLAN = { todos: [{ content: 'look', status: 'in_progress' }] }

function gistOf(update: SessionUpdate): string {
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
    case 'agent_message_chunk':
    case 'agent_thought_chunk': {
      const who = /user|message|thought/.exec(update.sessionUpdate)?.[0]
      return `${who} ${update.content.type === 'text' ? update.content.text : ''}`
    }
    case 'tool_call':
    case 'tool_call_update': {
      const shown = (update.content ?? []).map((part) => {
        if (part.type === 'diff') return ` diff ${part.path}`
        return part.type === 'content' && part.content.type === 'text' ? ` ${part.content.text}` : ''
      })
      const title = update.title === undefined ? '' : `${update.title}: `
      return `call ${update.toolCallId} ${title}${update.status}${shown.join('')}`
    }
    case 'plan':
      return `plan ${update.entries.map(({ content }) => content).join(', ')}`
    default:
      return update.sessionUpdate
  }
}

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

function openStory() {
  return open({
    tools: [
      createFakeTool('look'),
      createFakeTool('TodoWrite', { kind: 'plan' }),
      createFakeTool('change', {
        effect: 'unsafe',
        inspect: async () => ({
          facts: { type: 'plain' },
          preview: {
            title: 'Change a.txt',
            locations: [{ path: '/w/a.txt', line: 3 }],
            diffs: [{ path: '/w/a.txt', newText: 'new' }],
          },
        }),
      }),
      createFakeTool('boom', {
        run: () => {
          throw new Error('broken')
        },
      }),
      createAgentTool(),
    ],
  })
}

describe('the projection', () => {
  it('replays history exactly as sent live', async () => {
    const world = openStory()
    const { model, clock } = world
    const pause = () => untilQuiet()
    model.push(
      [
        thinks('hm'),
        thinks(' hm'),
        says('I '),
        pause,
        says('will'),
        calls('c1', 'look'),
        says('!'),
        finishes('tool-calls'),
      ],
      [calls('c2', 'TodoWrite', PLAN), calls('c3', 'boom'), calls('c4', 'change', { a: 1 }), finishes('tool-calls')],
      [calls('c5', 'Agent', { description: 'help', prompt: 'help me' }), finishes('tool-calls')],
      [says('child'), calls('c6', 'look'), finishes('tool-calls')],
      [says('child done'), finishes()],
      [says('half'), { type: 'failed', error: { code: 'overloaded', message: 'The model is busy.' } }],
    )
    const first = await world.connect()
    first.client.answer('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }))
    const sessionId = await first.newSession()
    const load = { sessionId, cwd: world.cwd, mcpServers: [] }
    const watcher = await world.connect()
    await watcher.client.result('session/load', load)
    await first.say(sessionId, 'go')
    clock.advance(1_000)
    await untilQuiet()
    const later = await world.connect()
    await later.client.result('session/load', load)

    const replayed = historyOf(later.client)
    expect(replayed).toEqual(historyOf(watcher.client))
    expect(replayed.map(gistOf)).toEqual([
      'user go',
      'thought hm hm',
      'message I will!',
      'call c1 look: pending',
      'call c1 completed look ran',
      'call c3 boom: pending',
      'call c4 Change a.txt: pending diff /w/a.txt',
      'plan look',
      'call c3 failed Error: broken',
      'call c4 completed diff /w/a.txt change ran',
      'call c5 Agent: pending',
      'thought [sub-agent started: tester] help',
      'call c6 look: pending',
      'call c6 completed look ran',
      'thought [sub-agent finished: tester (finished, 2 turns)]',
      'call c5 completed child done',
      'message half',
      'thought Error: The model is busy.',
    ])
    // Whoever began the turn has shown the input itself; all else is the same.
    expect(historyOf(first.client)).toEqual(
      replayed.filter(({ sessionUpdate }) => sessionUpdate !== 'user_message_chunk'),
    )
  })
})
