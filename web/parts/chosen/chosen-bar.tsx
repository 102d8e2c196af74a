/** What is done with all chosen webhooks at once. It comes behind the list, in a chunk of its own. */
import { CirclePause, CirclePlay, Ellipsis, KeyRound, Server, Tag, Trash2 } from "lucide-react";
import { Suspense, useState } from "react";
import { onDemand } from "../../later.ts";
import { Button } from "../../ui/button.tsx";
import { DialogSkeleton } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { toast } from "../../ui/toasts.ts";
import { count, number } from "../../words.ts";
import { Refusals } from "../selection/refusals.tsx";
import type { Chosen, Refused, Step } from "./use-step.ts";

const StepDialog = onDemand(() => import("./step-dialogs.tsx"), "StepDialog");

interface Props {
  /** Many of them: "alerts". */
  readonly what: string;
  readonly chosen: readonly Chosen[];
  /** How many can be chosen, on every page. */
  readonly all: number;
  /** Those that are in use. */
  readonly tags: readonly string[];
  readonly onAll: () => void;
  readonly onClear: () => void;
  /** On a phone the boxes are only there for as long as somebody selects. */
  readonly onDone: (() => void) | undefined;
}

export function ChosenBar({ what, chosen, all, tags, onAll, onClear, onDone }: Props) {
  const [step, setStep] = useState<Step | null>(null);
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const noun = what.replace(/s$/, "");
  const close = (): void => setStep(null);
  const end = (done: string, refusals: readonly Refused[]): void => {
    const changed = chosen.length - refusals.length;
    if (changed > 0) toast(`${count(changed, noun)} ${done}`);
    setRefused(refusals);
    onClear();
    onDone?.();
  };
  const more = [
    { label: "Change host…", icon: <Server />, onSelect: () => setStep("move") },
    { label: "Set a header…", icon: <KeyRound />, onSelect: () => setStep("header") },
    { label: "Delete…", icon: <Trash2 />, isDestructive: true, onSelect: () => setStep("delete") },
  ];
  return (
    <>
      {(chosen.length > 0 || onDone !== undefined) && (
        <div
          className="pointer-events-none sticky bottom-[calc(var(--unseen-below,0px)+1rem)] z-10 flex justify-center
            px-4 pb-4"
        >
          <div
            role="region"
            aria-label={`Selected ${what}`}
            className="pointer-events-auto flex flex-wrap items-center gap-2 rounded-xl border border-line bg-raised
              py-2 pr-2 pl-4 shadow-popup"
          >
            <span role="status" className="mr-2 font-medium tabular-nums">
              {number(chosen.length)} selected
            </span>
            {chosen.length < all && (
              <Button size="sm" onClick={onAll}>
                All {number(all)}
              </Button>
            )}
            {chosen.length > 0 && (
              <>
                <Button size="sm" icon={<CirclePause />} onClick={() => setStep("pause")}>
                  Pause…
                </Button>
                <Button size="sm" icon={<CirclePlay />} onClick={() => setStep("turn_on")}>
                  Turn on…
                </Button>
                <Button size="sm" icon={<Tag />} onClick={() => setStep("tag")}>
                  Tag…
                </Button>
                <Menu label="More" isLabelShown size="sm" icon={<Ellipsis />} items={more} />
              </>
            )}
            <Button size="sm" tone="quiet" aria-keyshortcuts="Escape" onClick={leave(onClear, onDone)}>
              {onDone === undefined ? "Clear" : "Done"}
            </Button>
          </div>
        </div>
      )}
      <Suspense fallback={<DialogSkeleton onClose={close} />}>
        {step !== null && <StepDialog {...{ step, what, chosen, tags }} onClose={close} onEnd={end} />}
      </Suspense>
      <Refusals
        refused={refused.map((each) => ({ ...each, id: `${each.kind} ${each.id}` }))}
        title={`${count(refused.length, `${noun} was`, `${what} were`)} not changed`}
        onClose={() => setRefused([])}
      />
    </>
  );
}

const leave = (onClear: () => void, onDone: (() => void) | undefined) => (): void => {
  onClear();
  onDone?.();
};
