/** A NATS server's configuration for tests, with keys and JWTs as `nsc` would make them. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { nkeys } from "@nats-io/transport-node";
import type { Authority } from "../servers/certificates.ts";

/** Whom a secured server knows. */
export const NATS_USER = { name: "bridge", password: "bridge secret" };
export const NATS_TOKEN = "bridge token";

export interface NatsServer {
  readonly port: number;
  readonly folder: string;
  readonly authority: Authority;
  readonly signsBy: "nothing" | "password" | "token" | "creds";
  readonly keys: NatsKeys;
}

export interface NatsKeys {
  /** The key of a user whom the server lists. */
  readonly seed: string;
  readonly publicKey: string;
  /** The content of a `.creds` file: a user of an account. */
  readonly creds: string;
  /** A server needs to know this of that account. */
  readonly operator: {
    readonly jwt: string;
    readonly system: string;
    readonly accounts: Readonly<Record<string, string>>;
  };
}

export function toConfig(server: NatsServer, password = NATS_USER.password): string {
  const { port, folder, authority, signsBy, keys } = server;
  const lines = [`listen: "127.0.0.1:${port}"`, `jetstream { store_dir: "${join(folder, "streams")}" }`];
  if (signsBy === "nothing") return lines.join("\n");
  const { certificate, key } = authority.issue("localhost");
  writeFileSync(join(folder, "server.pem"), certificate);
  writeFileSync(join(folder, "server.key"), key);
  lines.push(`tls { cert_file: "${join(folder, "server.pem")}", key_file: "${join(folder, "server.key")}" }`);
  const users = `users: [{ user: "${NATS_USER.name}", password: "${password}" }, { nkey: ${keys.publicKey} }]`;
  if (signsBy === "password") return [...lines, `authorization { ${users} }`].join("\n");
  if (signsBy === "token") return [...lines, `authorization { token: "${NATS_TOKEN}" }`].join("\n");
  const { jwt, system, accounts } = keys.operator;
  const known = Object.entries(accounts).map(([account, text]) => `  ${account}: ${text}`);
  const preload = ["resolver: MEMORY", "resolver_preload: {", ...known, "}"];
  return [...lines, `operator: ${jwt}`, `system_account: ${system}`, ...preload].join("\n");
}

type Pair = ReturnType<typeof nkeys.createUser>;

const UNLIMITED = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
const STORAGE = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };

export function createNatsKeys(): NatsKeys {
  const operator = nkeys.createOperator();
  const [system, account] = [nkeys.createAccount(), nkeys.createAccount()];
  const [listed, user] = [nkeys.createUser(), nkeys.createUser()];
  const toAccount = (of: Pair, limits: object) => ({
    [of.getPublicKey()]: signed(operator, of, { type: "account", version: 2, limits }),
  });
  const claims = { type: "user", version: 2, subs: -1, data: -1, payload: -1, issuer_account: account.getPublicKey() };
  const jwt = signed(account, user, claims);
  return {
    seed: text(listed.getSeed()),
    publicKey: listed.getPublicKey(),
    creds: `${framed("NATS USER JWT", jwt)}\n${framed("USER NKEY SEED", text(user.getSeed()))}`,
    operator: {
      jwt: signed(operator, operator, { type: "operator", version: 2 }),
      system: system.getPublicKey(),
      accounts: { ...toAccount(system, UNLIMITED), ...toAccount(account, { ...UNLIMITED, ...STORAGE }) },
    },
  };
}

const framed = (name: string, content: string): string =>
  `-----BEGIN ${name}-----\n${content}\n------END ${name}------\n`;
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JWT of NATS: signed by an Ed25519 key, about another one. */
function signed(issuer: Pair, subject: Pair, nats: object): string {
  const claims = { iat: 1, iss: issuer.getPublicKey(), name: "bellwire", sub: subject.getPublicKey(), nats };
  const jti = createHash("sha256").update(JSON.stringify(claims)).digest("hex");
  const signing = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode({ jti, ...claims })}`;
  return `${signing}.${Buffer.from(issuer.sign(Buffer.from(signing))).toString("base64url")}`;
}
