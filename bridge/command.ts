/** `bellwire bridge <broker>`: brings records from a broker to a running service, until it is asked to stop. */
import { Bridge, type BridgeNow } from "./bridge.ts";
import { BROKERS } from "./brokers.ts";
import { createBridgeReport } from "./facts.ts";
import { createBridgeMetrics } from "./metrics.ts";
import { type Broker, BrokerUnusable, type Source } from "./port.ts";
import { createPost } from "./post-records.ts";
import { type WatchServer, startWatchServer } from "./watch-server.ts";
import { systemOutside } from "../src/client/outside.ts";
import type { Config } from "../src/config/options.ts";
import { BUILT_IN_TYPES } from "../src/events/event-types.ts";
import { inTime, systemClock } from "../src/lib/clock.ts";
import { secondsMs } from "../src/lib/duration.ts";
import { systemRandom } from "../src/lib/random.ts";
import { type Logger, createLog } from "../src/observe/log.ts";
import { createRepeats } from "../src/observe/repeats.ts";
import { misuse, readArgumentsWithWords } from "../src/commands/arguments.ts";
import type { CommandIo, LongCommand, LongCommandIo } from "../src/commands/command.ts";
import { type ServiceAccess, resolveAccess } from "../src/commands/service-access.ts";
import { followFiles, readSettings } from "../src/commands/start-up.ts";

const NAMES = Object.keys(BROKERS).join("|");

const HELP = `Usage: bellwire bridge ${NAMES}

Takes records from a broker, hands them to a running service, and acknowledges a message only after its result. Runs
until it is stopped; any number of bridges may share a source. Settings come from BELLWIRE_BRIDGE_* variables and
BELLWIRE_API_KEY; bridge/README.md explains them.`;

/** A broker that is still starting is there after a while. */
const OPEN_AGAIN_MS = secondsMs(2);

export const bridge: LongCommand = async (io) => {
  const given = readArgumentsWithWords(io, HELP, { help: { type: "boolean" } });
  if (given.kind === "done") return given.exitCode;
  const [name = "", ...rest] = given.words;
  const broker = BROKERS[name];
  if (broker === undefined || rest.length > 0) return misuse(io, HELP, `Name one broker: ${NAMES}`);
  const config = readSettings(io);
  if (config === null) return 1;
  const missing = missingSettings(config);
  if (missing.length > 0) return refuse(io, missing);
  const access = resolveAccess(config.bridgeServiceUrl === null ? {} : { url: config.bridgeServiceUrl }, config);
  if (!access.ok) return refuse(io, [access.error]);
  const log = createLog(config.logLevel, io.logOutput);
  return await run(io, { broker, config, access: access.value, log });
};

interface Setting {
  readonly broker: Broker;
  readonly config: Config;
  readonly access: ServiceAccess;
  readonly log: Logger;
}

async function run(io: LongCommandIo, setting: Setting): Promise<number> {
  const { broker, config, access, log } = setting;
  let now = (): Promise<BridgeNow> => Promise.resolve(opening(broker));
  // A bridge reads no declarations: a type of an operator's own is counted from its first record on.
  const metrics = createBridgeMetrics(
    () => now(),
    BUILT_IN_TYPES.all.map(({ type }) => type),
  );
  const repeats = createRepeats(log, systemClock);
  const report = createBridgeReport({ log, metrics, repeats });
  const watch = await startWatch(io, config, { now: () => now(), registry: metrics.registry });
  if (watch === null) return 1;
  await using stack = new AsyncDisposableStack();
  stack.use(watch);
  stack.defer(() => repeats.stop());
  const source = await open(io, setting, (what, error) => report.brokerFailed({ what, error }));
  if (source === "stopped") return 0;
  if (source === "unusable") return 1;
  const { keys } = followFiles({ env: io.env, log }, config, { apiKeys: [access.key] });
  const post = createPost({
    url: access.url,
    get key() {
      return keys.apiKeys[0] ?? access.key;
    },
    outside: systemOutside,
  });
  const running = new Bridge({ source, post, rules: config, clock: systemClock, random: systemRandom, report });
  now = () => running.now();
  running.start();
  log.info({ broker: broker.title, port: watch.port, service: access.url }, "bridge.started");
  io.err(`The bridge from ${broker.title} to ${access.url} is running; metrics at port ${watch.port}.`);
  await io.stopAsked;
  log.info({ deadline_ms: config.shutdownDeadlineMs }, "bridge.stopping");
  await running.stop(config.shutdownDeadlineMs);
  io.err("The bridge has stopped.");
  return 0;
}

interface Watched {
  readonly now: () => Promise<BridgeNow>;
  readonly registry: ReturnType<typeof createBridgeMetrics>["registry"];
}

async function startWatch(io: CommandIo, config: Config, { now, registry }: Watched): Promise<WatchServer | null> {
  const { host, bridgePort: port } = config;
  const metrics = async () => ({ text: await registry.metrics(), contentType: registry.contentType });
  return await startWatchServer({ host, port, now, metrics }).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    io.err(
      `The bridge cannot listen on ${host}:${port} (${code}). Set BELLWIRE_HOST and BELLWIRE_BRIDGE_PORT to free ones.`,
    );
    return null;
  });
}

/** Connects, again and again while the broker cannot be reached. */
async function open(
  io: CommandIo,
  { broker, config }: Setting,
  report: (what: string, error: unknown) => void,
): Promise<Source | "stopped" | "unusable"> {
  const context = { settings: config, clock: systemClock, inHandMax: config.bridgeInHandMax, report };
  let isStopped = false;
  const stopped = io.stopAsked.then(() => (isStopped = true));
  while (!isStopped) {
    try {
      return await broker.open(context);
    } catch (error) {
      const fault = findFault(broker, error);
      if (fault !== null) {
        io.err(fault);
        return "unusable";
      }
      report("connect", error);
      await inTime(systemClock, OPEN_AGAIN_MS, stopped);
    }
  }
  return "stopped";
}

/** What a person must mend; `null` when waiting may help. */
function findFault({ title, packages }: Broker, error: unknown): string | null {
  if (error instanceof BrokerUnusable) return error.message;
  const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
  if (!isMissing) return null;
  const what = packages.length === 1 ? "its client" : "its clients";
  return `The bridge to ${title} needs ${what}: npm install --save-exact ${packages.join(" ")}`;
}

const opening = ({ title }: Broker): BridgeNow => ({
  inHand: 0,
  queuesHeld: 0,
  waiting: null,
  trouble: `The bridge has no connection to ${title} yet.`,
});

function missingSettings(config: Config): string[] {
  const needed = {
    BELLWIRE_BRIDGE_BROKER: config.bridgeBroker[0],
    BELLWIRE_BRIDGE_SOURCE: config.bridgeSource,
    BELLWIRE_BRIDGE_DEAD_LETTERS: config.bridgeDeadLetters,
  };
  return Object.entries(needed).flatMap(([variable, value]) =>
    (value ?? "") === "" ? [`${variable} must be set; bridge/README.md says to what`] : [],
  );
}

function refuse(io: CommandIo, faults: readonly string[]): 1 {
  io.err("The bridge cannot start with these settings:");
  for (const fault of faults) io.err(`  ${fault}`);
  return 1;
}
