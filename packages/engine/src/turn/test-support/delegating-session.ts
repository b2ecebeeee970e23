import {
  calls,
  createAgentTool,
  createQuestionTool,
  finishes,
  says,
  startSession,
  type FakeModel,
  type FakeStep,
  type TestEngineOptions,
} from '@polylogue/testkit'
import { textOf, type CreateSession, type Model } from '../../index.ts'

/** A model that picks its script by the last user message and plays one step of it per request. */
export function createScripts(scripts: { readonly [prompt: string]: readonly FakeStep[] }): FakeModel {
  const requests: Parameters<Model['stream']>[0][] = []
  return {
    requests,
    push: () => undefined,
    async *stream(request, signal) {
      requests.push(request)
      const prompt = request.messages.findLast((message) => message.role === 'user')
      const script = prompt && scripts[textOf(prompt.content)]
      for (const output of script?.[request.step] ?? [says('done'), finishes()]) {
        if (typeof output === 'function') await output(request, signal)
        else yield output
        if (signal.aborted) return
      }
    },
  }
}

export const delegate = (id: string, prompt: string, more: object = {}) =>
  calls(id, 'Agent', { description: `${id} works`, prompt, ...more })

export const FREE: Partial<CreateSession> = { access: { type: 'preset' }, preset: 'full-access' }

export async function start(
  scripts: Parameters<typeof createScripts>[0],
  options: TestEngineOptions = {},
  create: Partial<CreateSession> = FREE,
) {
  const model = createScripts(scripts)
  const tools = [createAgentTool(), createQuestionTool(), ...(options.tools ?? [])]
  return startSession({ ...options, model, tools }, create)
}
