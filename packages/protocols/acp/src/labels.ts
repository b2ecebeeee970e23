/** The label under which this door stores its own values of a session. */
export const FINGERPRINT_LABEL = 'acp.mcpFingerprint'
