/**
 * An operator's address of a database as pg is to read it, with PostgreSQL's own meaning: pg takes the modes of TLS for
 * others and warns of it on standard error, and parameters of other programs for options of its own.
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
 * `require` encrypts, and verifies only by a root that is named; so do `allow` and `prefer`, which would go without TLS
 * where somebody on the way asks for it. `verify-ca` needs a root: public authorities vouch for anybody.
 */
function readMode(asked: string, root: string | null): string {
  if (asked === "no-verify") return "require";
  if (root === "system" && asked !== "disable") return "verify-full";
  if (asked === "allow" || asked === "prefer") return "require";
  return asked === "verify-ca" && root === null ? "verify-full" : asked;
}
