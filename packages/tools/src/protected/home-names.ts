// The protected paths of a home directory: credentials, histories, and files that shells and logins run automatically.
// Names are relative to the home directory. A folder includes everything in it.

const lines = (...texts: readonly string[]): readonly string[] => texts.flatMap((text) => text.split(' '))

/** Files that a shell, a login, an editor or another everyday program runs automatically. */
const STARTUP_FILES: readonly string[] = lines(
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout',
  '.kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .xprofile .xinitrc .xsession .xsessionrc .pam_environment',
  '.local/share/systemd .local/share/dbus-1 Library/LaunchAgents .bash_completion .direnvrc .tmux.conf .screenrc .vimrc',
  '.exrc .nanorc .emacs .emacs.d .psqlrc .sqliterc .curlrc .wgetrc .pdbrc .pythonrc .pythonrc.py .pythonstartup .ipython',
  '.gdbinit .lldbinit .irbrc .pryrc .Rprofile .cargo/env .ghcup/env .deno/env .bun/_bun',
)

const CREDENTIALS: readonly string[] = lines(
  '.ssh .gnupg .pki .putty .password-store .netrc .pgpass .my.cnf .mylogin.cnf .authinfo .authinfo.gpg .Xauthority',
  '.aws .azure .gcloud .kube .docker .oci .ibmcloud .databrickscfg .boto .s3cfg .rclone.conf .vault-token .terraform.d',
  '.terraformrc .fly .netlify .vercel .snowsql .dbt .kaggle .npmrc .yarnrc .yarnrc.yml .pypirc .gitconfig',
  '.git-credentials .hgrc .subversion/auth .cargo/credentials .cargo/credentials.toml .cargo/config .cargo/config.toml',
  '.gem/credentials .bundle/config .pip .condarc .ivy2/.credentials .sbt/.credentials .hex .cabal/config .jupyter',
  '.m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .nuget .composer/auth.json .config',
  '.cache/huggingface/token .claude .claude.json .codex .gemini .mozilla .thunderbird .local/share/keyrings',
  '.local/share/kwalletd Library/Keychains Library/Cookies',
)

const HISTORIES: readonly string[] = lines(
  '.bash_history .zsh_history .sh_history .psql_history .mysql_history .sqlite_history .rediscli_history .node_repl_history',
  '.python_history .lesshst .viminfo',
)

/** The default data directory. */
const OWN: readonly string[] = ['.polylogue']

export const HOME_NAMES: readonly string[] = [...STARTUP_FILES, ...CREDENTIALS, ...HISTORIES, ...OWN]

/** Projects often contain these names, so they are protected only in a home directory. */
const PROJECT_NAMES: ReadonlySet<string> = new Set(
  lines(
    '.npmrc .yarnrc .yarnrc.yml .docker .config .bundle/config .nuget .claude .codex .gemini .inputrc .netlify .vercel .fly',
    '.cargo/config .cargo/config.toml .pip .condarc .hex .jupyter .ipython .emacs.d .vimrc .exrc .gdbinit .lldbinit .Rprofile',
    '.irbrc .pryrc .curlrc .tmux.conf',
  ),
)

/**
 * Folders of a home directory whose programs and plugins shells and editors run. Commands need to read them, so they are
 * protected against writing only.
 */
export const HOME_PROGRAMS: readonly string[] = lines(
  'bin .local/bin .local/lib .local/share/applications .cargo/bin .rustup .nvm .pyenv .rbenv .asdf .volta .sdkman .bun .deno',
  '.vim .oh-my-zsh .zsh .npm-global go/bin .yarn/bin .local/share/pnpm .vscode/extensions Applications .rvm .opam',
  // What installers and runners have fetched, and run without looking at it again. The first is the Node of this server.
  '.cache/polylogue .cache/node/corepack .npm/_npx .local/pipx .local/share/pipx .local/share/uv .local/share/mise',
  '.local/share/fnm .local/share/nvim .ghcup/bin .cabal/bin .dotnet/tools .composer/vendor/bin .krew/bin .zinit',
)

/** Names that are write-protected everywhere. */
export const ANYWHERE_NAMES: readonly string[] = [...STARTUP_FILES, ...CREDENTIALS].filter(
  (name) => !PROJECT_NAMES.has(name),
)
