import type { Environment } from './provider-config.ts'

/** A variable's value, unless blank. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}
