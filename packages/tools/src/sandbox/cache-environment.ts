/** Where package managers and compilers keep what they download, below one folder. */
export function cacheEnvironment(folder: string): Record<string, string> {
  return {
    XDG_CACHE_HOME: folder,
    npm_config_cache: `${folder}/npm`,
    // pnpm keeps its store here. npm would warn about `npm_config_store_dir`.
    PNPM_HOME: `${folder}/pnpm`,
    YARN_CACHE_FOLDER: `${folder}/yarn`,
    BUN_INSTALL_CACHE_DIR: `${folder}/bun`,
    DENO_DIR: `${folder}/deno`,
    PIP_CACHE_DIR: `${folder}/pip`,
    UV_CACHE_DIR: `${folder}/uv`,
    POETRY_CACHE_DIR: `${folder}/poetry`,
    CARGO_HOME: `${folder}/cargo`,
    GOMODCACHE: `${folder}/go-mod`,
    GOCACHE: `${folder}/go-build`,
    // Otherwise Go takes the right to delete its cache away.
    GOFLAGS: '-modcacherw',
    GRADLE_USER_HOME: `${folder}/gradle`,
    MAVEN_ARGS: `-Dmaven.repo.local=${folder}/maven`,
    BUNDLE_USER_CACHE: `${folder}/bundle`,
    COMPOSER_CACHE_DIR: `${folder}/composer`,
    NUGET_PACKAGES: `${folder}/nuget`,
  }
}
