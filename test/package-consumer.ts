/**
 * Somebody else's project, empty but for our package: made from its tarball, without the registry. Used by the test of
 * the package, and by `npm run pack-test` with other versions of Node.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackage, npm, packPackage } from "../tools/package-build.ts";

const ROOT = dirname(import.meta.dirname);

export interface Consumer extends Disposable {
  readonly folder: string;
  /** The installed package. */
  readonly installed: string;
  /** Runs the sample with this Node: what it printed, or what went wrong. */
  run(node: string): string;
  /** The compiler's findings in these files, each by name and text; empty when it takes them. */
  compile(files: Readonly<Record<string, string>>): string;
}

/** Imports every entry, verifies a webhook that Bellwire signed and one that was changed, and calls a dead service. */
const SAMPLE = `
import { createHmac } from "node:crypto";
import { createClient } from "bellwire/client";
import { verify } from "bellwire/receiver";
import { expressWebhooks } from "bellwire/receiver/express";
import { fastifyWebhooks } from "bellwire/receiver/fastify";
import { fetchWebhooks } from "bellwire/receiver/fetch";
import { createMemoryRepeats } from "bellwire/receiver/repeats";
import "bellwire/events";

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const body = '{"event":"demo_viewed","id":"a"}';
const time = String(Math.floor(Date.now() / 1000));
const sign = (key, text) => createHmac("sha256", key).update(text).digest("base64");
const headers = {
  "x-service-signature": sign(secret, body),
  "webhook-id": "dlv_1",
  "webhook-timestamp": time,
  "webhook-signature": "v1," + sign(Buffer.from(secret.slice(6), "base64"), "dlv_1." + time + "." + body),
};
const genuine = verify(body, headers, secret);
const changed = verify(body + " ", headers, secret);
const onEvent = () => {};
expressWebhooks({ secrets: secret, onEvent });
fastifyWebhooks({ secrets: secret, onEvent });
const post = fetchWebhooks({ secrets: secret, onEvent, repeats: createMemoryRepeats() });
const answer = await post(new Request("http://receiver.test/", { method: "POST", body, headers }));
const client = createClient({ url: "http://127.0.0.1:1", key: "k", retryForMs: 0 });
const sent = await client.sendDemoSession("acct-1", {});
const { event, webhookId, isTest } = genuine;
console.log(event?.event, webhookId, isTest, changed.reason, answer.status, sent.kind, sent.attempts);
`;
export const SAMPLE_PRINTS = "demo_viewed dlv_1 false signature_mismatch 200 unavailable 1\n";

export function createConsumer(): Consumer {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-consumer-"));
  try {
    return installIn(folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function installIn(folder: string): Consumer {
  const project = join(folder, "project");
  buildPackage(join(folder, "package"));
  const tarball = packPackage(join(folder, "package"), folder);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{"name":"consumer","private":true,"type":"module"}\n');
  npm(["install", "--offline", "--no-audit", "--no-fund", tarball], project);
  writeFileSync(join(project, "sample.js"), SAMPLE);
  return {
    folder: project,
    installed: join(project, "node_modules", "bellwire"),
    run(node) {
      const run = spawnSync(node, ["sample.js"], { cwd: project, encoding: "utf8" });
      // A deprecation that Node prints would be printed at every consumer.
      const isClean = run.status === 0 && run.stderr === "";
      return isClean ? run.stdout : `exit code ${run.status}\n${run.stdout}${run.stderr}${run.error ?? ""}`;
    },
    compile: (files) => compile(project, files),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** As much of Express's types as our page uses: it brings none, and those of others are 30 packages. */
const EXPRESS = `
declare module "express" {
  import type { IncomingMessage, ServerResponse } from "node:http";
  type Handler = (
    request: IncomingMessage & { body?: any },
    response: ServerResponse,
    next: (error?: any) => void,
  ) => void | Promise<void>;
  interface Application {
    post(path: string, ...handlers: Handler[]): Application;
    use(handler: Handler): Application;
  }
  const express: { (): Application; json(): Handler };
  export default express;
}
`;

/** The strictest settings that a consumer may have, our declarations checked too. */
function compile(project: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    target: "es2022",
    module: "nodenext",
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules", "@types")],
    // A framework that the consumer has and our package has not.
    paths: { fastify: [join(ROOT, "node_modules", "fastify", "fastify.d.ts")] },
  };
  writeFileSync(join(project, "express.d.ts"), EXPRESS);
  const all = ["express.d.ts", ...Object.keys(files)];
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: all }));
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  return spawnSync(process.execPath, [tsc, "-p", project], { cwd: project, encoding: "utf8" }).stdout;
}

/** The TypeScript of a page of `docs/`, each block a module. */
export function parseSnippets(page: string): Record<string, string> {
  const text = readFileSync(fileURLToPath(new URL(`../docs/${page}`, import.meta.url)), "utf8");
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
  return Object.fromEntries(blocks.map(([, block = ""], index) => [`snippet-${index + 1}.ts`, block]));
}
