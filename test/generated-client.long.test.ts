/**
 * A client that a common generator makes of `/openapi.json` compiles, and makes a round trip: an account, a record,
 * what became of it, a question to `/pull` and its acknowledgement, and a webhook that is put. The generator comes from
 * npm into a folder of the test.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { newFolder } from "./kit/folder.ts";
import { createPulled } from "./kit/world/alerts.ts";
import { API_KEY, createTestApp } from "./kit/world/app-under-test.ts";
import { demoViewed } from "../src/events/demo-viewed.ts";

const run = promisify(execFile);

/** The generator stands on TypeScript 5. */
const PACKAGES = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3"];

const CONSUMER = `
import createClient from "openapi-fetch";
import type { paths } from "./bellwire.ts";

const { URL: baseUrl = "", INTAKE_KEY = "", PULL_TOKEN = "", SESSION = "" } = process.env;
const by = (key: string) => createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });
const path = { account_id: "acme" };
const intake = by(INTAKE_KEY);
const session: paths["/v1/accounts/{account_id}/demo-sessions"]["post"]["requestBody"]["content"]["application/json"] =
  JSON.parse(SESSION);
const sent = await intake.POST("/v1/accounts/{account_id}/demo-sessions", { params: { path }, body: session });
// A call with NDJSON is answered a line for each record.
const accepted = sent.data !== undefined && "deliveries" in sent.data ? sent.data : undefined;
const deliveries: number | undefined = accepted?.deliveries;
const key = await intake.POST("/v1/accounts/{account_id}/read-keys", { params: { path }, body: { name: "generated" } });
const reader = by(key.data?.key ?? "");
const list = await reader.GET("/v1/accounts/{account_id}/deliveries", {
  params: { path, query: { status: "waiting" } },
});
const found = list.data?.deliveries ?? [];
const asking = by(PULL_TOKEN);
const asked = await asking.GET("/pull", { params: { query: { limit: 10, hold: 60 } } });
const { claim = null, messages = [] } = asked.data ?? {};
const ended = await asking.GET("/pull", { params: { query: { ack: claim ?? "" } } });
const refused = await by("bwp_wrong").GET("/pull");
const status: string | undefined = (await reader.GET("/v1/accounts/{account_id}/deliveries/{delivery_id}", {
  params: { path: { ...path, delivery_id: found[0]?.id ?? "" } },
})).data?.status;
const managing = { name: "platform", kind: "manage" as const };
const manages = await intake.POST("/v1/accounts/{account_id}/read-keys", { params: { path }, body: managing });
const put = await by(manages.data?.key ?? "").PUT("/v1/accounts/{account_id}/webhooks/{webhook_id}", {
  params: { path: { ...path, webhook_id: "crm" } },
  body: { kind: "webhook", name: "CRM", events: "all", webhook: { url: "pull:" } },
});
const outcome: "created" | "changed" | "unchanged" | undefined = put.data?.outcome;
// @ts-expect-error: no such field
void accepted?.surprise;
// @ts-expect-error: no such field
void put.data?.surprise;
console.log(JSON.stringify({
  deliveries, found: found.length, messages: messages.length, left: ended.data?.messages.length, status,
  code: refused.error?.code, outcome,
}));
`;

const COMPILER = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: "es2023",
    module: "nodenext",
    allowImportingTsExtensions: true,
    skipLibCheck: false,
    types: [],
    lib: ["es2023", "dom", "dom.iterable"],
  },
  files: ["consumer.ts", "process.d.ts"],
};

test("a client generated from the document compiles, and makes a round trip", { timeout: 180_000 }, async () => {
  using folder = newFolder();
  await using service = await createTestApp({ BELLWIRE_MANAGEMENT: "1" });
  const { port } = await service.app.start();
  const url = `http://127.0.0.1:${port}`;
  await service.put("/v1/accounts/acme", { name: "Acme", plan: "growth", app_url: "https://app.example.com" });
  await service.post("/v1/read-keys", { name: "opens the read routes" });
  const { token } = await createPulled(service.app.accounts, { accountId: "acme" });
  const document = await service.call({ method: "GET", url: "/openapi.json" });
  const write = (name: string, text: string): void => writeFileSync(join(folder.path, name), text);
  write("openapi.json", document.body);
  write("package.json", JSON.stringify({ private: true, type: "module" }));
  write("tsconfig.json", JSON.stringify(COMPILER));
  write("process.d.ts", "declare const process: { readonly env: Readonly<Record<string, string | undefined>> };");
  write("consumer.ts", CONSUMER);
  const inFolder = async (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    await run(command, args, { cwd: folder.path, env: { ...process.env, ...env } }).catch((error: unknown) => {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      return assert.fail(`${command} ${args.join(" ")}:\n${stdout}${stderr}`);
    });
  await inFolder("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...PACKAGES]);
  const bin = join(folder.path, "node_modules", ".bin");
  await inFolder(join(bin, "openapi-typescript"), ["openapi.json", "-o", "bellwire.ts"]);
  await inFolder(join(bin, "tsc"), ["-p", "."]);
  const SESSION = JSON.stringify(demoViewed.example);
  const ran = await inFolder(process.execPath, ["consumer.ts"], {
    URL: url,
    INTAKE_KEY: API_KEY,
    PULL_TOKEN: token,
    SESSION,
  });
  assert.deepEqual(JSON.parse(ran.stdout), {
    deliveries: 1,
    found: 1,
    messages: 1,
    left: 0,
    status: "delivered",
    code: "pull_token_unknown",
    outcome: "created",
  });
});
