import type { EngineOptions, WorkspaceOwner } from '@polylogue/engine'

const locate = ({ directories }: WorkspaceOwner) => ({ cwd: directories[0] ?? '/nowhere', roots: [...directories] })

/** No permission rules and no directories. */
export const plainParts = {
  rules: { listRules: async () => [], addRule: async () => undefined, bindRule: async () => undefined },
  workspaces: {
    locate,
    prepare: async (session) => locate(session),
    open: async () => undefined,
    remove: async () => {},
  },
  operator: { denyRules: [], hosts: { allow: [], block: [] } },
} satisfies Pick<EngineOptions, 'rules' | 'workspaces' | 'operator'>
