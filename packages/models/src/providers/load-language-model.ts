// The only file that imports AI SDK packages. Each loads on first use: together they would exceed the start-up budget.
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Provider } from './find-provider.ts'
import { traitsOf } from './traits.ts'
import type { Fetch } from './watched-fetch.ts'

export interface Connection {
  readonly apiKey?: string
  readonly fetch: Fetch
}

/** Always pass address and key: without them the packages read the environment themselves. */
export type Connect = (connection: Connection) => LanguageModelV4

export async function loadLanguageModel(provider: Provider, model: string): Promise<Connect> {
  const { kind, baseUrl: baseURL, name, keyHeader, account } = provider
  switch (kind) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return ({ apiKey = '', fetch }) => createAnthropic({ baseURL, apiKey, fetch })(model)
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return ({ apiKey = '', fetch }) =>
        createOpenAI({ baseURL, apiKey, fetch: withKeyHeader(fetch, keyHeader, apiKey) })(model)
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google')
      return ({ apiKey = '', fetch }) => createGoogle({ baseURL, apiKey, fetch })(model)
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const includeUsage = !traitsOf(provider).isMistral
      return ({ apiKey, fetch }) =>
        createOpenAICompatible({
          name,
          baseURL,
          fetch: withKeyHeader(fetch, keyHeader, apiKey),
          includeUsage,
          ...(apiKey !== undefined && { apiKey }),
        })(model)
    }
    case 'bedrock': {
      const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
      const {
        region = '',
        accessKeyId = '',
        secretAccessKey = '',
        sessionToken,
      } = account?.cloud === 'aws' ? account : {}
      const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
      return ({ apiKey, fetch }) =>
        createAmazonBedrock({
          baseURL,
          region,
          fetch,
          ...(apiKey === undefined
            ? { apiKey: '', credentialProvider: () => Promise.resolve(credentials) }
            : { apiKey }),
        })(model)
    }
    case 'vertex': {
      const { createGoogleVertex } = await import('@ai-sdk/google-vertex')
      const { project, location = 'global' } = account?.cloud === 'google' ? account : {}
      const settings = { baseURL, location, ...(project !== undefined && { project }) }
      return ({ apiKey = '', fetch }) =>
        apiKey === ''
          ? namingCredentials(fetch, (watched) => createGoogleVertex({ ...settings, apiKey, fetch: watched })(model))
          : createGoogleVertex({ ...settings, apiKey, fetch })(model)
    }
  }
}

/**
 * Without a key, the package obtains a token before its first request, from wherever Google's credentials lead. Until that request, an
 * error is one of the credentials.
 */
function namingCredentials(fetch: Fetch, connect: (fetch: Fetch) => LanguageModelV4): LanguageModelV4 {
  let hasAsked = false
  const model = connect((input, init) => {
    hasAsked = true
    return fetch(input, init)
  })
  const doStream: LanguageModelV4['doStream'] = async (options) => {
    try {
      return await model.doStream(options)
    } catch (error) {
      throw hasAsked ? error : new CredentialsFailed(error)
    }
  }
  return Object.create(model, { doStream: { value: doStream } }) as LanguageModelV4
}

class CredentialsFailed extends Error {
  override readonly name = 'CredentialsFailed'
  constructor(cause: unknown) {
    super('There is no token for the provider.', { cause })
  }
}

/** Sends the key in the provider's own header only. */
function withKeyHeader(fetch: Fetch, header: string | undefined, apiKey: string | undefined): Fetch {
  if (header === undefined || apiKey === undefined) return fetch
  return (input, init) => {
    const headers = new Headers(init?.headers)
    headers.delete('authorization')
    headers.set(header, apiKey)
    return fetch(input, { ...init, headers })
  }
}
