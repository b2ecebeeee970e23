import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BareMachine, createBareMachine } from './bare-machine.ts'
import { type FakeModelServer, startFakeModelServer } from './fake-model-server.ts'

const KEY = 'sk-a-key-of-the-newcomer'

let machine: BareMachine
let models: FakeModelServer
beforeEach(async () => {
  machine = await createBareMachine()
  models = await startFakeModelServer(['Hello ', 'from ', 'afar'])
})
afterEach(async () => {
  await machine.remove()
  await models.stop()
})

const environment = () => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: models.baseUrl })

describe('a newcomer who sets OPENAI_API_KEY and OPENAI_BASE_URL and nothing else', () => {
  it('reads in the banner which model answers, and where', async () => {
    const { banner, server } = await machine.serve(environment())
    expect(banner).toContain(`Model    openai/tiny, at ${models.host}.\n`)
    expect(banner).not.toContain('demo')
    expect(banner + server.output().stderr).not.toContain(KEY)
  })

  it('sees the answer of the model as it comes, which has the built-in tools and not those of the demo', async () => {
    await machine.serve(environment())
    const running = machine.start(['run', 'hi'])
    await running.says('Hello')
    expect(running.output().stdout).not.toContain('afar')
    models.goOn()
    const { code, stdout } = await running.finished
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello from afar\n' })
    expect(models.asked).toHaveLength(1)
    expect(models.asked[0]?.authorization).toBe(`Bearer ${KEY}`)
    expect(models.asked[0]?.body).toMatchObject({ model: 'tiny', stream: true })
    const tools = JSON.stringify(models.asked[0]?.body['tools'])
    for (const name of ['Read', 'Bash', 'AskUserQuestion', 'Agent']) expect(tools).toContain(`"name":"${name}"`)
    expect(tools).not.toMatch(/CurrentTime|KeepNote/)
    expect(JSON.stringify(models.asked[0]?.body['messages'])).toContain('You are a coding agent.')
  })

  it('gets the same without a server', async () => {
    models.goOn()
    const finished = await machine.start(['run', 'hi'], environment()).finished
    expect(finished).toMatchObject({ code: 0, stdout: 'Hello from afar\n' })
  })

  it.each([
    [401, 'Incorrect API key provided: sk-a-key', /^The turn failed: .*key/i],
    [404, 'The model tiny does not exist', /^The turn failed: .*model/i],
    [400, 'You broke it', /^The turn failed: .*refuse/i],
  ])('reads a plain sentence when the provider answers %d', async (status, message, sentence) => {
    models.refuse(status, { error: { message, type: 'invalid_request_error' } })
    const { code, stdout, stderr } = await machine.start(['run', 'hi'], environment()).finished
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    const [said = ''] = stderr.split('\n')
    expect(said).toMatch(sentence)
    expect(said).toMatch(/\.$/)
    expect(stderr).not.toContain(message)
    expect(stderr).not.toContain(KEY)
    expect(stderr).not.toMatch(/\bat .*\.ts:\d/)
  })

  it('finds the reason of the provider in the log, which POLYLOGUE_LOG turns on, without the key', async () => {
    models.refuse(400, { error: { message: 'You broke it', type: 'invalid_request_error' } })
    const { stderr } = await machine.start(['run', 'hi'], { ...environment(), POLYLOGUE_LOG: 'warn' }).finished
    expect(stderr).toMatch(/^The turn failed: .* The log has its reason\.$/m)
    const lines = stderr.split('\n').filter((line) => line.startsWith('{'))
    expect(lines.map((line) => (JSON.parse(line) as { detail?: string }).detail ?? '').join()).toContain('You broke it')
    expect(stderr).not.toContain(KEY)
  })
})
