/**
 * A delivery beside its list: not a dialog, so the list stays in reach. It comes into view wherever the list stands,
 * takes the focus when it is opened by a row, gives it back when closed, and goes to the next one without a way back.
 */
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { useLocation } from "wouter";
import type { DeliveryRow } from "../../../src/dashboard/contract/deliveries.ts";
import { IconButton } from "../../ui/button.tsx";
import { logHref } from "../deliveries/filters.ts";
import { DeliveryView } from "./delivery-view.tsx";

interface Props {
  readonly id: string;
  readonly search: URLSearchParams;
  /** The rows of the list beside it. */
  readonly rows: readonly DeliveryRow[];
}

export function DeliveryPanel({ id, search, rows }: Props) {
  const [, navigate] = useLocation();
  const panel = useArrival();
  const at = rows.findIndex((row) => row.id === id);
  const close = (): void => {
    navigate(logHref(search));
    focusRow(id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    // A dialog or a menu inside takes its own Escape.
    if (event.target instanceof Element && event.target.closest("dialog, [popover]") !== null) return;
    close();
  };
  const step = (label: string, row: DeliveryRow | undefined, key: "j" | "k") => {
    const Icon = key === "k" ? ChevronUp : ChevronDown;
    return (
      <IconButton
        label={label}
        icon={<Icon />}
        aria-keyshortcuts={key}
        disabled={at === -1 || row === undefined}
        onClick={() => row !== undefined && navigate(logHref(search, row.id))}
      />
    );
  };
  return (
    // The keys are for what is inside; the panel itself only holds it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={panel}
      aria-label="Delivery"
      data-keys
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="sticky top-4 max-h-[calc(100dvh-2rem)] min-w-0 overflow-y-auto rounded-xl border border-line bg-surface
        shadow-card outline-none in-data-embed:max-h-none"
    >
      <div className="sticky top-0 z-10 flex items-center gap-1 border-b border-line bg-surface px-3 py-1.5">
        {step("Newer delivery", rows[at - 1], "k")}
        {step("Older delivery", rows[at + 1], "j")}
        <span className="ml-auto" />
        <IconButton label="Close" icon={<X />} aria-keyshortcuts="Escape" onClick={close} />
      </div>
      <div className="px-5 py-4">
        <DeliveryView id={id} />
      </div>
    </section>
  );
}

/** Gives the panel the focus when a row opens it. A page that opens with it starts at the top, like every page. */
function useArrival() {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (hasArrived || document.activeElement !== document.body) panel.current?.focus({ preventScroll: true });
    hasArrived = true;
  }, []);
  return panel;
}

let hasArrived = false;

/** Once the list is drawn without the panel. */
function focusRow(id: string): void {
  requestAnimationFrame(() => {
    const path = `/deliveries/${CSS.escape(encodeURIComponent(id))}`;
    document.querySelector<HTMLElement>(`td a[href*="${path}"]`)?.focus({ preventScroll: true });
  });
}
