export function isWithin(path: string, directory: string): boolean {
  return path === directory || isBelow(path, directory)
}

/** Compares whole path segments: `/work-evil` is not below `/work`. */
export function isBelow(path: string, directory: string): boolean {
  return path !== directory && path.startsWith(directory.endsWith('/') ? directory : `${directory}/`)
}

/** The path itself and every directory above it, up to the root. */
export function* upwards(path: string): Generator<string> {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) yield path.slice(0, end)
  yield '/'
}
