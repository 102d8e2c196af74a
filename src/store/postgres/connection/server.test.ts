/** The mistakes that people make most in a database's address: each is told in a sentence of ours, pg's behind it. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { createServer as createHttpServer } from "node:http";
import { join } from "node:path";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { type Cluster, startCluster } from "../../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../../lib/clock.ts";
import { inspectPostgres } from "../inspect.ts";

let cluster: Cluster;
let at: string;
const servers: Server[] = [];

before(async () => {
  cluster = await startCluster();
  at = new URL(cluster.toUrl("postgres")).searchParams.get("host") ?? "";
  const rules = "local all bellwire trust\nlocal postgres app scram-sha-256\nlocal all known trust\n";
  writeFileSync(join(at, "data", "pg_hba.conf"), rules);
  const sql = "create role app login password 'one'; create role known login; select pg_reload_conf()";
  await cluster.query(cluster.toUrl("postgres"), sql);
});
after(async () => {
  for (const server of servers) server.close();
  await cluster[Symbol.asyncDispose]();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as { port: number }).port;
}

/** The sentence for an address. */
async function refusalOf(url: string): Promise<string> {
  return await inspectPostgres({ url, pooler: "none", clock: systemClock }).then(
    () => "usable",
    (error: Error) => error.message,
  );
}

test("tells a mistake in the address before it quotes pg", async () => {
  const http = await portOf(createHttpServer((_request, response) => response.end()));
  const mysql = await portOf(
    createServer((socket) =>
      socket
        .on("error", () => {})
        .resume()
        .write("J\0\0\0\x0a8.0.36\0"),
    ),
  );
  const closer = await portOf(
    createServer((socket) =>
      socket
        .on("error", () => {})
        .resume()
        .end(),
    ),
  );
  const cases: readonly (readonly [string, RegExp])[] = [
    [`postgres://app:two@localhost/postgres?host=${at}`, /: its user name or password is wrong \(password auth/],
    [
      `postgres://app@localhost/postgres?host=${at}`,
      /: the server asks for a password, and the address has none \(SASL/,
    ],
    [`postgres://known@localhost/gone?host=${at}`, /: there is no such database there; .* \(database "gone"/],
    [
      `postgres://app:one@localhost/template1?host=${at}`,
      /: the server lets this user in from here by no rule, .* \(no pg_hba/,
    ],
    [
      `postgres://known@localhost/postgres?host=${at}/gone`,
      /: a file or socket that the address names is not there \(/,
    ],
    [
      `postgres://a@127.0.0.1:${http}/x?sslmode=no-verify`,
      /: what answers there does not speak as PostgreSQL; check the port \(/,
    ],
    [`postgres://a@127.0.0.1:${http}/x`, /: what is there gives no answer as PostgreSQL would/],
    [`postgres://a@127.0.0.1:${mysql}/x?sslmode=no-verify`, /: what answers there does not speak as PostgreSQL/],
    [`postgres://a@127.0.0.1:${closer}/x`, /: what is there gives no answer as PostgreSQL would/],
    ["postgres://a@127.0.0.1:1/x", /: nothing listens there; check host and port .* \(connect ECONNREFUSED/],
    ["postgres://a@gone.invalid/x", /: its host name cannot be resolved \(/],
    ["postgres://a@127.0.0.1:1/x?sslrootcert=/gone.pem", /: a file or socket that the address names is not there \(/],
  ];
  for (const [url, expected] of cases) assert.match(await refusalOf(url), expected, url);
});
