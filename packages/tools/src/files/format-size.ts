const UNITS = ['KiB', 'MiB', 'GiB', 'TiB']

/** `17 bytes`, `1.5 MiB` */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length)
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${UNITS[power - 1]}`
}
