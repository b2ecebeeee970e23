/** Marks that stand on one letter. Half-width voiced marks become marks. */
const MANY_MARKS = /([\p{M}\uff9e\uff9f]{32})[\p{M}\uff9e\uff9f]+/gu

/**
 * The same as `normalize`, in linear time: it sorts the marks of a letter, for which the runtime takes the square of their number.
 * No text has more than 32, so more are left out.
 */
export function normalizeText(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return text.replace(MANY_MARKS, '$1').normalize(form)
}
