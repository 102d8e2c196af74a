/** `npm run dev`, on a copy of the sources that the test may change. */
import assert from "node:assert/strict";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { newFolder } from "./kit/folder.ts";
import { startChild } from "./kit/process/child.ts";
import { freePort } from "./kit/process/running.ts";
import { eventually, soon } from "./kit/wait.ts";

const ROOT = dirname(import.meta.dirname);
const COPIED = ["bin", "bridge", "src", "tools", "examples", "package.json", "package-lock.json", "tsconfig.json"];

test("shows page and service, brings changes of both to the browser, and ends both", { timeout: 120_000 }, async () => {
  using folder = newFolder();
  const copy = join(folder.path, "bellwire");
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  cpSync(join(ROOT, "web"), join(copy, "web"), { recursive: true, filter: (path) => !path.endsWith("/dist") });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"), "junction");
  const port = await freePort();
  const env = { BELLWIRE_DATA_DIR: join(folder.path, "data"), BELLWIRE_LOG_LEVEL: "silent" };
  await using dev = startChild({ args: [join(copy, "tools", "dev.ts"), "--port", String(port)], cwd: copy, env });
  // Also when the test fails: only so does it end what it has started.
  await using stopping = new AsyncDisposableStack();
  stopping.defer(async () => {
    dev.kill("SIGINT");
    await soon(dev.exited, "the end of `npm run dev`");
  });
  const read = async (path: string): Promise<string> =>
    await fetch(`http://localhost:${port}${path}`).then(
      (answer) => answer.text(),
      (error: unknown) => String(error),
    );
  const [, servicePort] = await dev.err.match(/the service behind it at http:\/\/localhost:(\d+)/);
  await eventually("the service to answer", async () => (await read("/healthz")).includes('"alive"'));
  assert.match(await read("/settings/alerts"), /<script type="module" src="\/main\.tsx/);
  assert.match(await read("/main.tsx"), /createRoot/);

  change(join(copy, "web", "main.tsx"), (text) => `${text}\nexport const CHANGED_PAGE = 1;\n`);
  await eventually("the changed page", async () => (await read("/main.tsx")).includes("CHANGED_PAGE"));
  change(join(copy, "src", "http", "health.ts"), (text) => text.replace('status: "alive"', 'status: "changed"'));
  await eventually("the changed service", async () => (await read("/healthz")).includes('"changed"'));

  await stopping.disposeAsync();
  assert.equal((await dev.exited).code, 0, dev.err.text);
  await assert.rejects(fetch(`http://localhost:${port}/`));
  await assert.rejects(fetch(`http://127.0.0.1:${servicePort}/healthz`));
});

function change(path: string, edit: (text: string) => string): void {
  const before = readFileSync(path, "utf8");
  const after = edit(before);
  assert.notEqual(after, before);
  writeFileSync(path, after);
}
