/**
 * The rotation of the secret or of the key pair: begun for a time that the owner chooses, ended early, or taken back
 * while both are valid.
 */
import { useState } from "react";
import type { EndRotationBody, RotateBody, RotatedKind } from "../../../src/dashboard/contract/verification.ts";
import { useChange, useOwnersOnly, useSession } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { RadioCards } from "../../ui/controls.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { useNow } from "../../ui/relative-time.tsx";
import { toast } from "../../ui/toasts.ts";
import { date, duration, timeOfDay } from "../../words.ts";

const NAMES = { secret: "secret", key: "key" } as const;

interface BannerProps {
  readonly kind: RotatedKind;
  readonly stopsAtMs: number;
}

/** How long both are valid, and the two ways not to wait for that. */
export function RotationBanner({ kind, stopsAtMs }: BannerProps) {
  const left = Math.max(0, stopsAtMs - useNow());
  const { signatureHeader } = useSession();
  const name = NAMES[kind];
  return (
    <Banner
      tone="warn"
      title={
        <>
          The previous {name} stops {date(stopsAtMs)}, {timeOfDay(stopsAtMs)} (in {duration(left)}).
        </>
      }
      actions={
        <>
          <EndButton kind={kind} keep="current" />
          <EndButton kind={kind} keep="previous" />
        </>
      }
    >
      {kind === "secret" && `webhook-signature carries both until then, ${signatureHeader} the previous one.`}
    </Banner>
  );
}

function EndButton(body: EndRotationBody) {
  const name = NAMES[body.kind];
  const isStop = body.keep === "current";
  const ownersOnly = useOwnersOnly("end the rotation");
  const [isAsked, setAsked] = useState(false);
  const end = useChange("POST /verification/end-rotation", "GET /verification", "GET /audit");
  const action = isStop ? `Stop the previous ${name} now` : `Go back to the previous ${name}`;
  return (
    <>
      <Button size="sm" disabledReason={ownersOnly} onClick={() => setAsked(true)}>
        {action}
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={`${action}?`}
        action={action}
        isDestructive
        onConfirm={async () => {
          await end.mutateAsync({ body });
          toast(isStop ? `The previous ${name} has stopped` : `The previous ${name} is in use again`);
        }}
      >
        {isStop
          ? `Only the current ${name} signs from now on. Receivers that have only the previous one reject webhooks.`
          : `The previous ${name} signs alone again, and the current one never again. Receivers that have only the
             current one reject webhooks.`}{" "}
        {REJECTED}
      </ConfirmDialog>
    </>
  );
}

const REJECTED = "Rejected webhooks are tried again for days.";

type Choice = "none" | "24h" | "7d" | "date";

interface DialogProps {
  readonly kind: RotatedKind;
  /** A rotation is under way: then a leak is the only reason for another. */
  readonly isRotating: boolean;
  readonly overlapMsMax: number;
  readonly onClose: () => void;
}

export function RotateDialog({ kind, isRotating, overlapMsMax, onClose }: DialogProps) {
  const name = NAMES[kind];
  const [openedAtMs] = useState(() => Date.now());
  const [choice, setChoice] = useState<Choice>(isRotating ? "none" : "24h");
  const [day, setDay] = useState("");
  const rotate = useChange("POST /verification/rotate", "GET /verification", "GET /audit");
  const isNow = choice === "none";
  return (
    <ConfirmDialog
      isOpen
      title={`Rotate the ${name}?`}
      action={isNow ? "Replace at once" : "Rotate"}
      isDestructive={isNow}
      onClose={onClose}
      onConfirm={async () => {
        await rotate.mutateAsync({ body: { kind, overlap: choice === "date" ? endOf(day) : choice } });
        toast(isNow ? `The ${name} is replaced` : "Rotation started");
      }}
    >
      <div className="space-y-4">
        {isRotating ? (
          <p>
            A rotation is under way. If the {name} leaked, a third one replaces both at once: {AT_ONCE}
          </p>
        ) : (
          <RadioCards<Choice>
            legend={`When does the previous ${name} stop?`}
            value={choice}
            onChange={setChoice}
            options={[
              { value: "24h", label: "In 24 hours", help: "Until then both are valid." },
              { value: "7d", label: "In 7 days" },
              { value: "date", label: "On a date" },
              { value: "none", label: "At once", help: `It leaked: ${AT_ONCE}` },
            ]}
          />
        )}
        {choice === "date" && (
          <Field label="Last day" help="At most 30 days from now.">
            {(control) => (
              <Input
                {...control}
                type="date"
                min={toDay(openedAtMs)}
                max={toDay(openedAtMs + overlapMsMax - DAY_MS)}
                value={day}
                onChange={({ target: { value } }) => setDay(value)}
              />
            )}
          </Field>
        )}
      </div>
    </ConfirmDialog>
  );
}

const AT_ONCE = `receivers reject webhooks until they have the new one. ${REJECTED}`;
const DAY_MS = 86_400_000;

/** In the reader's time zone, as a date field has it. */
function toDay(ms: number): string {
  const at = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The last moment of that day. It throws when no day is chosen, and the dialog shows the error. */
function endOf(day: string): Extract<RotateBody["overlap"], object> {
  const untilMs = new Date(`${day}T23:59:59.999`).getTime();
  if (Number.isNaN(untilMs)) throw new Error("Choose the last day.");
  return { untilMs };
}
