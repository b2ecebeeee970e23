import { refreshedCatalogue, useRefreshedCatalogue } from '@polylogue/models'
import { join } from 'node:path'
import { readPrivateFile } from '../platform/private-file.ts'
import { ServeError } from '../serve-error.ts'

export const keptModelsPath = (dataDir: string): string => join(dataDir, 'models.json')

/** Uses the list of models that the data directory has. Returns a sentence if there is one that cannot be read. */
export function useKeptModels(dataDir: string): string | undefined {
  useRefreshedCatalogue(undefined)
  const path = keptModelsPath(dataDir)
  try {
    const text = readPrivateFile(path)
    if (text !== undefined) useRefreshedCatalogue(refreshedCatalogue.parse(JSON.parse(text)))
    return undefined
  } catch (error) {
    if (error instanceof ServeError) return error.message
    return `${path} is not a list of models. Type: polylogue models refresh`
  }
}
