// Creates a certificate for a test: X.509 v3 in DER, signed with its own key (ECDSA P-256, SHA-256).
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** In PEM. The certificate is its own authority and names one host. */
export function createSelfSigned(host: string): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(object('2a8648ce3d040302'))
  const name = sequence(tag(0x31, sequence(object('550403'), tag(0x0c, Buffer.from(host)))))
  const day = 86_400_000
  const time = (at: number): Buffer =>
    tag(0x17, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))
  const alternativeName = sequence(object('551d11'), tag(0x04, sequence(tag(0x82, Buffer.from(host)))))
  const isAuthority = sequence(object('551d13'), tag(0x04, sequence(tag(0x01, Buffer.from([0xff])))))
  const body = sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    tag(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(Date.now() - day), time(Date.now() + day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(alternativeName, isAuthority)),
  )
  const signature = tag(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const der = sequence(body, algorithm, signature)
  const cert = `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert }
}

function tag(type: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([type, ...size]), content])
}

function sequence(...items: readonly Buffer[]): Buffer {
  return tag(0x30, ...items)
}

function object(hex: string): Buffer {
  return tag(0x06, Buffer.from(hex, 'hex'))
}
