/**
 * The PostgreSQL server: what the store needs of it, what an operator should know, and why an opening failed: whether
 * waiting may help, and what to do.
 */
import type pg from "pg";
import { StoreUnavailable, StoreUnusable } from "../../contract/store.ts";
import { readFaultCode, wordsOf } from "../../../lib/fault-words.ts";
import { describeFailure, isMisconfigured, isRefusedByPooler, isStorageFailure, toLoggedCause } from "../failures.ts";

/**
 * The pooler between us and the server. `transaction`: a pooler such as PgBouncer that gives each transaction whatever
 * session is free, so that nothing may be left on one: no settings, no named statements, no `listen`.
 */
export type Pooler = "none" | "transaction";

export interface Server {
  /** Such as "18.1". */
  readonly version: string;
  /** Such as 180001. */
  readonly versionNumber: number;
  readonly encoding: string;
  /** A commit is on disk when it is answered, by the defaults of this database and user. */
  readonly syncsCommits: boolean;
  /** It is built with lz4, as most are. */
  readonly hasLz4: boolean;
  /** False: the operator has turned off what brings data through a crash. */
  readonly survivesCrashes: boolean;
  /** A standby: it takes no writes. */
  readonly isStandby: boolean;
  /** The session stands in our schema, as we asked for when we opened it. */
  readonly takesSettings: boolean;
  /** The server's limit, which all its clients share. */
  readonly connectionsMax: number;
}

/** The oldest release that PostgreSQL's own community still mends. */
const VERSION_MIN = 14;

export async function loadServer(client: pg.Client, schema: string): Promise<Server> {
  const { rows } = await client.query<Server>(LOAD_SERVER, [schema]);
  const [server] = rows;
  if (server === undefined) throw new StoreUnusable("the database says nothing about its server");
  return server;
}

/** Throws `StoreUnusable` for what could lose or garble data, and for what the store's SQL does not run on. */
export function assertServerIsUsable(server: Server, place: string, pooler: Pooler): void {
  const { version, versionNumber, encoding, takesSettings } = server;
  if (versionNumber < VERSION_MIN * 10_000) {
    throw new StoreUnusable(`${place} is PostgreSQL ${version}; ${VERSION_MIN} or newer is needed`);
  }
  if (encoding !== "UTF8") {
    throw new StoreUnusable(`${place} is encoded in ${encoding}; make one with: create database … encoding 'UTF8'`);
  }
  // PgBouncer's `ignore_startup_parameters`: our settings are dropped without a word.
  if (pooler === "none" && !takesSettings) {
    const why = "a pooler stands in front of it and drops the settings of our sessions";
    throw new StoreUnusable(`${place} cannot be used: ${why}; ${POOLER_ADVICE}`);
  }
}

/** Throws `StoreUnavailable` for what waiting may mend: it becomes the primary, or the address leads to another. */
export function assertServerTakesWrites({ isStandby }: Server, place: string): void {
  if (isStandby) throw new StoreUnavailable(`${place} is a standby and takes no writes now`);
}

const LOAD_SERVER = `-- name: load settings of server
  select current_setting('server_version') as "version",
    current_setting('server_version_num')::integer as "versionNumber",
    current_setting('server_encoding') as "encoding",
    current_setting('synchronous_commit') not in ('off', 'local') as "syncsCommits",
    (select 'lz4' = any (enumvals) from pg_settings where name = 'default_toast_compression') as "hasLz4",
    current_setting('fsync')::boolean and current_setting('full_page_writes')::boolean as "survivesCrashes",
    pg_is_in_recovery() as "isStandby", current_setting('search_path') = $1 as "takesSettings",
    current_setting('max_connections')::integer as "connectionsMax"`;

export const POOLER_ADVICE = "set BELLWIRE_DATABASE_POOLER=transaction, or name the server itself in BELLWIRE_DATABASE";

/** `place` names the database, and `named` what says where that is. */
export function openingError(place: string, error: unknown, named = "BELLWIRE_DATABASE"): Error {
  if (error instanceof StoreUnusable || error instanceof StoreUnavailable) return error;
  const [, sentence = wordsOf(readFaultCode(error))] = MISTAKES.find(([known]) => known.test(toText(error))) ?? [];
  const what = `${sentence} (${describeFailure(error)})`;
  const cause = toLoggedCause(error);
  if (isRefusedByPooler(error)) {
    const why = `a pooler such as PgBouncer stands in front of it (${what})`;
    return new StoreUnusable(`${place} cannot be used: ${why}; ${POOLER_ADVICE}`, { cause });
  }
  if (isMisconfigured(error)) {
    const advice = `check ${named}, the database's name and the user's rights`;
    return new StoreUnusable(`${place} cannot be used: ${what}; ${advice}`, { cause });
  }
  if (isStorageFailure(error)) return new StoreUnavailable(`${place} cannot be reached now: ${what}`, { cause });
  return new StoreUnusable(`${place} cannot be used: ${what}`, { cause });
}

/**
 * Mistakes that people make most, by code or message, and the server's others by the class of their code: a sentence of
 * ours stands before the one of the server, of pg or OpenSSL. `fault-words.ts` has the rest.
 */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/^28P01/, "its user name or password is wrong"],
  [/^28000 .*pg_hba/, "the server lets this user in from here by no rule, or over TLS only (?sslmode=require)"],
  [/^3D000|no such database/, "there is no such database there; create it, or correct the name"],
  [/^42501/, "the user lacks rights there; let it own the database"],
  [/^53300/, "the server has no connection free; raise max_connections, or end others"],
  [/^53/, "the server has no room or memory left"],
  [/^57P0[123]/, "the server is starting, stopping or recovering"],
  [/^28/, "the server does not let this user in"],
  [/^08P01/, "what answers there speaks PostgreSQL in a way that is not understood"],
  [/^(?!E)[0-9A-Z]{5} /, "the server refuses what it is asked"],
  [/SASL.*must be a string|SASL.*non-empty/, "the server asks for a password, and the address has none"],
  [/does not support SSL/, "the server offers no TLS; leave sslmode out of the address, or turn TLS on there"],
  [
    /SELF_SIGNED|UNABLE_TO_|self.signed/,
    "its certificate is of an authority that is not known here; name that by sslrootcert=, or write sslmode=no-verify",
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
