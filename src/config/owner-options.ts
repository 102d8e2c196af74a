/** Settings whose values owners read in the dashboard. They are rows of the table in `options.ts`. */
import { parseSourceAddresses, showAddress } from "../egress/parse-networks.ts";
import { LIMITS } from "../domain/limits.ts";
import { ok, refuse } from "../domain/problem.ts";
import { pasteFault } from "../lib/pasted.ts";
import { defineOptions } from "./option.ts";
import type { Parsed } from "./option-text.ts";

export const OWNER_OPTIONS = defineOptions({
  sourceAddresses: {
    variable: "BELLWIRE_SOURCE_ADDRESSES",
    kind: "addresses and networks, separated by commas, without ports",
    default: "",
    defaultShown: "none: owners are told nothing",
    sentence:
      "Addresses that webhooks come from, as receivers see them, such as `203.0.113.7,2001:db8:12::/64`. Owners find " +
      "them under Settings → Verification, for their firewalls; nothing is sent differently.",
    parse: parseSourceAddresses,
    show: (entries) => (entries.length === 0 ? "none" : entries.map(showAddress).join(",")),
  },
  upgradeUrl: {
    variable: "BELLWIRE_UPGRADE_URL",
    kind: "`https:`, `http:` or `mailto:` address",
    default: "",
    defaultShown: "none: owners are told to ask the people who run the service",
    sentence: "Where an owner changes the plan. The dashboard links to it where the plan does not include something.",
    parse: parseUpgradeUrl,
    show: (url) => url ?? "none",
  },
});

/** The link stands on a page that people trust, so it can neither run a script nor carry a password. */
function parseUpgradeUrl(text: string): Parsed<string | null> {
  if (text === "") return ok(null);
  const pasted = pasteFault(text, { kind: "url" });
  if (pasted !== null) return refuse([pasted]);
  const url = text.length <= LIMITS.urlCharsMax ? URL.parse(text) : null;
  if (url === null || !/^(?:https?|mailto):$/.test(url.protocol)) {
    return refuse(["must be an address such as https://app.example.com/plans or mailto:sales@example.com"]);
  }
  if (url.username !== "" || url.password !== "") return refuse(["must not contain a user name or password"]);
  return ok(url.href);
}
