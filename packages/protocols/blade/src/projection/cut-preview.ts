/** The beginning of a text, at most so many UTF-16 units, and no half of a surrogate pair at its end. */
export function cutPreview(text: string, longest: number): string {
  const last = text.charCodeAt(longest - 1)
  const isCutInPair = text.length > longest && last >= 0xd800 && last <= 0xdbff
  return text.slice(0, isCutInPair ? longest - 1 : longest)
}
