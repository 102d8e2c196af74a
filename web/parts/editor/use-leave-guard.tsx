/**
 * Asks before changes are lost: on a link, on the browser's Back, and (in the browser's own words) on closing the tab.
 * While Save is under way nothing is lost yet: leaving waits for its end, and a refused save keeps the person here.
 * A link that was held up is clicked again once somebody has decided, so it leads where it would have led.
 */
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { EMBEDDED_PAGE } from "../../embed.ts";
import { guardBack } from "../../back-guard.ts";
import { isSaving, type Phase } from "./form-state.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";

interface Options {
  /** Completes "Your changes to … are not saved." */
  readonly what: string;
  /** Addresses with this path in them keep what was typed, such as a page's other tabs. */
  readonly within?: string;
  /** Of the form that saves. */
  readonly phase: Phase;
}

interface Pending {
  readonly leave: () => void;
  /** Held up by a save, and nobody was asked yet. */
  readonly waits: boolean;
}

/** Returns the dialog, to be put anywhere on the page. */
export function useLeaveGuard(isDirty: boolean, { what, within, phase }: Options): ReactNode {
  const [pending, setPending] = useState<Pending | null>(null);
  /** Somebody has decided to leave: Back comes around once more, and nothing is left to ask. */
  const isLetThrough = useRef(false);
  const address = useRef("");

  const isKeptAt = (path: string): boolean => within !== undefined && path.includes(within);
  const onClick = useEffectEvent((event: MouseEvent): void => {
    const link = isDirty && !isLetThrough.current ? leavingLink(event) : null;
    if (link === null || isKeptAt(link.pathname)) return;
    event.preventDefault();
    event.stopPropagation();
    setPending({ leave: () => link.click(), waits: isSaving(phase) });
  });
  const onBack = useEffectEvent((event: PopStateEvent): void => {
    if (!isDirty || isLetThrough.current || location.href === address.current || isKeptAt(location.pathname)) return;
    // The address has changed already. It is put back, and the router does not hear of it.
    event.stopImmediatePropagation();
    history.pushState(null, "", address.current);
    setPending({ leave: () => history.back(), waits: isSaving(phase) });
  });
  const onClose = useEffectEvent((event: BeforeUnloadEvent): void => {
    // In a frame it is kept: the product may bring a new link at any time, and nobody has asked to leave.
    if (isDirty && EMBEDDED_PAGE === null) event.preventDefault();
  });

  const hasFailed = phase.kind === "refused" || phase.kind === "conflict";
  if (pending !== null && pending.waits && isDirty && hasFailed) setPending(null);
  // Nothing is left to lose: the save has ended.
  useEffect(() => {
    if (pending === null || isDirty) return;
    const timer = setTimeout(() => {
      setPending(null);
      pending.leave();
    });
    return () => clearTimeout(timer);
  }, [pending, isDirty]);

  // Saving may have changed it: an alert gets its own address then.
  useEffect(() => {
    address.current = location.href;
  });
  useEffect(() => {
    const click = (event: MouseEvent): void => onClick(event);
    const letBack = guardBack((event) => onBack(event));
    const close = (event: BeforeUnloadEvent): void => onClose(event);
    document.addEventListener("click", click, { capture: true });
    window.addEventListener("beforeunload", close);
    return () => {
      document.removeEventListener("click", click, { capture: true });
      letBack();
      window.removeEventListener("beforeunload", close);
    };
  }, []);

  return (
    <ConfirmDialog
      isOpen={pending !== null && isDirty && !isSaving(phase)}
      onClose={() => setPending(null)}
      title="Discard changes?"
      action="Discard changes"
      isDestructive
      onConfirm={async () => {
        isLetThrough.current = true;
        // After the dialog has closed and given the focus back.
        setTimeout(() => pending?.leave());
        await Promise.resolve();
      }}
    >
      Your changes to {what} are not saved.
    </ConfirmDialog>
  );
}

/** The link that this click would follow to another page of the dashboard in this tab. */
function leavingLink(event: MouseEvent): HTMLAnchorElement | null {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!isPlain || link === null || link.href === "" || (link.target !== "" && link.target !== "_self")) return null;
  const isHere = link.pathname === location.pathname && link.search === location.search;
  return link.origin !== location.origin || isHere ? null : link;
}
