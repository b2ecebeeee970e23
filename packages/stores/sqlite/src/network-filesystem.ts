/**
 * SQLite's WAL needs shared memory and reliable file locks; network filesystems have neither. They are recognised by
 * the type in Linux's statfs and, because user-space filesystems share one type, by the name of the mount.
 */
import { readFileSync, realpathSync, statfsSync } from 'node:fs'

const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x5346414f, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
])
const FUSE = 0x65735546
const NETWORK_MOUNT =
  /^fuse\.(sshfs|rclone|s3fs|gcsfuse|goofys|glusterfs|davfs2?|curlftpfs|ceph-fuse|smbnetfs|juicefs)$/

/** The name of the network filesystem of this directory. `undefined` for a local or unknown filesystem. */
export function networkFilesystemOf(directory: string): string | undefined {
  if (process.platform !== 'linux') return undefined
  const path = realpathSync(directory)
  const type = statfsSync(path).type >>> 0
  return nameNetworkFilesystem(type, () => mountTypeOf(path, readFileSync('/proc/self/mountinfo', 'utf8')))
}

export function nameNetworkFilesystem(type: number, mountType: () => string | undefined): string | undefined {
  if (type !== FUSE) return NETWORK_TYPES.get(type)
  const name = mountType()
  return name !== undefined && NETWORK_MOUNT.test(name) ? name.slice('fuse.'.length) : undefined
}

/** The type of the mount that a path lies in. The format of `mountinfo` is in proc_pid_mountinfo(5). */
export function mountTypeOf(path: string, mountinfo: string): string | undefined {
  let nearest = ''
  let found: string | undefined
  for (const line of mountinfo.split('\n')) {
    const [mount = '', source = ''] = line.split(' - ')
    const point = (mount.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    )
    const isAbove = point === '/' || path === point || path.startsWith(`${point}/`)
    // When two mounts share a mount point, the later one covers the earlier.
    if (point === '' || !isAbove || point.length < nearest.length) continue
    nearest = point
    found = source.split(' ')[0]
  }
  return found
}
