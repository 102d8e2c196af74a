import { describe, test } from "node:test";
import { breakOff } from "./breaks.ts";

const LOG = { BELLWIRE_ACCESS_LOG: "1" };
const PROXIES = { BELLWIRE_TRUSTED_PROXIES: "127.0.0.0/8" };

describe("callers that break off at any state of any route end nothing, and are no fault of the service", () => {
  for (const [what, env] of Object.entries({
    "as it is": {},
    "with an access log": LOG,
    "behind trusted proxies": PROXIES,
    "behind trusted proxies with an access log": { ...LOG, ...PROXIES },
  })) {
    test(what, (t) => breakOff(t, { env, every: 31 }));
  }
});
