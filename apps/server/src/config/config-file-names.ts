/** The names under which a folder's configuration is found. */
export const CONFIG_FILE_NAMES = [
  'polylogue.config.ts',
  'polylogue.config.mts',
  'polylogue.config.js',
  'polylogue.config.mjs',
  'polylogue.config.json',
] as const
