/** What this door notes about a session for itself. */
export const FINGERPRINT_LABEL = 'acp.mcpFingerprint'
