/**
 * Account owners who do things while the run goes on: change an address, the Webhooks toggle or the plan, pause a
 * destination, have deliveries sent again. A call that is refused or gets lost is simply not done; only what
 * the store has committed counts.
 */
import { putAccount } from "../src/accounts/put-account.ts";
import { saveAlert } from "../src/accounts/save-alert.ts";
import { setDestinationState } from "../src/accounts/set-destination-state.ts";
import { saveAssistantWebhook } from "../src/accounts/save-assistant-webhook.ts";
import { saveWebhook } from "../src/accounts/save-webhook.ts";
import { secondsMs } from "../src/lib/duration.ts";
import { StoreUnavailable } from "../src/store/contract/store.ts";
import type { Chance } from "./chance.ts";
import type { Cluster } from "./cluster.ts";
import type { FaultName, Swarm } from "./faults.ts";
import type { History } from "./history.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { type Perform, meddle } from "./meddling.ts";
import type { Node } from "./node.ts";
import type { DeliveryRecord } from "./records.ts";
import { OWNER, APP_URL, type SetUpAccount, alertSettings, drawSettings, webhookTo } from "./set-up.ts";
import type { Simulator } from "./simulator.ts";
import { makeAccount } from "../test/kit/make.ts";

export interface OwnersOptions {
  readonly sim: Simulator;
  readonly swarm: Swarm;
  readonly cluster: Cluster;
  readonly history: History;
  /** Deliveries that can be sent again. */
  readonly ledger: Ledger;
  readonly chance: Chance;
  readonly accounts: readonly SetUpAccount[];
  readonly hosts: readonly string[];
  readonly faultsMs: number;
}

const ACTS_MAX = 14;
/** Most records come in these first minutes. */
const EARLY_MS = secondsMs(240);

export function startOwners(options: OwnersOptions): void {
  const { sim, swarm, chance, faultsMs } = options;
  const acts: readonly (readonly [FaultName, readonly Act[]])[] = [
    ["configure", [changeAlert, changeAlert, changeAssistant, changePlan]],
    ["halt", [pause, turnOn]],
    ["resend", [sendAgain, sendAgain, sendNow, sendAllNow]],
    ["replay", [replayAll, replayAll, cancelReplay, keepHouse]],
  ];
  // Late enough for retention to have something to do.
  for (let number = 0; number < ACTS_MAX && swarm.isOn("replay"); number += 1) {
    sim.after(chance.between(0, faultsMs), null, () => performAct(options, keepHouse));
  }
  for (const [name, choices] of acts) {
    for (let number = 0; number < ACTS_MAX; number += 1) {
      const afterMs = chance.between(0, Math.min(chance.happens(0.8) ? EARLY_MS : faultsMs, faultsMs));
      const act = chance.pick(choices);
      if (chance.happens(swarm.rate(name))) sim.after(afterMs, null, () => performAct(options, act));
    }
  }
  startMeddling(options);
  for (let number = 0; number < ACTS_MAX && swarm.isOn("webhooks"); number += 1) {
    const afterMs = chance.between(0, Math.min(EARLY_MS, faultsMs));
    if (chance.happens(swarm.rate("webhooks"))) sim.after(afterMs, null, () => performAct(options, changeWebhook));
  }
}

/** Their moments are other ones than those of the acts above, so that these stay as they are. */
function startMeddling(options: OwnersOptions): void {
  const { sim, swarm, chance, faultsMs } = options;
  const perform: Perform = (act) => performAct(options, (_options, node) => act(node));
  for (let number = 0; number < ACTS_MAX && swarm.isOn("meddle"); number += 1) {
    const afterMs = chance.between(0, Math.min(EARLY_MS, faultsMs));
    if (chance.happens(swarm.rate("meddle"))) sim.after(afterMs, null, () => meddle(options, perform));
  }
}

type Act = (options: OwnersOptions, node: Node, account: SetUpAccount) => Promise<unknown>;

function performAct(options: OwnersOptions, act: Act): void {
  const { sim, cluster, chance, accounts, history } = options;
  const serving = cluster.serving();
  if (serving.length === 0) return;
  const node = chance.pick(serving);
  const account = chance.pick(accounts);
  sim.noteActivity();
  act(options, node, account).catch((error: unknown) => {
    if (!(error instanceof StoreUnavailable)) {
      history.add({ kind: "told_failed", life: node.life, what: "what an owner does", error });
    }
  });
}

async function changeAlert({ chance, hosts }: OwnersOptions, node: Node, account: SetUpAccount): Promise<void> {
  const id = chance.pick(account.alertIds);
  const view = await node.accounts.accounts.load(account.id);
  const alert = view?.alerts.find((candidate) => candidate.alert.id === id);
  if (alert === undefined) return;
  await saveAlert(node.accounts, {
    accountId: account.id,
    existing: { id, revision: alert.revision },
    settings: alertSettings(chance.happens(0.85)),
    webhook: chance.happens(0.7) ? webhookTo(chance.pick(hosts)) : null,
    by: OWNER,
  });
}

async function changeAssistant({ chance, hosts }: OwnersOptions, node: Node, account: SetUpAccount): Promise<void> {
  const assistantId = chance.pick(account.assistantIds);
  const webhook = webhookTo(chance.pick(hosts));
  await saveAssistantWebhook(node.accounts, { accountId: account.id, assistantId, revision: null, webhook, by: OWNER });
}

/** A type that the plan has not is refused, and then nothing changes. */
async function changeWebhook({ chance, hosts }: OwnersOptions, node: Node, account: SetUpAccount): Promise<void> {
  const id = chance.pick(account.webhookIds);
  const view = await node.accounts.accounts.load(account.id);
  const saved = view?.webhooks.find(({ webhook }) => webhook.id === id);
  if (saved === undefined) return;
  await saveWebhook(node.accounts, {
    accountId: account.id,
    existing: { id, revision: saved.revision },
    settings: drawSettings(chance),
    webhook: webhookTo(chance.pick(hosts)),
    by: OWNER,
  });
}

async function changePlan({ chance }: OwnersOptions, node: Node, { id }: SetUpAccount): Promise<void> {
  const plan = chance.pick(["free", "starter", "starter", "growth", "premium"] as const);
  await putAccount(node.accounts, makeAccount({ id, name: id, plan, appUrl: APP_URL }));
}

async function pause(options: OwnersOptions, node: Node, account: SetUpAccount): Promise<void> {
  await decide(options, node, { account, state: "paused" });
}

async function turnOn(options: OwnersOptions, node: Node, account: SetUpAccount): Promise<void> {
  await decide(options, node, { account, state: "on" });
}

interface Decision {
  readonly account: SetUpAccount;
  readonly state: "on" | "paused";
}

async function decide({ chance }: OwnersOptions, node: Node, { account, state }: Decision): Promise<void> {
  const view = await node.accounts.accounts.load(account.id);
  // One for whom there is something to decide, if there is one.
  const destinations = [...(view?.destinations.values() ?? [])].filter((destination) => destination.state !== state);
  if (destinations.length === 0) return;
  const { id: destinationId } = chance.pick(destinations);
  const decision = { accountId: account.id, destinationId, state, by: OWNER, reason: "asked" };
  await setDestinationState(node.accounts, decision);
}

async function sendAgain({ chance, ledger }: OwnersOptions, node: Node, account: SetUpAccount): Promise<void> {
  const isMine = ({ event, state }: DeliveryRecord) => event.accountId === account.id && state !== "pending";
  const ended = [...ledger.deliveries.values()].filter(isMine);
  if (ended.length > 0) await node.resend(account.id, [chance.pick(ended).id]);
}

const NOW_MAX = 3;

/** Some that wait, for their time or for their destination; in memory, or not. */
async function sendNow(options: OwnersOptions, node: Node, account: SetUpAccount): Promise<void> {
  const waiting = listWaiting(options, account);
  const ids = waiting.map(() => options.chance.pick(waiting).id).slice(0, NOW_MAX);
  if (ids.length > 0) await node.resend(account.id, ids);
}

async function sendAllNow(options: OwnersOptions, node: Node, account: SetUpAccount): Promise<void> {
  const waiting = listWaiting(options, account);
  if (waiting.length > 0) await node.sendWaiting(account.id, options.chance.pick(waiting).destinationId);
}

function listWaiting({ ledger }: OwnersOptions, { id }: SetUpAccount): readonly DeliveryRecord[] {
  return [...ledger.deliveries.values()].filter(({ event, state }) => event.accountId === id && state === "pending");
}

/** Who thinks better of a replay, and how soon. */
const REGRET_SHARE = 0.4;
const REGRET_MS_MAX = secondsMs(15);

async function replayAll(options: OwnersOptions, node: Node, account: SetUpAccount): Promise<void> {
  const { sim, chance, ledger } = options;
  // An actor of its own, also when the answer gets lost and the replay is there all the same.
  const starting = node.replay(account.id, `replay ${ledger.replays.size + 1}.${chance.between(0, 10 ** 9)}`);
  keepHouseUntilAllEnd(options);
  if (chance.happens(REGRET_SHARE))
    sim.after(chance.between(0, REGRET_MS_MAX), null, () => performAct(options, cancelReplay));
  await starting;
}

async function cancelReplay({ chance, ledger }: OwnersOptions, node: Node): Promise<void> {
  const running = [...ledger.replays.values()].filter(({ state }) => state === "running");
  if (running.length === 0) return;
  const { accountId, id } = chance.pick(running);
  await node.cancelReplay(accountId, id);
}

async function keepHouse(_options: OwnersOptions, node: Node): Promise<void> {
  await node.keepHouse();
}

/** In reality ten times a second; here so often that a replay takes a while, and not while there is nothing to do. */
const KEEP_MS_MAX = secondsMs(4);

/** A slow store takes a while to have the replay at all. */
const STEPS_MIN = 30;

function keepHouseUntilAllEnd(options: OwnersOptions, steps = 1): void {
  options.sim.after(options.chance.between(100, KEEP_MS_MAX), null, () => {
    performAct(options, keepHouse);
    const isRunning = [...options.ledger.replays.values()].some(({ state }) => state === "running");
    if (isRunning || steps < STEPS_MIN) keepHouseUntilAllEnd(options, steps + 1);
  });
}
