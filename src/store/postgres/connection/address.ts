/**
 * An operator's address of a database, as pg is to read it. What managed PostgreSQL hands out works as it does with
 * PostgreSQL's own library: pg means other things by the modes of TLS and warns of it on standard error, and it takes
 * some parameters of other programs for options of its own.
 */
const PARAMETERS: ReadonlySet<string> = new Set([
  "host",
  "port",
  "user",
  "password",
  "application_name",
  "sslcert",
  "sslkey",
  "sslrootcert",
  "sslnegotiation",
]);

/** What JDBC and pg call them. */
const SSL: Readonly<Record<string, string>> = {
  true: "verify-full",
  "1": "verify-full",
  "no-verify": "no-verify",
  false: "disable",
  "0": "disable",
};

export function toPgAddress(text: string): string {
  const url = new URL(text);
  const { searchParams: given } = url;
  const mode = given.get("sslmode") ?? SSL[given.get("ssl") ?? ""] ?? null;
  for (const name of given.keys().toArray()) if (!PARAMETERS.has(name)) given.delete(name);
  const read = readMode(mode, given.get("sslrootcert"));
  // The system's own authorities are those that Node knows.
  if (given.get("sslrootcert") === "system" || mode === "no-verify") given.delete("sslrootcert");
  if (given.get("sslnegotiation") !== "direct" || read === "disable") given.delete("sslnegotiation");
  given.set("uselibpqcompat", "true");
  if (read !== null) given.set("sslmode", read);
  return url.href;
}

/**
 * `require` encrypts, and verifies the server only by a root that is named. `allow` and `prefer` are the same: they would
 * go without TLS where somebody on the way asks for that. `verify-ca` needs a root, for anybody gets a certificate of a
 * public authority.
 */
function readMode(mode: string | null, root: string | null): string | null {
  const isPublic = root === null || root === "system";
  switch (mode) {
    case "allow":
    case "prefer":
    case "require":
      return root === "system" ? "verify-full" : "require";
    case "no-verify":
      return "require";
    case "verify-ca":
      return isPublic ? "verify-full" : "verify-ca";
    case null:
      return root === null ? null : "verify-full";
    default:
      return mode;
  }
}
