/** How an opening that failed is told: whether waiting may help, and what to do. */
import { StoreUnavailable, StoreUnusable } from "../../contract/store.ts";
import { toLoggedCause, describeFailure, isMisconfigured, isRefusedByPooler, isStorageFailure } from "../failures.ts";

export const POOLER_ADVICE = "set BELLWIRE_DATABASE_POOLER=transaction, or name the server itself in BELLWIRE_DATABASE";

/** `place` names the database. */
export function openingError(place: string, error: unknown): Error {
  if (error instanceof StoreUnusable || error instanceof StoreUnavailable) return error;
  const [, sentence = ""] = MISTAKES.find(([known]) => known.test(toText(error))) ?? [];
  const what = sentence === "" ? describeFailure(error) : `${sentence} (${describeFailure(error)})`;
  const cause = toLoggedCause(error);
  if (isRefusedByPooler(error)) {
    const why = `a pooler such as PgBouncer stands in front of it (${what})`;
    return new StoreUnusable(`${place} cannot be used: ${why}; ${POOLER_ADVICE}`, { cause });
  }
  if (isMisconfigured(error)) {
    const advice = "check BELLWIRE_DATABASE, the database's name and the user's rights";
    return new StoreUnusable(`${place} cannot be used: ${what}; ${advice}`, { cause });
  }
  if (isStorageFailure(error)) return new StoreUnavailable(`${place} cannot be reached now: ${what}`, { cause });
  return new StoreUnusable(`${place} cannot be used: ${what}`, { cause });
}

/** Mistakes that people make most, by code or message: a sentence of ours stands before the one of pg or OpenSSL. */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/^28P01/, "its user name or password is wrong"],
  [/^28000 .*pg_hba/, "the server lets this user in from here by no rule, or over TLS only (?sslmode=require)"],
  [/^3D000|no such database/, "there is no such database there; create it, or correct the name"],
  [/^42501/, "the user lacks rights there; let it own the database"],
  [/^53300/, "the server has no connection free; raise max_connections, or end others"],
  [/SASL.*must be a string|SASL.*non-empty/, "the server asks for a password, and the address has none"],
  [/does not support SSL/, "the server offers no TLS; leave sslmode out of the address, or turn TLS on there"],
  [
    /SELF_SIGNED|UNABLE_TO_|self.signed/,
    "its certificate is of an authority that is not known here; name it by sslrootcert=",
  ],
  [/ALTNAME_INVALID/, "its certificate is for another host name; use the name that it is for"],
  [/CERT_HAS_EXPIRED/, "its certificate has expired"],
  [/OSSL|PEM/, "a certificate or key that the address names cannot be used, or they do not belong together"],
  [/invalid response|establishing an SSL|ERR_SSL/, "what answers there does not speak as PostgreSQL; check the port"],
  [/ECONNREFUSED/, "nothing listens there; check host and port (in a container, localhost is the container)"],
  [/ENOTFOUND|EAI_AGAIN/, "its host name cannot be resolved"],
  [/ENOENT/, "a file or socket that the address names is not there"],
  [
    /ECONNRESET|[Tt]imeout|ETIMEDOUT|terminated unexpectedly/,
    "what is there gives no answer as PostgreSQL would; check host, port and firewall",
  ],
];

const toText = (error: unknown): string =>
  error instanceof Error ? `${"code" in error ? String(error.code) : ""} ${error.message}` : "";
