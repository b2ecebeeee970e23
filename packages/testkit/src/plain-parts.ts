import type { EngineOptions } from '@polylogue/engine'

/** Nobody has made rules, and sessions work nowhere. */
export const plainParts = {
  rules: { listRules: async () => [] },
  workspaces: {
    locate: ({ directories }) => ({ cwd: directories[0] ?? '/nowhere', roots: [...directories] }),
    prepare: async () => {},
    remove: async () => {},
  },
  operator: { denyRules: [], hosts: { allow: [], block: [] } },
} satisfies Pick<EngineOptions, 'rules' | 'workspaces' | 'operator'>
