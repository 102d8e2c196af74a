/**
 * An operator's address of a database as pg is to read it: of itself it warns of modes of TLS on standard error, and
 * takes parameters of other programs for options of its own.
 */
const PARAMETERS = /^(?:host|port|user|password|application_name|ssl(?:cert|key|rootcert|negotiation))$/;

/** As JDBC and pg write them. */
const SSL: Readonly<Record<string, string>> = { true: "verify-full", "1": "verify-full", "no-verify": "no-verify" };

export function toPgAddress(text: string): string {
  const url = new URL(text);
  const { searchParams: given } = url;
  const root = given.get("sslrootcert");
  const asked = given.get("sslmode") ?? SSL[given.get("ssl") ?? ""] ?? (root === null ? "" : "verify-full");
  // Every other mode has TLS and verifies the server: somebody on the way could be the server.
  const mode = /^(?:disable|no-verify|)$/.test(asked) ? asked : "verify-full";
  for (const name of given.keys().toArray()) if (!PARAMETERS.test(name)) given.delete(name);
  if (mode !== "") given.set("sslmode", mode);
  // The system's own authorities are those that Node knows.
  if (root === "system") given.delete("sslrootcert");
  if (given.get("sslnegotiation") !== "direct" || mode === "disable") given.delete("sslnegotiation");
  return url.href;
}
