import { createContext, use, useCallback, useSyncExternalStore } from 'react'
import type { ConsoleModel } from '../model/console-model.ts'

export const ModelContext = createContext<ConsoleModel | undefined>(undefined)

export function useModel(): ConsoleModel {
  const model = use(ModelContext)
  if (model === undefined) throw new Error('the model is provided at the root')
  return model
}

/** Redraws when the key changes. `read` must return the same value until then. */
export function useSnapshot<T>(key: string, read: () => T): T {
  const { notifier } = useModel()
  const subscribe = useCallback((listener: () => void) => notifier.subscribe(key, listener), [notifier, key])
  return useSyncExternalStore(subscribe, read)
}
