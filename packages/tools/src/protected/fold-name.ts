/**
 * A path as file systems compare names that do not tell letters apart: upper and lower case, composed and decomposed letters
 * (macOS), characters that HFS+ ignores, dots and spaces at the end and streams (Windows).
 */
export function foldName(path: string): string {
  return path
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .split('/')
    .map((part) =>
      part === '.' || part === '..' ? part : part.replace(/(?<=.):[^]*$/, '').replace(/[. ]{1,255}$/, ''),
    )
    .join('/')
}
