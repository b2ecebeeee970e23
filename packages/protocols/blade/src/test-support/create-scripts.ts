import { textOf, type ModelRequest } from '@polylogue/engine'
import { finishes, says, type FakeModel, type FakeStep } from '@polylogue/testkit'

/** A model that answers by what it was last told: a script per prompt, its steps one after the other. */
export function createScripts(scripts: { readonly [prompt: string]: readonly FakeStep[] }): FakeModel {
  const requests: ModelRequest[] = []
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
