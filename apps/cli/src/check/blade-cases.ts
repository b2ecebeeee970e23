// Rules of Blade. Each case tries one rule and relies on as little else as it can.
import { SessionFold, type BladeOutput } from '@polylogue/blade/client'
import type { BladeWorld, ToldRun } from './blade-world.ts'
import type { CheckCase } from './check-case.ts'
import { asList, asObject, expectEqual, expectThat, hasText, needs } from './expectations.ts'

export type BladeCase = CheckCase<BladeWorld>

const UNKNOWN = '01970000-0000-7000-8000-000000000000'
const SESSION_FLAGS = { shared: false, is_pinned: false, is_persistent: false }
const BASE_FIELDS = `id sequence turn_id loop_id kind role status blocks tool_calls model usage duration_ms started_at
  context_window memory_refs parent_fork_tool_call_id`.split(/\s+/)

type Payload = { readonly [name: string]: unknown }
const of = ({ told }: Pick<ToldRun, 'told'>, event: BladeOutput['event']): readonly Payload[] =>
  told.filter((output) => output.event === event).map(({ payload }) => asObject(payload))
const patches = (run: ToldRun, type: string): readonly Payload[] =>
  of(run, 'turn:patch').filter(({ patch_type }) => patch_type === type)
const blocksOf = (turn: Payload | undefined) => asList(turn?.['blocks']).map(asObject)
const assistant = (run: ToldRun): Payload | undefined =>
  of(run, 'turn:end').findLast(({ role }) => role === 'assistant')
const bare = ({ session_id: _s, solution_id: _a, template_id: _t, ...turn }: Payload): Payload => turn
const CALL_ECHO = 'call c1 echo {"msg":"hi"}'

async function callEcho(world: BladeWorld): Promise<ToldRun> {
  const run = await world.run(CALL_ECHO)
  needs(patches(run, 'tool_result').length > 0, 'the agent has no tool `echo` that runs without approval')
  return run
}

async function expectDetail(asked: Promise<{ status: number; json: unknown }>, status: number): Promise<void> {
  const answer = await asked
  expectEqual(answer.status, status, 'status')
  expectThat(hasText(asObject(answer.json)['detail']), 'the body has no `detail`')
}

export const BLADE_CASES: readonly BladeCase[] = [
  {
    rule: '1',
    async run(world) {
      const { json } = await world.ask('GET', '/api/version', { headers: { authorization: '' } })
      expectThat(
        hasText(asObject(json)['version']) && hasText(asObject(json)['min_sdk']),
        'version or min_sdk is missing',
      )
    },
  },
  {
    rule: '2',
    async run(world) {
      for (const path of ['/api/health', '/healthz']) {
        const { status, json } = await world.ask('GET', path)
        expectEqual([status, asObject(json)['status']], [200, 'ok'], path)
      }
    },
  },
  {
    rule: '3',
    run: (world) => expectDetail(world.ask('GET', '/api/sessions', { headers: { authorization: '' } }), 401),
  },
  {
    rule: '4',
    async run(world) {
      const { status } = await world.ask('GET', '/api/sessions', { headers: { authorization: 'Bearer wrong' } })
      expectEqual(status, 401, 'status')
    },
  },
  { rule: '5', run: (world) => expectDetail(world.ask('GET', `/api/sessions/${UNKNOWN}`), 404) },
  {
    rule: '9',
    async run(world) {
      const { status } = await world.ask('POST', '/api/sessions', { body: { no_such_field: 1 } })
      expectEqual(status, 200, 'status')
    },
  },
  {
    rule: '12',
    async run(world) {
      const { json } = await world.ask('GET', '/api/config/models')
      const { default: chosen, models } = asObject(json)
      expectThat(
        asList(models).some((model) => asObject(model)['id'] === chosen),
        'default is not in models',
      )
    },
  },
  {
    rule: '13',
    async run(world) {
      const { status, json } = await world.ask('POST', '/api/sessions', { body: {} })
      expectEqual([status, Object.keys(asObject(json))], [200, ['session_id']], 'status and fields')
    },
  },
  {
    rule: '14',
    async run(world) {
      const { status, ...session } = asObject((await world.ask('GET', `/api/sessions/${await world.create()}`)).json)
      expectEqual(status, 'created', 'status')
      for (const [name, value] of Object.entries(SESSION_FLAGS)) expectEqual(session[name], value, name)
    },
  },
  {
    rule: '15',
    async run(world) {
      const session = asObject((await world.ask('GET', `/api/sessions/${await world.create()}`)).json)
      const missing = ['solution', 'primary_skill_snapshot', 'session_setup'].filter((name) => !(name in session))
      expectEqual([missing, session['viewer_role']], [[], 'owner'], 'missing fields and viewer_role')
    },
  },
  {
    rule: '16',
    async run(world) {
      const { items, total, limit, offset, content_match_truncated } = asObject(
        (await world.ask('GET', '/api/sessions')).json,
      )
      expectThat(Array.isArray(items) && typeof total === 'number', 'items or total are missing')
      expectEqual([limit, offset, typeof content_match_truncated], [20, 0, 'boolean'], 'limit, offset and truncation')
    },
  },
  {
    rule: '17',
    async run(world) {
      for (const query of ['limit=0', 'offset=-1'])
        expectEqual((await world.ask('GET', `/api/sessions?${query}`)).status, 422, query)
    },
  },
  {
    rule: '22',
    async run(world) {
      const id = await world.create()
      expectEqual((await world.ask('DELETE', `/api/sessions/${id}`)).json, { deleted: true }, 'body')
      expectEqual((await world.ask('GET', `/api/sessions/${id}`)).status, 404, 'GET afterwards')
    },
  },
  {
    rule: '27',
    run: (world) => world.connected(async ({ isConnected }) => expectThat(isConnected, 'it is not connected')),
  },
  {
    rule: '28',
    async run(world) {
      const outcome = await world.connected(async () => 'connected', { token: 'wrong' }).catch(() => 'refused')
      expectEqual(outcome, 'refused', 'a wrong token')
    },
  },
  {
    rule: '29',
    async run(world) {
      for (const transport of ['polling', 'websocket'] as const)
        await world.connected(async ({ isConnected }) => expectThat(isConnected, transport), {
          transports: [transport],
        })
    },
  },
  {
    rule: '35',
    async run(world) {
      const run = await world.run('say hi', { isSubscribing: false })
      expectThat(of(run, 'chat:end').length === 1, 'the sender was told nothing')
    },
  },
  {
    rule: '38',
    isScripted: true,
    async run(world) {
      const run = await world.run('say hi')
      const names = run.told
        .map(({ event }) => event)
        .filter((event) => /^(?:chat|turn):/.test(event) && event !== 'turn:patch')
      const expected = ['chat:start', 'turn:start', 'turn:end', 'turn:start', 'turn:end', 'chat:end']
      expectEqual(names, expected, 'events without patches')
      expectEqual(
        of(run, 'turn:start').map(({ role }) => role),
        ['user', 'assistant'],
        'roles',
      )
    },
  },
  {
    rule: '39',
    async run(world) {
      const turn = of(await world.run('say hi'), 'turn:end').find(({ role }) => role === 'user')
      const shown = blocksOf(turn).map(({ type, content }) => [type, content])
      expectEqual([turn?.['status'], shown], ['completed', [['text', 'say hi']]], 'the user turn')
    },
  },
  {
    rule: '40',
    async run(world) {
      const turn = of(await world.run('say hi'), 'turn:start').find(({ role }) => role === 'assistant')
      expectEqual(
        [turn?.['status'], turn?.['blocks'], turn?.['tool_calls']],
        ['streaming', [], []],
        'the assistant turn',
      )
    },
  },
  {
    rule: '41',
    isScripted: true,
    async run(world) {
      const run = await world.run('say one two three')
      const deltas = patches(run, 'add_content').map(({ data }) => asObject(data)['text_delta'])
      expectEqual(deltas.join(''), blocksOf(assistant(run)).at(-1)?.['content'], 'joined text_deltas')
    },
  },
  {
    rule: '42',
    isScripted: true,
    async run(world) {
      let text = ''
      for (const { data } of patches(await world.run('say one two three'), 'add_content')) {
        const { text_delta, content } = asObject(data)
        expectEqual(content, (text += String(text_delta)), 'content beside text_delta')
      }
    },
  },
  {
    rule: '43',
    async run(world) {
      for (const turn of of(await world.run('say hi'), 'turn:end')) {
        expectEqual(
          BASE_FIELDS.filter((name) => !(name in turn)),
          [],
          'missing fields of turn:end',
        )
        expectThat(Number(turn['duration_ms']) >= 0, 'duration_ms is negative')
      }
    },
  },
  {
    rule: '44',
    async run(world) {
      const { messages } = await world.run('say hi')
      expectEqual(
        messages.map(({ sequence }) => sequence),
        messages.map((_, at) => at),
        'sequences',
      )
    },
  },
  {
    rule: '45',
    isScripted: true,
    async run(world) {
      const sequences = of(await world.run('say one two'), 'turn:patch').map(({ sequence }) => sequence)
      expectEqual(
        sequences,
        sequences.map((_, at) => at + 1),
        'sequences of patches',
      )
    },
  },
  {
    rule: '46',
    isScripted: true,
    async run(world) {
      for (const patch of of(await world.run('say hi'), 'turn:patch')) {
        const names = ['session_id', 'sequence', 'turn_id', 'loop_id', 'patch_type', 'data'].filter(
          (name) => !(name in patch),
        )
        expectEqual([names, patch['loop_id']], [[], 'root'], 'missing fields, and loop_id')
      }
    },
  },
  {
    rule: '48',
    isScripted: true,
    async run(world) {
      const { told, sessionId } = await world.run('think hm\nsay one two')
      const fold = new SessionFold(sessionId, { usesSnapshots: false })
      for (const output of told) {
        if (output.event === 'turn:end' && output.payload.role === 'assistant') {
          const { blocks, status } = output.payload
          const folded = fold.turn(output.payload.turn_id)
          expectEqual([folded?.blocks, folded?.status], [blocks, status], 'blocks and status of the folded turn')
        }
        fold.apply(output)
      }
    },
  },
  {
    rule: '49',
    async run(world) {
      const run = await world.run('say hi')
      expectEqual(run.messages.map(bare), of(run, 'turn:end').map(bare), '/messages')
    },
  },
  {
    rule: '52',
    isScripted: true,
    async run(world) {
      const [{ status, result, finish_reason } = {} as Payload] = of(await world.run('say hi'), 'chat:end')
      expectEqual([status, result, finish_reason], ['completed', null, 'completed'], 'chat:end')
    },
  },
  {
    rule: '53',
    isScripted: true,
    async run(world) {
      const types = blocksOf(assistant(await world.run('think hm\nsay hi'))).map(({ type }) => type)
      expectEqual(types, ['thinking', 'text'], 'types of blocks')
    },
  },
  {
    rule: '56',
    isScripted: true,
    async run(world) {
      const data = asObject(patches(await callEcho(world), 'add_tool_call')[0]?.['data'])
      const { tool_name, arguments: text, status } = data
      expectThat(hasText(data['id']) && hasText(data['display_name']), 'id or display_name is missing')
      expectEqual([tool_name, text, status], ['echo', '{"msg":"hi"}', 'pending'], 'the call')
    },
  },
  {
    rule: '57',
    isScripted: true,
    async run(world) {
      const { status, duration_ms } = asObject(patches(await callEcho(world), 'tool_result')[0]?.['data'])
      expectEqual([status, typeof duration_ms], ['done', 'number'], 'status and duration')
    },
  },
  {
    rule: '59',
    isScripted: true,
    async run(world) {
      const turn = of(await callEcho(world), 'turn:end').find(({ tool_calls }) => asList(tool_calls).length > 0)
      const [use, result] = blocksOf(turn)
      expectEqual([use?.['type'], result?.['type']], ['tool_use', 'tool_result'], 'blocks')
      expectEqual(use?.['tool_call_id'], result?.['tool_call_id'], 'tool_call_id')
    },
  },
  {
    rule: '91',
    async run(world) {
      const id = await world.create()
      expectEqual((await world.connected((client) => client.stop(id))).status, 'ok', 'the acknowledgement')
    },
  },
  {
    rule: '95',
    isScripted: true,
    async run(world) {
      const run = await world.run('say a\nfail')
      const names = run.told
        .map(({ event }) => event)
        .filter((event) => /^(?:chat:end|turn:end|system:error)$/.test(event))
      expectEqual(names.slice(-3), ['turn:end', 'system:error', 'chat:end'], 'the last events')
      expectEqual([assistant(run)?.['status'], of(run, 'chat:end')[0]?.['status']], ['failed', 'failed'], 'statuses')
    },
  },
  {
    rule: '113',
    isScripted: true,
    async run(world) {
      const run = await world.run('say the result', { headless: true })
      expectEqual(asObject(of(run, 'chat:end')[0]?.['result'])['output'], 'the result', 'result.output')
    },
  },
]
