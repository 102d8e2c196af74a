/**
 * What every store promises, as tests. A store's own test file calls `storeConformance` with a way to open an empty
 * store; there is no mock, so what passes here is what the service runs on.
 */
import { describe } from "node:test";
import { describeAccepting } from "./conformance-accepting.ts";
import { describeActivity } from "./conformance-activity.ts";
import { describeAudit } from "./conformance-audit.ts";
import { describeClaiming } from "./conformance-claiming.ts";
import { describeClosing } from "./conformance-closing.ts";
import { describeDeleting } from "./conformance-deleting.ts";
import { describeDestinationStates } from "./conformance-destination-states.ts";
import { describeFigures } from "./conformance-figures.ts";
import { describeHealth } from "./conformance-health.ts";
import { describeInbox } from "./conformance-inbox.ts";
import { describeLists } from "./conformance-lists.ts";
import { describeLog } from "./conformance-log.ts";
import { describeNotices } from "./conformance-notices.ts";
import { describeOperatorNotices } from "./conformance-operator-notices.ts";
import { describePreparedReplays } from "./conformance-prepared-replays.ts";
import { describeReplaying } from "./conformance-replaying.ts";
import { describeResending } from "./conformance-resending.ts";
import { describeRetention } from "./conformance-retention.ts";
import { describeSecrets } from "./conformance-secrets.ts";
import { describeSetUp } from "./conformance-set-up.ts";
import { describeSettling } from "./conformance-settling.ts";
import { describeSigningIn } from "./conformance-sign-in.ts";
import { describeTests } from "./conformance-test-deliveries.ts";
import type { OpenStore } from "./conformance-world.ts";

/** Registers every suite for one store. `open` gives an empty store each time; the suites close it. */
export function storeConformance(name: string, open: OpenStore): void {
  describe(`store contract: ${name}`, () => {
    describeSetUp(open);
    describeSigningIn(open);
    describeSecrets(open);
    describeAudit(open);
    describeAccepting(open);
    describeInbox(open);
    describeClaiming(open);
    describeSettling(open);
    describeHealth(open);
    describeDestinationStates(open);
    describeResending(open);
    describeReplaying(open);
    describePreparedReplays(open);
    describeDeleting(open);
    describeNotices(open);
    describeOperatorNotices(open);
    describeRetention(open);
    describeTests(open);
    describeLog(open);
    describeLists(open);
    describeFigures(open);
    describeActivity(open);
    describeClosing(open);
  });
}
