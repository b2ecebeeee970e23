// Providers whose address names a customer's account: a resource, a region or a project.
import type { KnownProvider } from './known-providers.ts'
import type { Environment, ProviderConfig } from './provider-config.ts'
import { readVariable } from './read-variable.ts'

/** What a cloud's own SDK package needs besides an address and a key. */
export type CloudAccount =
  | {
      readonly cloud: 'aws'
      readonly region: string
      readonly accessKeyId?: string
      readonly secretAccessKey?: string
      readonly sessionToken?: string
    }
  /** Without a key, the package finds Google's application default credentials itself. */
  | { readonly cloud: 'google'; readonly project?: string; readonly location: string }

export interface CloudProvider extends KnownProvider {
  readonly account?: CloudAccount
}

/** A sentence instead of a provider says which setting is missing. */
type FindCloud = (config: ProviderConfig, env: Environment) => CloudProvider | string

export const CLOUD_PROVIDERS: { readonly [name: string]: FindCloud } = {
  azure(config, env) {
    const resource = config.resource ?? readVariable(env, 'AZURE_RESOURCE_NAME')
    const endpoint = URL.parse(readVariable(env, 'AZURE_OPENAI_ENDPOINT') ?? '')?.origin
    const host = resource === undefined ? (endpoint ?? ownAddress(config, env, 'AZURE')) : azureHost(resource)
    if (host === undefined) {
      return 'Azure OpenAI needs the name of your resource: set AZURE_RESOURCE_NAME or AZURE_OPENAI_ENDPOINT'
    }
    return {
      title: 'Azure OpenAI',
      kind: 'openai',
      host,
      path: '/openai/v1',
      keyVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
      keyHeader: 'api-key',
      needsKey: true,
      hasOwnModelNames: true,
    }
  },

  bedrock(config, env) {
    const isElsewhere = ownAddress(config, env, 'BEDROCK') !== undefined
    const region =
      config.region ??
      readVariable(env, 'AWS_REGION') ??
      readVariable(env, 'AWS_DEFAULT_REGION') ??
      (isElsewhere ? 'us-east-1' : undefined)
    if (region === undefined) return 'Amazon Bedrock needs a region: set AWS_REGION'
    const accessKeyId = readVariable(env, 'AWS_ACCESS_KEY_ID')
    const secretAccessKey = readVariable(env, 'AWS_SECRET_ACCESS_KEY')
    const sessionToken = readVariable(env, 'AWS_SESSION_TOKEN')
    const isSigned = accessKeyId !== undefined && secretAccessKey !== undefined
    return {
      title: 'Amazon Bedrock',
      kind: 'bedrock',
      host: `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`,
      path: '',
      keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
      needsKey: !isSigned,
      account: {
        cloud: 'aws',
        region,
        ...(isSigned && { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }),
      },
    }
  },

  vertex(config, env) {
    const hasKey = (config.apiKey ?? readVariable(env, 'GOOGLE_VERTEX_API_KEY')) !== undefined
    const project =
      config.project ?? readVariable(env, 'GOOGLE_VERTEX_PROJECT') ?? readVariable(env, 'GOOGLE_CLOUD_PROJECT')
    const location =
      config.region ??
      readVariable(env, 'GOOGLE_VERTEX_LOCATION') ??
      readVariable(env, 'GOOGLE_CLOUD_LOCATION') ??
      'global'
    if (!hasKey && project === undefined) {
      return 'Vertex needs a project or a key: set GOOGLE_VERTEX_PROJECT or GOOGLE_VERTEX_API_KEY'
    }
    return {
      title: 'Vertex',
      kind: 'vertex',
      host: hasKey ? 'https://aiplatform.googleapis.com' : vertexHost(location),
      path: hasKey ? '/v1/publishers/google' : `/v1beta1/projects/${project}/locations/${location}/publishers/google`,
      keyVariables: ['GOOGLE_VERTEX_API_KEY'],
      needsKey: false,
      account: { cloud: 'google', location, ...(project !== undefined && { project }) },
    }
  },
}

const azureHost = (resource: string): string => `https://${resource}.openai.azure.com`

function vertexHost(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com'
  const isMultiRegion = location === 'eu' || location === 'us'
  return isMultiRegion
    ? `https://aiplatform.${location}.rep.googleapis.com`
    : `https://${location}-aiplatform.googleapis.com`
}

function ownAddress({ baseUrl }: ProviderConfig, env: Environment, prefix: string): string | undefined {
  return baseUrl ?? readVariable(env, `${prefix}_BASE_URL`)
}
