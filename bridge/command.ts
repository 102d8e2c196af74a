/** `bellwire bridge <broker>`: brings records from a broker to a running service, until it is asked to stop. */
import { type DestinationStream, type Logger, pino } from "pino";
import { systemOutside } from "../src/client/outside.ts";
import { BUILT_IN_TYPES } from "../src/events/event-types.ts";
import { inTime, systemClock } from "../src/lib/clock.ts";
import { secondsMs } from "../src/lib/duration.ts";
import { systemRandom } from "../src/lib/random.ts";
import { createRepeats } from "../src/lib/repeats.ts";
import type { Env } from "../src/lib/settings/option.ts";
import { Bridge, type BridgeNow } from "./bridge.ts";
import { BROKERS } from "./brokers.ts";
import { askForClients, findClients } from "./clients.ts";
import { createBridgeReport } from "./facts.ts";
import { type Intake, findIntake } from "./intake.ts";
import { createBridgeMetrics } from "./metrics.ts";
import type { BridgeConfig } from "./options.ts";
import { type Broker, BrokerUnusable, type Source } from "./port.ts";
import { createPost } from "./post-records.ts";
import { describePassedOver, readBridgeSettings } from "./settings.ts";
import { type WatchServer, startWatchServer } from "./watch-server.ts";

/** The outside world of the command, as the program `bellwire` gives it to all of its own. */
export interface BridgeIo {
  /** The words behind the command's name. */
  readonly args: readonly string[];
  readonly env: Env;
  /** Write a line for people. */
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Standard output, for the log. */
  readonly logOutput: DestinationStream;
  /** Resolves when the process is asked to stop. */
  readonly stopAsked: Promise<void>;
}

const NAMES = Object.keys(BROKERS).join("|");

const USAGE = `Usage: bellwire bridge ${NAMES}`;
const HELP = `${USAGE}

Takes records from a broker, hands them to a running service, and acknowledges a message only after its result. Runs
until it is stopped; any number of bridges may share a source. Settings come from BELLWIRE_BRIDGE_* variables and
BELLWIRE_API_KEY; bridge/README.md explains them.`;

/** A broker that is still starting is there after a while. */
const OPEN_AGAIN_MS = secondsMs(2);

/** Runs until it is asked to stop, and returns the exit code: 0 stopped, 1 failed, 2 called wrongly. */
export async function bridge(io: BridgeIo): Promise<number> {
  const flag = io.args.find((word) => word.startsWith("-"));
  if (flag === "--help" || flag === "-h") {
    io.out(HELP);
    return 0;
  }
  if (flag !== undefined) return misuse(io, `There is no flag ${flag}.`);
  const [name = "", ...rest] = io.args;
  const broker = BROKERS[name];
  if (broker === undefined || rest.length > 0) return misuse(io, `Name one broker: ${NAMES}`);
  for (const line of describePassedOver(io.env)) io.err(line);
  const config = readBridgeSettings(io.env);
  if (!config.ok)
    return refuse(
      io,
      config.error.map(({ path, message }) => `${path} ${message}`),
    );
  const log = createLog(config.value.logLevel, io.logOutput);
  const intake = findIntake(config.value, io.env, { clock: systemClock, news: keyNews(log) });
  if (!intake.ok) return refuse(io, [intake.error]);
  return await run(io, { broker, config: config.value, intake: intake.value, log });
}

function misuse(io: BridgeIo, mistake: string): 2 {
  io.err(`${mistake}\n\n${USAGE}\n\nbellwire bridge --help explains it.`);
  return 2;
}

/** Lines as the service's log has them. */
const createLog = (level: string, output: DestinationStream): Logger => {
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters }, output);
};

const keyNews = (log: Logger) => ({
  changed: (name: string) => log.info({ name }, "secret.changed"),
  refused: (name: string, reason: string) => log.warn({ name, reason }, "secret.refused"),
});

interface Setting {
  readonly broker: Broker;
  readonly config: BridgeConfig;
  readonly intake: Intake;
  readonly log: Logger;
}

async function run(io: BridgeIo, setting: Setting): Promise<number> {
  const { broker, config, intake, log } = setting;
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
  stack.use(findClients(broker, config.dataDir));
  const source = await open(io, setting, (what, error) => report.brokerFailed({ what, error }));
  if (source === "stopped") return 0;
  if (source === "unusable") return 1;
  const post = createPost({
    url: intake.url,
    get key() {
      return intake.key();
    },
    outside: systemOutside,
  });
  const running = new Bridge({ source, post, rules: config, clock: systemClock, random: systemRandom, report });
  now = () => running.now();
  running.start();
  log.info({ broker: broker.title, port: watch.port, service: intake.url }, "bridge.started");
  io.err(`The bridge from ${broker.title} to ${intake.url} is running; metrics at port ${watch.port}.`);
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

async function startWatch(io: BridgeIo, config: BridgeConfig, { now, registry }: Watched): Promise<WatchServer | null> {
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
  io: BridgeIo,
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
      const fault = findFault({ broker, config }, error);
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
function findFault({ broker, config }: Pick<Setting, "broker" | "config">, error: unknown): string | null {
  if (error instanceof BrokerUnusable) return error.message;
  const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
  return isMissing ? askForClients(broker, config.dataDir) : null;
}

const opening = ({ title }: Broker): BridgeNow => ({
  inHand: 0,
  queuesHeld: 0,
  waiting: null,
  trouble: `The bridge has no connection to ${title} yet.`,
});

function refuse(io: BridgeIo, faults: readonly string[]): 1 {
  io.err("The bridge cannot start with these settings:");
  for (const fault of faults) io.err(`  ${fault}`);
  return 1;
}
