import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { mountTypeOf, nameNetworkFilesystem, networkFilesystemOf } from './network-filesystem.ts'

const MOUNTS = `\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /mnt rw - tmpfs tmpfs rw
31 30 0:40 / /mnt/remote rw,nosuid - fuse.sshfs ada@host:/home rw,user_id=0
32 30 0:41 / /mnt/with\\040space rw - fuse.rclone drive: rw
33 30 0:42 / /mnt/over rw - ext4 /dev/vdb rw
34 33 0:43 / /mnt/over rw - fuse.s3fs bucket rw
`

describe('a network filesystem', () => {
  it.each([
    [0x6969, 'NFS'],
    [0xff534d42, 'CIFS'],
    [0xfe534d42, 'SMB'],
    [0x517b, 'SMB'],
    [0xef53, undefined],
    [0x01021994, undefined],
    [0x58465342, undefined],
    [0x9123683e, undefined],
  ])('is known by its type: %i is %s', (type, name) => {
    expect(nameNetworkFilesystem(type, () => 'fuse.sshfs')).toBe(name)
  })

  it.each([
    ['fuse.sshfs', 'sshfs'],
    ['fuse.rclone', 'rclone'],
    ['fuse.fuse-overlayfs', undefined],
    ['virtiofs', undefined],
    [undefined, undefined],
  ])('in user space is known by its mount: %s is %s', (mountType, name) => {
    expect(nameNetworkFilesystem(0x65735546, () => mountType)).toBe(name)
  })

  it.each([
    ['/mnt/remote', 'fuse.sshfs'],
    ['/mnt/remote/a/b', 'fuse.sshfs'],
    ['/mnt/remote-not', 'tmpfs'],
    ['/mnt/with space/x', 'fuse.rclone'],
    ['/mnt/over/x', 'fuse.s3fs'],
    ['/home/ada', 'ext4'],
  ])('is found among the mounts: %s lies in %s', (path, type) => {
    expect(mountTypeOf(path, MOUNTS)).toBe(type)
  })

  it('is not where temporary files are', () => {
    expect(networkFilesystemOf(tmpdir())).toBeUndefined()
  })
})
