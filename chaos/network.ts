/**
 * Bad weather between the service and its receivers, one kind after the other, under load, by a proxy of our own. When
 * it clears up everything arrives. A delivery may come twice only when the weather spoilt the attempt that had
 * arrived.
 */
import assert from "node:assert/strict";
import { type ReceivedRequest, type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { pause } from "../test/kit/wait.ts";
import { type Scenario, type ScenarioOptions, kept } from "./scenario.ts";
import { type Scene, conclude, openScene, summarize } from "./scene.ts";
import { type TcpProxy, type Weather, startTcpProxy } from "../test/kit/servers/tcp-proxy.ts";

interface Spell {
  readonly weather: Weather;
  readonly seconds: number;
}

const SPELLS: readonly Spell[] = [
  { weather: { kind: "latency", ms: 300 }, seconds: 5 },
  { weather: { kind: "lost_answer" }, seconds: 3 },
  { weather: { kind: "reset" }, seconds: 3 },
  { weather: { kind: "cut" }, seconds: 3 },
  // Longer than an attempt's deadline, so that some end by it.
  { weather: { kind: "black_hole" }, seconds: 18 },
];
const QUICK_FACTOR = 0.3;
/** Clear for a moment in between: the next weather should meet open connections. */
const BETWEEN_MS = 1_000;

/**
 * An attempt that bad weather spoilt began at most this long before it, and its answer came at most this long after it.
 */
const ATTEMPT_MS_MAX = 15_000;
const ANSWER_MS_MAX = 1_000;

/** The breaker's rests are 30 s and then longer; after each of them one trial tells that the weather is clear. */
const DRAIN_MS_MAX = 180_000;

export const network: Scenario = {
  name: "network",
  forMsMax: 330_000,
  async run(options) {
    await using receiver = await startReceiver();
    await using proxy = await startTcpProxy(receiver.port);
    await using scene = await openProxiedScene(options, receiver, proxy);
    const spells = await passThrough(scene, proxy, options.isQuick ? QUICK_FACTOR : 1);
    const found = await conclude(scene, DRAIN_MS_MAX);
    assert.ok(proxy.brokenCount() > 0, "the weather broke no connection: nothing was shown");
    const unexplained = repeatsInClearWeather(receiver.requests, spells);
    assert.deepEqual(unexplained, [], "sent twice although nothing spoilt the first time");
    const kinds = SPELLS.map(({ weather }) => weather.kind).join(", ");
    return kept(`${kinds}: ${summarize(found)} after it cleared up, ${proxy.brokenCount()} connections broken`);
  },
};

/** Some destinations are reached through the proxy and some straight, on one receiver. */
async function openProxiedScene({ folder }: ScenarioOptions, receiver: Receiver, proxy: TcpProxy): Promise<Scene> {
  const proxied = Array.from({ length: 8 }, (_, place) => [`proxied-${place}`, `${proxy.url}/${place}`]);
  const assistants = Object.fromEntries([...proxied, ["straight", `${receiver.url}/straight`]]) as Record<
    string,
    string
  >;
  const alerts = [{ url: `${proxy.url}/alert` }];
  return await openScene({ folder, receivers: [receiver], alerts, assistants, callers: 2, retriesSoon: true });
}

interface Past {
  readonly fromMs: number;
  readonly toMs: number;
}

async function passThrough({ load }: Scene, proxy: TcpProxy, factor: number): Promise<Past[]> {
  const spells: Past[] = [];
  for (const { weather, seconds } of SPELLS) {
    await load.during(pause(BETWEEN_MS));
    const fromMs = Date.now();
    proxy.weather = weather;
    await load.during(pause(seconds * 1000 * factor));
    proxy.weather = { kind: "clear" };
    // Latency breaks nothing, so it explains nothing.
    if (weather.kind !== "latency") spells.push({ fromMs, toMs: Date.now() });
  }
  return spells;
}

/** Ids of deliveries that came again although no weather was near when they came before. */
function repeatsInClearWeather(requests: readonly ReceivedRequest[], spells: readonly Past[]): string[] {
  const last = new Map<string, ReceivedRequest>();
  return requests.flatMap((request) => {
    const id = request.headers["webhook-id"] ?? "";
    const before = last.get(id);
    last.set(id, request);
    return before === undefined || spells.some((spell) => mayHaveSpoilt(spell, before.atMs)) ? [] : [id];
  });
}

const mayHaveSpoilt = ({ fromMs, toMs }: Past, arrivedAtMs: number): boolean =>
  arrivedAtMs > fromMs - ANSWER_MS_MAX && arrivedAtMs < toMs + ATTEMPT_MS_MAX;
