/** A dialog with fields before a step for many: Enter takes it, and a refusal of the whole step is shown inside. */
import { type ReactNode, useLayoutEffect, useRef } from "react";
import type { ChosenStep } from "../../../src/dashboard/contract/chosen.ts";
import { Button } from "../../ui/button.tsx";
import { useTaking } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import type { Chosen } from "./use-step.ts";

/** What each question gets. */
export interface StepProps {
  readonly chosen: readonly Chosen[];
  /** Those that are in use. */
  readonly tags: readonly string[];
  readonly onClose: () => void;
  /** "12 alerts". */
  readonly counted: string;
  readonly take: (change: ChosenStep, done: string) => Promise<void>;
}

interface FormProps {
  readonly title: string;
  readonly action: string;
  /** What it needs is typed. */
  readonly isReady: boolean;
  readonly onClose: () => void;
  /** Closes when it resolves. */
  readonly onTake: () => Promise<void>;
  readonly children: ReactNode;
}

export function StepForm({ title, action, isReady, onClose, onTake, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  // Behind the dialog's own start, which is on its first control.
  useLayoutEffect(() => form.current?.querySelector("input")?.focus(), []);
  const { isBusy, refusal, take } = useTaking(onTake, onClose);
  return (
    <Dialog
      isOpen
      isFirm
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            tone="primary"
            isBusy={isBusy}
            disabledReason={isReady ? undefined : "Fill in what is asked for first."}
            onClick={take}
          >
            {action}
          </Button>
        </>
      }
    >
      <form
        ref={form}
        className="space-y-4 pt-1"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !isBusy) take();
        }}
      >
        {children}
        {/* A form of several fields is sent by Enter only where it has a button. */}
        <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
      </form>
      {refusal}
    </Dialog>
  );
}
