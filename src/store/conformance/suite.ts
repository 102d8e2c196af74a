/**
 * Every store's promises, as tests. A store's own test file calls `storeConformance` with a way to open an empty
 * store; the store is real, so what passes here is what the service runs on.
 */
import { describe } from "node:test";
import { describeAnotherUrl } from "./another-url.ts";
import { describeAccepting } from "./accepting.ts";
import { describeActivity } from "./activity.ts";
import { describeAudit } from "./audit.ts";
import { describeClaiming } from "./claiming.ts";
import { describeClosing } from "./closing.ts";
import { describeDeleting } from "./deleting.ts";
import { describeDestinationStates } from "./destination-states.ts";
import { describeFigures } from "./figures.ts";
import { describeHealth } from "./health.ts";
import { describeInMemory } from "./in-memory.ts";
import { describeInbox } from "./inbox.ts";
import { describeIncidents } from "./incidents.ts";
import { describeLeaving } from "./leaving.ts";
import { describeLists } from "./lists.ts";
import { describeLog } from "./log.ts";
import { describeMailAddresses } from "./mail-addresses.ts";
import { describeMessages } from "./messages.ts";
import { describeNotifications } from "./notifications.ts";
import { describeBodies } from "./bodies.ts";
import { describeCertificates } from "./certificates.ts";
import { describeChannels } from "./channels.ts";
import { describeOneAtATime } from "./one-at-a-time.ts";
import { describeOperatorAlerts } from "./operator-alerts.ts";
import { describePreparedReplays } from "./prepared-replays.ts";
import { describePulling } from "./pulling.ts";
import { describeReplaying } from "./replaying.ts";
import { describeReadKeys } from "./read-keys.ts";
import { describeResending } from "./resending.ts";
import { describeSendingNow } from "./sending-now.ts";
import { describeErasing } from "./erasing.ts";
import { describeRetention } from "./retention.ts";
import { describeSearching } from "./searching.ts";
import { describeSearchingBodies } from "./searching-bodies.ts";
import { describeSearchingAfterSetBack } from "./searching-set-back.ts";
import { describeSavedViews } from "./saved-views.ts";
import { describeSearchingLetters } from "./searching-letters.ts";
import { describeSecrets } from "./secrets.ts";
import { describeSetUp } from "./set-up.ts";
import { describeSessions } from "./sessions.ts";
import { describeSeveralAccounts } from "./several-accounts.ts";
import { describeSettling } from "./settling.ts";
import { describeSigningIn } from "./sign-in.ts";
import { describeTests } from "./test-deliveries.ts";
import { describeWebhooks } from "./webhooks.ts";
import type { OpenStore } from "./world.ts";

const IN_MEMORY_WALKS = 4;

type Suite = (open: OpenStore) => void;

/** What every webhook goes through, and what takes rows away again. */
const PATH: readonly Suite[] = [
  describeSetUp,
  describeAccepting,
  describeInbox,
  describeClaiming,
  (open) => describeInMemory(open, IN_MEMORY_WALKS),
  describeSettling,
  describeDestinationStates,
  describeResending,
  describeReplaying,
  describePulling,
  describeOneAtATime,
  describeDeleting,
  describeLeaving,
  describeErasing,
  describeRetention,
  describeBodies,
  describeSearching,
  describeSearchingBodies,
  describeSeveralAccounts,
  describeClosing,
];

const OTHERS: readonly Suite[] = [
  describeWebhooks,
  describeSigningIn,
  describeSessions,
  describeReadKeys,
  describeSavedViews,
  describeSecrets,
  describeAudit,
  describeHealth,
  describeIncidents,
  describeSendingNow,
  describeAnotherUrl,
  describePreparedReplays,
  describeMailAddresses,
  describeMessages,
  describeNotifications,
  describeChannels,
  describeCertificates,
  describeOperatorAlerts,
  describeTests,
  describeLog,
  describeSearchingAfterSetBack,
  describeSearchingLetters,
  describeLists,
  describeFigures,
  describeActivity,
];

/** Registers every suite for one store. `open` gives an empty store each time; the suites close it. */
export function storeConformance(name: string, open: OpenStore): void {
  describe(`store contract: ${name}`, () => [...PATH, ...OTHERS].forEach((suite) => suite(open)));
}

/**
 * For another way to a store whose statements the whole contract has seen: the suites of the path alone, unless
 * `TEST_CONTRACT=all`.
 */
export function pathConformance(name: string, open: OpenStore): void {
  const suites = process.env["TEST_CONTRACT"] === "all" ? [...PATH, ...OTHERS] : PATH;
  describe(`store contract, its path: ${name}`, () => suites.forEach((suite) => suite(open)));
}
