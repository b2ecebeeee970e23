import { describe, expect, it } from 'vitest'
import { isInnerAddress, isPublicAddress, toBlocks } from './public-address.ts'

describe('S10: of the public network is', () => {
  it.each(['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255'])(
    '%s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )
  it.each(['2606:4700:4700::1111', '2a00:1450:4001:82a::200e', '2001:200::1', '3ffe::1'])('%s', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  )
})

describe('S10: not of the public network is', () => {
  it.each([
    ['unspecified', '0.0.0.0', '0.255.255.255', '::'],
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fdff::1'],
    ['shared', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
    ['link-local', '169.254.169.254', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
    ['site-local', 'fec0::1', 'feff::1'],
    ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
    ['reserved', '240.0.0.1', '255.255.255.255', '4000::1', '5f00::1', '100::1', 'e000::1'],
    ['for protocols', '192.0.0.1', '192.0.0.192', '192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1'],
    ['for examples', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    ['for measurements', '198.18.0.1', '198.19.255.255', '2001:2::1'],
    ['mapped IPv4', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:a9fe:a9fe'],
    ['compatible IPv4', '::127.0.0.1', '::8.8.8.8'],
    ['translated IPv4', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '::ffff:0:127.0.0.1'],
    ['6to4', '2002:7f00:1::', '2002:808:808::1'],
    ['Teredo and what is beside it', '2001::1', '2001:0:4136:e378::', '2001:10::1', '2001:20::1'],
    ["a cloud's control service", '168.63.129.16'],
    ['no address', '', 'localhost', '127.1', '0x7f.0.0.1', '1.1.1.1/8', '[::1]', '2130706433'],
  ])('what is %s', (_, ...addresses) => {
    expect(addresses.filter((address) => isPublicAddress(address))).toEqual([])
  })

  it('an inner address is one of this machine or of a network of its own, and nothing else', () => {
    const inner = ['127.0.0.1', '10.0.0.1', '172.20.0.1', '192.168.1.1', '100.64.0.1', '::1', 'fd00::1']
    const other = [
      '8.8.8.8',
      '169.254.169.254',
      'fe80::1',
      '::ffff:127.0.0.1',
      '0.0.0.0',
      '224.0.0.1',
      'x',
      'fd00::1%e',
    ]
    expect([...inner, ...other].filter((address) => isInnerAddress(address))).toEqual(inner)
  })
})

describe('a list of ranges', () => {
  it('takes addresses and ranges of both families', () => {
    const blocks = toBlocks(['10.0.0.0/8', '192.168.1.1', 'fd00::/8', '::1'])
    expect(blocks.check('10.9.9.9', 'ipv4')).toBe(true)
    expect(blocks.check('192.168.1.2', 'ipv4')).toBe(false)
    expect(blocks.check('fd12::1', 'ipv6')).toBe(true)
    expect(blocks.check('::2', 'ipv6')).toBe(false)
  })

  it.each(['10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/', '10.0.0/8', 'fd00::/129', 'x', 'fe80::1%eth0/64'])(
    'refuses %s',
    (range) => expect(() => toBlocks([range])).toThrow(TypeError),
  )
})
