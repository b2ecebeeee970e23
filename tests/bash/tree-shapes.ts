/** Writes to the workspace for as long as it lives; the path in its arguments makes it findable. */
const beat = (file: string) => `bash -c 'while :; do echo x >> "$0"; sleep 0.01; done' "$PWD/${file}"`

/** Process trees that are hard to end. Each prints `ready` once it stands. */
export const TREE_SHAPES: Readonly<Record<string, string>> = {
  'a child': `${beat('beat')} & echo ready; wait`,
  'a fork bomb, capped at 50': `trap '' TERM
    for i in {1..20}; do ${beat('beat')} & done
    echo ready
    while :; do (exec sleep 0.05) & [ $(jobs -p | wc -l) -lt 50 ] || wait -n; done`,
  nohup: `nohup ${beat('beat')} >/dev/null 2>&1 & echo ready; wait`,
  setsid: `setsid ${beat('beat')} & echo ready; sleep 300`,
  'a double fork': `( ( setsid nohup ${beat('beat')} >/dev/null 2>&1 </dev/null & ) & ); echo ready; sleep 300`,
  'ignores TERM': `trap '' TERM; ${beat('beat')} & echo ready; while :; do sleep 300; done`,
  'forks when told to end': `trap 'for i in 1 2 3; do setsid ${beat('beat').replaceAll("'", `'"'"'`)} & done' TERM; ${beat('beat')} & echo ready; while :; do sleep 0.05; done`,
  'a stopped child': `bash -c 'kill -STOP $$' stopped "$PWD" & ${beat('beat')} & echo ready; wait`,
  'all stopped': `${beat('beat')} & setsid ${beat('beat')} & echo ready; kill -STOP 0`,
  'a grandchild that holds the pipe open': `(${beat('beat')} &) ; echo ready`,
  'a grandchild in a session of its own that holds the pipe open': `(setsid ${beat('beat')} &) ; echo ready`,
  'without an environment': `env -i /bin/${beat('beat')} & echo ready; wait`,
}
