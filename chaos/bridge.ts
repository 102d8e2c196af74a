/**
 * `--bridge nats` (or another broker): a bridge beside a real Bellwire is killed, its broker crashes, Bellwire is away.
 * Each message must end as exactly one event or, when it is refused, in the dead letters with its reason.
 */
import assert from "node:assert/strict";
import { type Stage, openStage, toMessage } from "../bridge/conformance/stage.ts";
import { uuid } from "../bridge/conformance/ids.ts";
import type { OpenBroker, TestBroker, TestMessage, TestSource } from "../test/kit/brokers/broker.ts";
import { openKafkaBroker } from "../test/kit/brokers/kafka.ts";
import { openNatsBroker } from "../test/kit/brokers/nats.ts";
import { openRabbitBroker } from "../test/kit/brokers/rabbitmq.ts";
import { openSqsBroker } from "../test/kit/brokers/sqs.ts";
import { eventually, pause, soon } from "../test/kit/wait.ts";
import { type Outcome, type Scenario, kept, skipped } from "./scenario.ts";

const BROKERS: Readonly<Record<string, () => OpenBroker | Promise<OpenBroker>>> = {
  nats: openNatsBroker,
  kafka: openKafkaBroker,
  sqs: openSqsBroker,
  rabbitmq: openRabbitBroker,
};

export const BRIDGES = Object.keys(BROKERS);

/** One message in so many has no account and is refused. */
const REFUSED_EVERY = 25;
/** Messages for each event. */
const MESSAGES_PER_EVENT = REFUSED_EVERY / (REFUSED_EVERY - 1);
const TEN_MINUTES_MS = 600_000;
const SETTLED_MS_MAX = 180_000;

export function bridgeScenarios(name: string): readonly Scenario[] {
  const open = BROKERS[name];
  if (open === undefined) throw new Error(`there is no bridge from "${name}"`);
  const scenario = (word: string, run: (trial: Trial, isQuick: boolean) => Promise<string>): Scenario => ({
    name: word,
    forMsMax: TEN_MINUTES_MS,
    run: async ({ isQuick }) => await onStage(name, await open(), (trial) => run(trial, isQuick)),
  });
  return [scenario("kills", kills), scenario("broker", brokerCrashes), scenario("away", bellwireAway)];
}

interface Trial {
  readonly name: string;
  readonly stage: Stage;
  readonly broker: TestBroker;
  readonly source: TestSource;
}

async function onStage(name: string, found: OpenBroker, run: (trial: Trial) => Promise<string>): Promise<Outcome> {
  if ("missing" in found) return skipped(found.missing);
  await using broker = await found.start();
  await using stage = await openStage();
  const source = await broker.createSource();
  return kept(`${broker.name}: ${await run({ name, stage, broker, source })}`);
}

async function kills(trial: Trial, isQuick: boolean): Promise<string> {
  const { stage } = trial;
  const killsMax = isQuick ? 3 : 20;
  await using load = startLoad(trial);
  for (let done = 0; done < killsMax; done += 1) {
    await using bridge = spawn(trial);
    const known = stage.eventCount();
    const some = eventually("events of this bridge", () => stage.eventCount() > known + 40, SETTLED_MS_MAX);
    await Promise.race([some, endedEarly(bridge)]);
    bridge.kill("SIGKILL");
    await bridge.exited;
  }
  return `${killsMax} kills -9, ${await settle(trial, load)}`;
}

async function brokerCrashes(trial: Trial, isQuick: boolean): Promise<string> {
  const { stage, broker } = trial;
  const crashes = isQuick ? 1 : 5;
  await using load = startLoad(trial);
  await using bridge = spawn(trial);
  for (let done = 0; done < crashes; done += 1) {
    const known = stage.eventCount();
    const some = eventually("events", () => stage.eventCount() > known + 40, SETTLED_MS_MAX);
    await Promise.race([some, endedEarly(bridge)]);
    await broker.restart(() => pause(2_000));
  }
  return `${crashes} crashes of the broker, ${await settle(trial, load)}`;
}

async function bellwireAway(trial: Trial, isQuick: boolean): Promise<string> {
  const { stage } = trial;
  await using load = startLoad(trial);
  await using bridge = spawn(trial);
  const some = eventually("100 events", () => stage.eventCount() >= 100, SETTLED_MS_MAX);
  await Promise.race([some, endedEarly(bridge)]);
  stage.network.weather = { kind: "reset" };
  const awayMs = isQuick ? 5_000 : 60_000;
  const known = stage.network.brokenCount();
  await pause(awayMs);
  const tries = stage.network.brokenCount() - known;
  stage.network.weather = { kind: "clear" };
  const found = await settle(trial, load);
  return `Bellwire away for ${awayMs / 1000} s (${tries} tries meanwhile), ${found}`;
}

const spawn = ({ stage, name, source }: Trial) =>
  stage.spawnBridge(name, source, { BELLWIRE_BRIDGE_IN_HAND_MAX: "100", BELLWIRE_LOG_LEVEL: "warn" });

async function endedEarly({ exited, err }: ReturnType<typeof spawn>): Promise<never> {
  const { code } = await exited;
  throw new Error(`the bridge ended with ${code}: ${err.text}`);
}

interface Load extends AsyncDisposable {
  /** Publishes no more; the number of messages that the broker has. */
  end(): Promise<number>;
}

/** Enough for a bridge to be busy all the time; more would only be waited for at the end. */
const WAITING_MAX = 3_000;

/** Publishes a few messages at a time, about 400 a second, until it is ended. */
function startLoad({ source, stage }: Trial): Load {
  let isEnding = false;
  let published = 0;
  async function publish(): Promise<number> {
    while (!isEnding) {
      if (published - stage.eventCount() * MESSAGES_PER_EVENT > WAITING_MAX) {
        await pause(50);
        continue;
      }
      await source.publish(Array.from({ length: 20 }, (_, index) => messageOf(published + index)));
      published += 20;
      await pause(50);
    }
    return published;
  }
  const running = publish();
  running.catch(() => {});
  const end = (): Promise<number> => {
    isEnding = true;
    return running;
  };
  return {
    end,
    async [Symbol.asyncDispose]() {
      await end().catch(() => {});
    },
  };
}

const isRefused = (number: number): boolean => number % REFUSED_EVERY === 0;
const messageOf = (number: number): TestMessage => toMessage(number, isRefused(number) ? { isNameless: true } : {});

/** Lets a bridge finish, and counts. */
async function settle(trial: Trial, load: Load): Promise<string> {
  const { stage, source } = trial;
  const published = await soon(load.end(), "the last messages to be published");
  const startedMs = performance.now();
  await using stack = new AsyncDisposableStack();
  stack.use(spawn(trial));
  await eventually(
    "every message to be acknowledged",
    async () => (await source.unacknowledged()) === 0,
    SETTLED_MS_MAX,
  );
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const numbers = Array.from({ length: published }, (_, number) => number);
  const events = stage.events().map(({ account, type, id }) => `${account} ${type} ${id}`);
  const expected = numbers.filter((number) => !isRefused(number)).map(toLine);
  const lost = expected.length - new Set(events).intersection(new Set(expected)).size;
  const doubled = events.length - new Set(events).size;
  const letters = await source.deadLetters();
  assert.deepEqual({ lost, doubled, events: events.length }, { lost: 0, doubled: 0, events: expected.length });
  for (const { headers } of letters) assert.equal(headers["bellwire-reason"], "no_account");
  const refused = new Set(letters.map(({ body }) => (JSON.parse(body) as { id: string }).id));
  assert.deepEqual(refused, new Set(numbers.filter(isRefused).map(uuid)));
  return (
    `${published} messages: ${events.length} events, 0 lost, 0 doubled, ${refused.size} refused in ` +
    `${letters.length} dead letters; all acknowledged ${seconds} s after the last was published`
  );
}

function toLine(number: number): string {
  const { account, event } = toMessage(number);
  return `${account} ${event} ${uuid(number).replaceAll("-", "")}`;
}
