/**
 * The words for a receiver whose TLS refuses the client certificate or misses one. Node names an alert by the end of a
 * code (`ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED`); what stands before it differs between versions. Pure.
 */
const ALERTS: Readonly<Record<string, string>> = {
  CERTIFICATE_REQUIRED: "The receiver wants a client certificate, and got none.",
  BAD_CERTIFICATE: "The receiver refused the client certificate: it is bad, or there is none.",
  UNSUPPORTED_CERTIFICATE: "The receiver refused the client certificate: it does not take this kind.",
  CERTIFICATE_REVOKED: "The receiver refused the client certificate: it was revoked.",
  CERTIFICATE_EXPIRED: "The receiver refused the client certificate: it has expired.",
  CERTIFICATE_UNKNOWN: "The receiver refused the client certificate: it cannot accept it.",
  UNKNOWN_CA: "The receiver refused the client certificate: it does not know its issuer.",
  ACCESS_DENIED: "The receiver refused the client certificate: its owner has no access.",
};

/** The alert's name; `null` for a code that says nothing about the client's certificate. */
export function findCertificateAlert(code: string): string | null {
  const [, name] = /_ALERT_([A-Z_]+)$/.exec(code) ?? [];
  return name !== undefined && name in ALERTS ? name : null;
}

export function alertWords(code: string): string | null {
  const alert = findCertificateAlert(code);
  return alert === null ? null : (ALERTS[alert] ?? null);
}
