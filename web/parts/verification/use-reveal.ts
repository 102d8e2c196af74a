/**
 * A secret on the page for as long as somebody looks at it: it is fetched when asked for, and gone after 30 s, when the
 * tab is hidden, and when the secret it was is not the current one any more. Each reveal is in the account's activity.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { RevealBody, SecretView } from "../../../src/dashboard/contract/verification.ts";
import { call } from "../../api.ts";
import { refresh } from "../../query.ts";

const SHOWN_FOR_MS = 30_000;

export interface Reveal {
  /** `null` while it is hidden. */
  readonly secret: string | null;
  readonly isBusy: boolean;
  readonly refusal: string | null;
  readonly show: () => Promise<void>;
  readonly hide: () => void;
  /** Without showing it. */
  readonly fetch: () => Promise<string>;
}

export function useReveal(which: RevealBody["which"], { createdAtMs }: SecretView): Reveal {
  const client = useQueryClient();
  const [shown, setShown] = useState<{ readonly secret: string; readonly createdAtMs: number } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  useEffect(() => {
    if (shown === null) return;
    const hide = (): void => setShown(null);
    const onHidden = (): void => {
      if (document.hidden) hide();
    };
    const timer = setTimeout(hide, SHOWN_FOR_MS);
    document.addEventListener("visibilitychange", onHidden);
    window.addEventListener("blur", hide);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onHidden);
      window.removeEventListener("blur", hide);
    };
  }, [shown]);

  const fetch = async (): Promise<string> => {
    setRefusal(null);
    try {
      const { secret } = await call("POST /verification/reveal", { body: { which } });
      void refresh(client, ["GET /verification", "GET /audit"]);
      return secret;
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
  const show = async (): Promise<void> => {
    setBusy(true);
    try {
      setShown({ secret: await fetch(), createdAtMs });
    } catch {
      // The refusal is on the page.
    } finally {
      setBusy(false);
    }
  };
  const secret = shown?.createdAtMs === createdAtMs ? shown.secret : null;
  return { secret, isBusy, refusal, show, hide: () => setShown(null), fetch };
}
