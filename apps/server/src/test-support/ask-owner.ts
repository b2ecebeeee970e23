import { connectOwner } from '../owner/connect-owner.ts'

export interface OwnerAnswer {
  readonly status: number
  readonly text: string
}

/** One request through the owner socket. */
export async function askOwner(dataDir: string, method: string, path: string, body?: unknown): Promise<OwnerAnswer> {
  const owner = await connectOwner(dataDir, 60_000)
  if (owner === undefined) throw new Error(`nobody owns ${dataDir}`)
  try {
    const response = await owner.request(method, path, { ...(body !== undefined && { body }) })
    return { status: response.status, text: await response.text() }
  } finally {
    await owner.close()
  }
}

export interface TestKey {
  readonly id: string
  readonly user: string
  readonly key: string
}

export async function createKeyOf(user: string, dataDir: string): Promise<TestKey> {
  const { text } = await askOwner(dataDir, 'POST', '/api/polylogue/keys', { name: `${user}'s laptop`, user })
  return JSON.parse(text) as TestKey
}
