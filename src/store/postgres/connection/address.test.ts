/** Addresses that managed PostgreSQL and other programs hand out verify the server, unless they say `no-verify`. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { type ConnectionOptions, TLSSocket } from "node:tls";
import pg from "pg";
import { newFolder } from "../../../../test/kit/folder.ts";
import { makeAuthority } from "../../../../test/kit/servers/certificates.ts";
import { systemClock } from "../../../lib/clock.ts";
import { inspectPostgres } from "../inspect.ts";
import { toPgAddress } from "./address.ts";

const authority = makeAuthority("The operator's CA");
const folder = newFolder();
const root = join(folder.path, "root.pem");
writeFileSync(root, authority.certificate);

type Ssl = "none" | "unverified" | "verified" | "by root, verified";

/** As `tls.connect` gets it. */
function sslOf(parameters: string): Ssl {
  const client = new pg.Client({
    connectionString: toPgAddress(`postgres://a:p%40@db:5433/x${parameters}`),
  });
  const ssl = client.ssl as unknown as boolean | ConnectionOptions;
  if (typeof ssl === "boolean") return "none";
  if (ssl.rejectUnauthorized === false) return "unverified";
  assert.equal(ssl.checkServerIdentity, undefined);
  return ssl.ca === undefined ? "verified" : "by root, verified";
}

const MEANINGS: readonly (readonly [parameters: string, meaning: Ssl])[] = [
  ["", "none"],
  ["?sslmode=disable", "none"],
  ["?sslmode=allow", "verified"],
  ["?sslmode=prefer", "verified"],
  ["?sslmode=require", "verified"],
  ["?sslmode=no-verify", "unverified"],
  ["?sslmode=verify-ca", "verified"],
  ["?sslmode=verify-full", "verified"],
  [`?sslmode=require&sslrootcert=${root}`, "by root, verified"],
  [`?sslmode=verify-ca&sslrootcert=${root}`, "by root, verified"],
  [`?sslmode=verify-full&sslrootcert=${root}`, "by root, verified"],
  [`?sslrootcert=${root}`, "by root, verified"],
  [`?sslmode=no-verify&sslrootcert=${root}`, "unverified"],
  [`?sslmode=disable&sslrootcert=${root}`, "none"],
  ["?sslmode=verify-full&sslrootcert=system", "verified"],
  ["?sslmode=require&sslrootcert=system", "verified"],
  ["?sslrootcert=system", "verified"],
  ["?ssl=true", "verified"],
  ["?ssl=false", "none"],
  ["?ssl=no-verify", "unverified"],
  ["?sslmode=require&sslnegotiation=direct", "verified"],
  ["?sslmode=disable&sslnegotiation=direct", "none"],
  ["?sslmode=require&sslnegotiation=what", "verified"],
  ["?sslmode=require&channel_binding=require", "verified"],
  ["?uselibpqcompat=what&sslmode=require", "verified"],
  ["?stream=1&types=2&Promise=3&binary=1&pgbouncer=true&schema=public&connection_limit=5", "none"],
];
for (const [parameters, meaning] of MEANINGS) {
  const end = parameters.replace(root, "root.pem");
  test(`an address that ends in ${end || "its database"} means: ${meaning}`, async () => {
    const warnings: Error[] = [];
    const keep = (warning: Error) => warnings.push(warning);
    process.on("warning", keep);
    assert.equal(sslOf(parameters), meaning);
    // A warning is emitted in the next tick.
    await new Promise(setImmediate);
    process.off("warning", keep);
    assert.deepEqual(warnings, []);
  });
}

test("place, name and password stay, and what is no parameter of an address sets no option of pg", () => {
  const { host, port, user, password, database } = new pg.Client({
    connectionString: toPgAddress(
      "postgres://a:p%40%20b@db:5433/x?statement_timeout=1&application_name=n&query_timeout=1",
    ),
  });
  assert.deepEqual([host, port, user, password, database], ["db", 5433, "a", "p@ b", "x"]);
  const client = new pg.Client({ connectionString: toPgAddress("postgres://localhost/x?host=/run/pg&port=6000") });
  assert.deepEqual([client.host, client.port], ["/run/pg", 6000]);
});

test("a server's certificate is verified as the address says", async () => {
  await using stack = new AsyncDisposableStack();
  stack.use(folder);
  const { certificate: cert, key } = authority.issue("db.internal");
  const server = createServer((socket) => {
    socket.on("error", () => {});
    // The request for TLS, 8 bytes.
    socket.once("data", () => {
      socket.write("S");
      const encrypted = new TLSSocket(socket, { isServer: true, key, cert });
      encrypted.on("error", () => {});
      encrypted.once("data", () => encrypted.end(refusal()));
    });
  }).listen(0, "127.0.0.1");
  stack.defer(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const tell = (parameters: string) =>
    inspectPostgres({
      url: `postgres://a@localhost:${port}/x?host=127.0.0.1&${parameters}`,
      pooler: "none",
      clock: systemClock,
    }).then(
      () => "usable",
      (error: Error) => error.message,
    );
  const wasReached = /its user name or password is wrong/;
  assert.match(await tell("sslmode=no-verify"), wasReached);
  for (const mode of ["prefer", "require", "verify-ca", "verify-full"]) {
    assert.match(await tell(`sslmode=${mode}`), /an authority that is not known here/, mode);
    assert.match(await tell(`sslmode=${mode}&sslrootcert=${root}`), /its certificate is for another host name/, mode);
  }
});

/** PostgreSQL's message of an error, with the code of a wrong password. */
function refusal(): Buffer {
  const fields = Buffer.from("SFATAL\0C28P01\0Mpassword authentication failed\0\0");
  const head = Buffer.from("E0000");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
