/** The languages whose code is coloured. */
export const LANGUAGES = [
  'bash',
  'c',
  'cpp',
  'csharp',
  'css',
  'diff',
  'docker',
  'go',
  'html',
  'java',
  'javascript',
  'json',
  'markdown',
  'python',
  'ruby',
  'rust',
  'sql',
  'toml',
  'tsx',
  'typescript',
  'yaml',
] as const

export type LanguageName = (typeof LANGUAGES)[number]

const OTHER_NAMES: { readonly [name: string]: LanguageName } = {
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  dockerfile: 'docker',
  golang: 'go',
  js: 'javascript',
  jsonc: 'json',
  jsx: 'tsx',
  md: 'markdown',
  patch: 'diff',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  shellscript: 'bash',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
}

export function findLanguage(name: string): LanguageName | undefined {
  const lower = name.toLowerCase()
  if (Object.hasOwn(OTHER_NAMES, lower)) return OTHER_NAMES[lower]
  return LANGUAGES.find((language) => language === lower)
}
