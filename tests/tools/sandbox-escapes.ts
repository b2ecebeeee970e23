import type { Places } from './forbidden-world.ts'

/** What a command that got out would print. The command itself does not contain it. */
export const ESCAPED = 'ESCAPED'
const TELL = 'echo ESC""APED'

/** Commands that try to leave their sandbox. One that does is told by the watch over the world, or tells of itself. */
export function escapes(places: Places, hostFile: string): Readonly<Record<string, string>> {
  const { start, data, home, other, canaryUrl, serverPid } = places
  const canary = canaryUrl.slice('http://'.length)
  const [host, port] = canary.split(':')
  const outside = `${start}/../escaped`
  const ptrace = `import ctypes;raise SystemExit(ctypes.CDLL(None).ptrace(16,${serverPid},0,0) != 0)`
  return {
    ...writes({ start, data, home, other }),
    etc: `echo x > /etc/polylogue-escape && ${TELL}`,
    usr: `echo x > /usr/local/bin/polylogue-escape && ${TELL}`,
    'new-folder': `mkdir ${outside}`,
    chmod: `chmod 777 /usr && ${TELL}`,
    'touch-time': `test -e ${home}/.bashrc && ${TELL}`,
    remount: `mount -o remount,rw / && ${TELL}`,
    mount: `mount -t tmpfs none /mnt && ${TELL}`,
    bind: `mount --bind / /mnt && ${TELL}`,
    unmount: `umount ${data} && cat ${data}/local.key`,
    'namespace-unmount': `unshare -Urm sh -c 'umount ${data}; cat ${data}/local.key'`,
    'namespace-remount': `unshare -Urm sh -c 'mount -o remount,bind,rw / && echo x >> ${home}/.bashrc'`,
    'nested-sandbox': `bwrap --bind / / sh -c 'echo x >> ${home}/.profile && ${TELL}'`,
    'enter-init': `nsenter --target 1 --all sh -c 'cat ${data}/local.key'`,
    'enter-server': `nsenter --target ${serverPid} --all ${TELL}`,
    chroot: `chroot /proc/1/root cat ${data}/local.key`,
    'init-root': `cat /proc/1/root${data}/local.key`,
    'init-root-write': `grep -q . /proc/1/root${home}/.bashrc && ${TELL}`,
    'parent-root': `cat /proc/$PPID/root${data}/secret.key`,
    'every-root': `cat /proc/[0-9]*/root${data}/local.key`,
    descriptors: `for f in /proc/self/fd/*; do case $(readlink $f) in ${data}/*[!d]\\)|${data}/*.key|${data}/*.db*) ${TELL};; esac; done`,
    environments: `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -q POLYLOGUE_TEST_SANDBOX && ${TELL}`,
    processes: `grep -sl 'serve' /proc/[0-9]*/cmdline | xargs -r -n1 dirname | xargs -r -n1 basename | grep -qx ${serverPid} && ${TELL}`,
    signal: `kill -0 ${serverPid} && ${TELL}`,
    kill: `kill -9 ${serverPid} && ${TELL}`,
    renice: `renice 19 -p ${serverPid} && ${TELL}`,
    'trace-server': `python3 -c '${ptrace}' && ${TELL}`,
    'server-memory': `head -c 1 /proc/${serverPid}/mem && ${TELL}`,
    'read-key': `cat ${data}/local.key ${data}/secret.key`,
    'read-other': `cat ${other}/secret.txt`,
    'list-data': `ls -a ${data} | grep -q key && ${TELL}`,
    archive: `tar cf - ${data} | tr -d '\\0' | grep -a sk-blade`,
    'soft-link': `ln -sf ${data} out && cat out/local.key`,
    'hard-link': `ln ${data}/local.key key && cat key`,
    find: `find ${start}/.. -name '*.key' -exec cat {} +`,
    'host-tmp': `cat ${hostFile}`,
    network: `curl -s --max-time 3 ${canaryUrl}`,
    'network-bash': `echo > /dev/tcp/${host}/${port} && ${TELL}`,
    'network-python': `python3 -c 'import socket;socket.create_connection(("${host}",${port}),3)' && ${TELL}`,
    'owner-socket': `curl -s --max-time 3 --unix-socket ${data}/polylogue.sock http://localhost/api/polylogue/keys | grep -q keys && ${TELL}`,
    interfaces: `grep -qE '^ *(eth|en|wl|docker|veth)' /proc/net/dev && ${TELL}`,
    'raw-socket': `python3 -c 'import socket;socket.socket(socket.AF_INET,socket.SOCK_RAW,1)' && ${TELL}`,
    'host-name': `hostname polylogue-escape && ${TELL}`,
    'kernel-setting': `cat /proc/sys/kernel/panic > /proc/sys/kernel/panic && ${TELL}`,
    'core-pattern': `cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern && ${TELL}`,
    cgroup: `mkdir /sys/fs/cgroup/polylogue-escape && ${TELL}`,
    device: `mknod disk b 8 0 && head -c 1 disk && ${TELL}`,
    'kernel-memory': `(head -c 1 /dev/mem || head -c 1 /proc/kcore) | grep -q . && ${TELL}`,
    'daemon-sockets': `find /run -type s | grep -q . && ${TELL}`,
    schedule: `echo '* * * * * true' > /etc/cron.d/polylogue-escape && ${TELL}`,
    capabilities: `grep -q '^CapEff:.*[1-9a-f]' /proc/self/status && ${TELL}`,
    privileges: `grep -q '^NoNewPrivs:.*0' /proc/self/status && ${TELL}`,
  }
}

function writes(targets: Pick<Places, 'start' | 'data' | 'home' | 'other'>): Readonly<Record<string, string>> {
  const { start, data, home, other } = targets
  return {
    'write-home': `echo x >> ${home}/.bashrc`,
    'write-new-in-home': `echo x > ${home}/.zshrc`,
    'write-config': `echo x >> ${start}/polylogue.config.ts`,
    'write-agents': `mkdir -p ${start}/agents; echo x > ${start}/agents/evil.md`,
    'write-key': `echo x > ${data}/local.key`,
    'write-other': `echo x > ${other}/secret.txt`,
    'remove-home': `rm ${home}/.netrc`,
    'move-home': `mv ${home}/.npmrc ${home}/.npmrc.old`,
  }
}
