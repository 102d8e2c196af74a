/**
 * Owners who decide at the worst moment: about a destination of which some node has a delivery in memory that it has
 * not sent. Random moments hardly ever hit one, because nodes send at once; what a slow store or a slow connection
 * holds up is found here.
 */
import { saveAlert } from "../src/accounts/save-alert.ts";
import { saveAssistantWebhook } from "../src/accounts/save-assistant-webhook.ts";
import { setDestinationState } from "../src/accounts/set-destination-state.ts";
import { secondsMs } from "../src/lib/duration.ts";
import type { Chance } from "./chance.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Node } from "./node.ts";
import type { DeliveryRecord } from "./records.ts";
import { OWNER, alertSettings, webhookTo } from "./set-up.ts";
import type { Simulator } from "./simulator.ts";

export interface Meddling {
  readonly sim: Simulator;
  readonly ledger: Ledger;
  readonly chance: Chance;
  readonly hosts: readonly string[];
}

/** How long they look for such a moment, and how often. */
const LOOKS_MAX = 40;
const LOOK_AGAIN_MS = 250;

/** A pause for long would leave nothing to be sent. */
const PAUSED_MS_MAX = secondsMs(30);

/** `act` runs with a node that serves, and is told what fails. */
export type Perform = (act: (node: Node) => Promise<unknown>) => void;

export function meddle(options: Meddling, perform: Perform, looks = LOOKS_MAX): void {
  const { sim, ledger, chance } = options;
  const unsent = [...ledger.deliveries.values()].filter(isInMemoryUnsent);
  if (unsent.length > 0) return decide(options, perform, chance.pick(unsent));
  if (looks > 1) sim.after(LOOK_AGAIN_MS, null, () => meddle(options, perform, looks - 1));
}

const isInMemoryUnsent = ({ claim, sends }: DeliveryRecord): boolean =>
  claim !== null && !claim.life.isDead && sends.every((send) => send.claim !== claim);

function decide({ sim, chance, hosts }: Meddling, perform: Perform, { event, destinationId }: DeliveryRecord): void {
  const { accountId } = event;
  if (chance.happens(0.5))
    return perform((node) => redirect(node, { accountId, destinationId, host: chance.pick(hosts) }));
  const decided = (state: "paused" | "on") => (node: Node) =>
    setDestinationState(node.accounts, { accountId, destinationId, state, by: OWNER, reason: "asked" });
  perform(decided("paused"));
  sim.after(chance.between(0, PAUSED_MS_MAX), null, () => perform(decided("on")));
}

interface Redirection {
  readonly accountId: string;
  readonly destinationId: string;
  readonly host: string;
}

async function redirect(node: Node, { accountId, destinationId, host }: Redirection): Promise<void> {
  const { accounts } = node;
  const view = await accounts.accounts.load(accountId);
  const webhook = webhookTo(host);
  const owner = view?.alerts.find(({ destination }) => destination?.id === destinationId);
  if (owner !== undefined) {
    const { alert, revision } = owner;
    const settings = alertSettings(alert.webhooksOn);
    await saveAlert(accounts, { accountId, existing: { id: alert.id, revision }, settings, webhook, by: OWNER });
  }
  for (const [assistantId, { destination, revision }] of view?.assistants ?? []) {
    if (destination?.id !== destinationId) continue;
    await saveAssistantWebhook(accounts, { accountId, assistantId, revision, webhook, by: OWNER });
  }
}
