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
  const asked = given.get("sslmode") ?? SSL[given.get("ssl") ?? ""] ?? "";
  for (const name of given.keys().toArray()) if (!PARAMETERS.test(name)) given.delete(name);
  const mode = readMode(asked, given.get("sslrootcert"));
  // The system's own authorities are those that Node knows.
  if (given.get("sslrootcert") === "system" || asked === "no-verify") given.delete("sslrootcert");
  if (given.get("sslnegotiation") !== "direct" || mode === "disable") given.delete("sslnegotiation");
  given.set("uselibpqcompat", "true");
  if (mode !== "") given.set("sslmode", mode);
  return url.href;
}

/**
 * Every mode with TLS verifies the server, also those with which PostgreSQL's own tools would not: somebody on the way
 * could be the server. Who does not want that says `no-verify`.
 */
function readMode(asked: string, root: string | null): string {
  if (asked === "no-verify") return "require";
  return asked === "disable" || (asked === "" && root === null) ? asked : "verify-full";
}
