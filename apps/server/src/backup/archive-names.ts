/** What an archive consists of, under the names that a data directory gives it. */
export const DATABASE_NAME = 'polylogue.db'
export const KEY_NAMES = ['secret.key', 'local.key'] as const
export const WORKSPACES_NAME = 'workspaces'
