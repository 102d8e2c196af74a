/**
 * Sets a run up: store, machines, receivers, users and observers, each with dice of its own. Nothing has
 * happened yet when it returns, save that accounts, alerts and assistants are there.
 */
import { createAccountCache } from "../src/accounts/account-cache.ts";
import { secretContext } from "../src/accounts/secrets.ts";
import type { AccountsContext } from "../src/accounts/context.ts";
import { daysMs, minutesMs } from "../src/lib/duration.ts";
import { SEAL_KEY_BYTES, type Sealer, createSealer } from "../src/lib/seal.ts";
import type { Store } from "../src/store/contract/store.ts";
import { START_MS } from "../test/kit/world/virtual-clock.ts";
import { type Chance, createChance } from "./chance.ts";
import { type Cluster, createCluster } from "./cluster.ts";
import { createFates } from "./fates.ts";
import type { Swarm } from "./faults.ts";
import { type Fact, type History, createHistory } from "./history.ts";
import type { World } from "./invariants/invariant.ts";
import { type Ledger, createLedger } from "./ledger/ledger.ts";
import { type Movers, startMovers } from "./moves/movers.ts";
import type { Mutant } from "./mutant.ts";
import { startOwners } from "./owners.ts";
import { createReceivers } from "./receivers.ts";
import { wakeAtMs } from "./rest.ts";
import { addWebhooks, beginOrders, DESTINATIONS_MAX, setUpAccounts } from "./set-up.ts";
import { type Simulator, createSimulator } from "./simulator.ts";
import { createSometimes } from "./sometimes.ts";
import { type Source, startSource } from "./source.ts";
import { createStoreWeather } from "./store-weather.ts";
import { openStores, type Stores } from "./stores.ts";
import { TYPES } from "./event-types.ts";
import { startUpgrade } from "./upgrade.ts";
import { type Watch, createWatch } from "./watch.ts";

/** Short runs see many faults at once, long ones see schedules through to their end. */
const FAULTS_MS = [minutesMs(2), minutesMs(10), daysMs(6)] as const;

export interface Stage {
  readonly swarm: Swarm;
  readonly stores: Stores;
  /** `null`: accounts stay where they are. */
  readonly movers: Movers | null;
  readonly sim: Simulator;
  readonly ledger: Ledger;
  readonly history: History;
  readonly cluster: Cluster;
  readonly source: Source;
  readonly watch: Watch;
  readonly world: World;
  /** For so long there may be faults. */
  readonly faultsMs: number;
  /** Names of interesting states. */
  readonly reached: () => readonly string[];
  /** Ends all faults. */
  heal(): void;
}

export interface StageOptions {
  readonly seed: number;
  readonly swarm: Swarm;
  readonly mutant: Mutant;
}

export async function stageRun({ seed, swarm, mutant }: StageOptions): Promise<Stage> {
  const stream = (name: string) => createChance(seed, name);
  const shape = stream("shape");
  const faultsMs = shape.pick(FAULTS_MS);
  const machines = shape.between(1, 3);
  let areFaultsOn = true;
  const sim = createSimulator({
    chance: stream("order"),
    wakeAtMs: () => wakeAtMs(sim, ledger, cluster.clockAheadMs()),
  });
  const switches = { swarm, areFaultsOn: () => areFaultsOn };
  const onLoss = (open: number): void => history.add({ kind: "memory_lost", open });
  const losses = { ...switches, chance: stream("memory_lost"), nowMs: sim.nowMs, onLoss };
  const stores = openStores(losses, mutant, sim);
  const weather = createStoreWeather({ sim, stream, ...switches });
  const sealer = createSealer(new Uint8Array(SEAL_KEY_BYTES).fill(1), stream("sealer"));
  const receivers = createReceivers({ ...switches, chance: stream("receivers"), count: DESTINATIONS_MAX + 2 });
  const isShared = machines > 1;
  const ofUpgrade = { chance: stream("upgrade"), shards: stores.shards, history: () => history };
  const upgrade = startUpgrade({ sim, swarm, ...ofUpgrade });
  const isCalm = swarm.isCalm("infrastructure") && stores.servers === null;
  const world: World = createWorld({ swarm, receivers, nowMs: sim.nowMs, isShared }, sealer, {
    isFirm: (id) => isCalm && !weather.wasAway(stores.shardOf(id)) && upgrade?.wasBehind(stores.shardOf(id)) !== true,
    ledger: () => ledger,
    source: () => source,
  });
  const watch = createWatch();
  const sometimes = createSometimes();
  const ledger: Ledger = createLedger({ store: stores.real, history: () => history, nowMs: sim.nowMs });
  const listen = (fact: Fact) => {
    watch.see(fact, world);
    sometimes.see(fact, ledger);
  };
  const history: History = createHistory(sim.nowMs, [listen]);
  const setUp = setUpContext(stores.real, sealer, stream("set-up"));
  const plain = await setUpAccounts(setUp, stream("set-up"), receivers.hosts);
  const more = { accounts: plain, hosts: receivers.hosts };
  const chosen = swarm.isOn("webhooks") ? await addWebhooks(setUp, stream("webhooks"), more) : plain;
  if (swarm.isOn("order")) await beginOrders(setUp, chosen);
  for (const { id } of chosen) await ledger.configs.refresh(id);
  const fates = createFates(swarm, stream, switches.areFaultsOn);
  const ofRun = { ...switches, sim, stores, history, weather, upgrade, mutant, stream };
  const movers = startMovers({ ...ofRun, accounts: chosen, faultsMs });
  const path = { ...ofRun, movers, ledger, fates, receivers, sealer };
  const cluster: Cluster = createCluster({ around: { ...path, isShared }, machines });
  const users = { sim, swarm, cluster, history, accounts: chosen, faultsMs };
  const source = startSource({ ...users, chance: stream("source"), chanceOfDeclared: stream("declared") });
  startOwners({ ...users, ledger, chance: stream("owners"), hosts: receivers.hosts });
  return {
    swarm,
    stores,
    movers,
    sim,
    ledger,
    history,
    cluster,
    source,
    watch,
    world,
    faultsMs,
    reached: sometimes.reached,
    heal() {
      areFaultsOn = false;
      cluster.heal();
      upgrade?.heal();
      movers?.heal();
      history.add({ kind: "healed" });
    },
  };
}

interface Later extends Pick<World, "isFirm"> {
  readonly ledger: () => Ledger;
  readonly source: () => Source;
}

type Known = Pick<World, "swarm" | "receivers" | "nowMs" | "isShared">;

/** Ledger and source are there before the first fact that asks for them. */
const createWorld = (known: Known, sealer: Sealer, { isFirm, ledger, source }: Later): World => ({
  ...known,
  isFirm,
  get ledger() {
    return ledger();
  },
  findAssistant: (sourceId) => source().findAssistant(sourceId),
  findSecret: (accountId) => openSecret(ledger(), sealer, accountId),
});

function openSecret(ledger: Ledger, sealer: Sealer, accountId: string): string {
  const sealed = ledger.configs.latest(accountId)?.secrets.current.sealed ?? "";
  return sealer.open(sealed, secretContext(accountId));
}

function setUpContext(store: Store, sealer: Sealer, random: Chance): AccountsContext {
  const clock = { nowMs: () => START_MS, monotonicMs: () => 0, after: () => () => {} };
  return {
    store,
    types: TYPES,
    accounts: createAccountCache({ store, sealer, clock, isShared: false }),
    sealer,
    clock,
    random,
    checkUrl: () => Promise.resolve(null),
    signatureHeader: "x-service-signature",
    publicUrl: () => "https://bellwire.example.com",
  };
}
