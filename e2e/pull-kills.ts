/**
 * Two programs share a token and ask under load, one of them by `bellwire/client/pull`, while they and the service are
 * killed with `kill -9`, again and again. Asserts that each event that was acknowledged to the back end is handled and
 * delivered, that nothing was acknowledged which was not handled, and that none comes again whose claim a program had
 * acknowledged.
 */
import assert from "node:assert/strict";
import { appendFileSync, closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openApp, setUpAccount } from "../test/kit/process/account.ts";
import type { AskingJob } from "../test/kit/process/asking-program.ts";
import { type Child, startChild } from "../test/kit/process/child.ts";
import { checkIntegrity, deliveryStates, pendingDeliveries } from "../test/kit/process/database-file.ts";
import { startLoad } from "../test/kit/process/oracle.ts";
import { ACCOUNT, drained, freePort, type Running, startService } from "../test/kit/process/running.ts";
import { newFolder } from "../test/kit/folder.ts";
import { eventually, soon } from "../test/kit/wait.ts";
import { createPulled } from "../test/kit/world/alerts.ts";

const PROGRAM = join(import.meta.dirname, "..", "test", "kit", "process", "asking-program.ts");
/** Short, so that what a killed program held comes again soon. */
const HOLD_SECONDS = 2;

/** A hundred thousand take 134 s on two cores. */
const ENOUGH_MS = 1_200_000;

export interface Kills {
  readonly ofService: number;
  readonly ofPrograms: number;
  /** At least, before the end. */
  readonly events: number;
}

export async function pullUnderKills(t: TestContext, kills: Kills): Promise<void> {
  using folder = newFolder();
  const dataDir = `${folder.path}/data`;
  await setUpAccount({ dataDir });
  const token = await makeToken(dataDir);
  const options = { dataDir, port: await freePort(), env: { BELLWIRE_LOG_LEVEL: "warn" } };
  let service: Running = await startService(options);
  const book = createBook(join(folder.path, "book"));
  const asking = { url: service.url, token, file: book.file, holdSeconds: HOLD_SECONDS };
  const start = (isByClient: boolean): Child => startProgram({ ...asking, limit: isByClient ? 100 : 7, isByClient });
  const programs = [start(true), start(false)];
  const load = startLoad(folder.path, [service], { assistants: ["bot"], callers: 8 });
  await using processes = new AsyncDisposableStack();
  processes.defer(() => service[Symbol.asyncDispose]());
  processes.use(load.child);
  processes.defer(async () => void (await Promise.all(programs.map((program) => program[Symbol.asyncDispose]()))));

  const all = kills.ofService + kills.ofPrograms;
  for (let kill = 0; kill < all; kill += 1) {
    const wanted = Math.min(book.countGot() + 20 + Math.floor(Math.random() * 150), kills.events);
    await load.during(eventually("messages are handed out", async () => book.countGot() >= wanted));
    // Evenly mixed: some program kills before each of the service.
    if (isOfService(kill, kills)) {
      await service.crash();
      service = await startService(options);
    } else {
      const place = kill % 2;
      programs[place]?.kill("SIGKILL");
      programs[place] = start(place === 0);
    }
  }
  const died = programs.map(async ({ exited, err }) => {
    const { code } = await exited;
    throw new Error(`a program that asks has ended with ${code}:\n${err.text}`);
  });
  const enough = eventually("enough is handed out", async () => book.countGot() >= kills.events, ENOUGH_MS);
  await load.during(Promise.race([enough, ...died]), ENOUGH_MS);
  const acknowledged = await load.end();
  await drained(service);
  for (const program of programs) program.endInput();
  for (const { exited, err } of programs) assert.equal((await soon(exited, "a program's end")).code, 0, err.text);
  const { code } = await service.stop();

  const { got, handled, acked, lost } = book.read();
  const missing = [...acknowledged.keys()].filter((sourceId) => !handled.has(sourceId));
  const unhandled = got.filter(({ claim, sourceId }) => acked.has(claim) && !handled.has(sourceId));
  const again = findAgain(got);
  const wrongly = again.filter(({ earlier }) => acked.has(earlier));
  t.diagnostic(
    `${kills.ofService} kills of the service, ${kills.ofPrograms} of programs: ${acknowledged.size} acknowledged to ` +
      `the back end, ${missing.length} lost, ${again.length} handed out again, ${wrongly.length} of them wrongly; ` +
      `${lost} claims were lost`,
  );
  assert.equal(code, 0);
  assert.deepEqual(missing, []);
  assert.deepEqual(unhandled, [], "acknowledged unread");
  assert.deepEqual(wrongly, [], "each again only where its claim was not acknowledged");
  assert.deepEqual(deliveryStates(dataDir), ["delivered"]);
  assert.equal(pendingDeliveries(dataDir).size, 0);
  assert.equal(checkIntegrity(dataDir), "ok");
}

const isOfService = (kill: number, { ofService, ofPrograms }: Kills): boolean => {
  const every = Math.floor((ofService + ofPrograms) / ofService);
  return kill % every === every - 1 && Math.floor(kill / every) < ofService;
};

async function makeToken(dataDir: string): Promise<string> {
  await using app = await openApp({ dataDir });
  return (await createPulled(app.accounts, { accountId: ACCOUNT })).token;
}

const startProgram = (job: AskingJob): Child =>
  startChild({ args: [PROGRAM], env: { ASKING_JOB: JSON.stringify(job) } });

interface Got {
  readonly claim: string;
  readonly id: string;
  readonly sourceId: string;
}

interface Book {
  readonly file: string;
  /** Each message once. */
  countGot(): number;
  read(): {
    readonly got: readonly Got[];
    /** Source ids. */
    readonly handled: ReadonlySet<string>;
    readonly acked: ReadonlySet<string>;
    readonly lost: number;
  };
}

/** What all programs have written down. A line that a kill cut in its middle was never acknowledged. */
function createBook(file: string): Book {
  appendFileSync(file, "");
  const got: Got[] = [];
  const ids = new Set<string>();
  const handled = new Set<string>();
  const acked = new Set<string>();
  let lost = 0;
  let at = 0;

  function take([kind, claim = "", id = "", sourceId = ""]: readonly string[]): void {
    if (kind === "got" && sourceId !== "") {
      got.push({ claim, id, sourceId });
      ids.add(id);
    } else if (kind === "handled" && sourceId !== "") handled.add(sourceId);
    else if (kind === "acked") acked.add(claim);
    else if (kind === "lost") lost += 1;
  }

  /** Reads on from where it was, whole lines only. */
  function readOn(): void {
    const bytes = Buffer.alloc(statSync(file).size - at);
    using opened = openFile(file);
    readSync(opened.fd, bytes, 0, bytes.length, at);
    const end = bytes.lastIndexOf("\n") + 1;
    at += end;
    for (const line of bytes.toString("utf8", 0, end).split("\n")) take(line.split(" "));
  }

  return {
    file,
    countGot() {
      readOn();
      return ids.size;
    },
    read() {
      readOn();
      return { got, handled, acked, lost };
    },
  };
}

function openFile(path: string): Disposable & { readonly fd: number } {
  const fd = openSync(path, "r");
  return { fd, [Symbol.dispose]: () => closeSync(fd) };
}

/** Messages that were handed out under more than one claim, with the earlier one. */
function findAgain(got: readonly Got[]): { readonly id: string; readonly earlier: string }[] {
  const claims = new Map<string, string>();
  return got.flatMap(({ id, claim }) => {
    const earlier = claims.get(id);
    claims.set(id, claim);
    return earlier === undefined || earlier === claim ? [] : [{ id, earlier }];
  });
}
