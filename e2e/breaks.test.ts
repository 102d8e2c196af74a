import { test } from "node:test";
import { breakOff } from "./breaks.ts";

test("callers that break off at any state end nothing, and are no fault of the service", (t) =>
  breakOff(t, { env: { BELLWIRE_ACCESS_LOG: "1", BELLWIRE_TRUSTED_PROXIES: "127.0.0.0/8" }, every: 997 }));
