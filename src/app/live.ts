/** The hub that tells open pages what happens. */
import type { AccountCache } from "../accounts/account-cache.ts";
import type { Config } from "../config/options.ts";
import { createLiveFollow } from "../dashboard/live/follow.ts";
import { type LiveHub, createLiveHub } from "../dashboard/live/hub.ts";
import type { DeliveryReport } from "../delivery/report.ts";
import type { Storage } from "./storage.ts";

/** An SQLite database has one node, which tells everything itself; the others follow what their neighbours do. */
export function createLive({ database }: Config, { store, clock, random }: Storage, report: DeliveryReport): LiveHub {
  if (database.kind === "sqlite") return createLiveHub({ clock, random });
  const onFailure = (error: unknown): void => report.failed({ what: "live.follow", error });
  return createLiveHub({ clock, random, follow: createLiveFollow({ clock, store, onFailure }) });
}

/** Intake forgets an account when it has changed it: open pages show its name and plan. */
export function tellingCache(cache: AccountCache, live: LiveHub): AccountCache {
  return {
    ...cache,
    forget(accountId) {
      cache.forget(accountId);
      live.configurationChanged(accountId);
    },
  };
}
