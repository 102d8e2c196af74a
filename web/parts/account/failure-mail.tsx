/** Who gets an e-mail when webhooks fail, are turned off, or work again: only those who have confirmed it. */
import { useQueryClient } from "@tanstack/react-query";
import { Check, Clock, OctagonX, Trash2 } from "lucide-react";
import { type ReactNode, type SyntheticEvent, useRef, useState } from "react";
import type { FailureMailAddress, FailureMailAnswer } from "../../../src/dashboard/contract/failure-mail.ts";
import { ApiProblem } from "../../api.ts";
import { useAnswer, useChange, useOwnersOnly } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { StatusChip } from "../../ui/chips.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Field, FieldError, Input } from "../../ui/field.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { PasteHint } from "../paste-hint.tsx";

const DESCRIPTION =
  "Sent when webhooks begin to fail, are turned off, still fail a day later or work again, as one e-mail in 15 " +
  "minutes at most. It goes only to addresses that their reader has confirmed.";

export function FailureMail() {
  const settings = useAnswer("GET /failure-mail");
  return (
    <Card title="E-mail about failures" description={DESCRIPTION}>
      <Loaded what="the addresses" query={settings}>
        {(answer) => <Addresses answer={answer} />}
      </Loaded>
    </Card>
  );
}

function Addresses({ answer }: { readonly answer: FailureMailAnswer }) {
  const { addresses, isSetUpByOperator } = answer;
  return (
    <div className="space-y-4">
      {!isSetUpByOperator && (
        <Banner tone="info" title="E-mail is not set up on this service">
          None is sent, and no address can be confirmed, until the people who run this service set it up. The dashboard
          shows failures in any case.
        </Banner>
      )}
      {addresses.length === 0 ? (
        <p className="text-ink-soft">No address gets these e-mails yet.</p>
      ) : (
        <ul aria-label="Addresses" className="divide-y divide-line border-y border-line">
          {addresses.map((address) => (
            <FailureMailRow key={address.id} address={address} isSetUp={isSetUpByOperator} />
          ))}
        </ul>
      )}
      <AddAddress isFull={addresses.length >= answer.addressesMax} />
    </div>
  );
}

function AddAddress({ isFull }: { readonly isFull: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
  const add = useChange("POST /failure-mail", "GET /audit");
  const ownersOnly = useOwnersOnly("change who is told about failures");
  const disabledReason =
    ownersOnly ?? (isFull ? "There are as many addresses as there can be. Remove one first." : undefined);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (disabledReason !== undefined) return;
    const address = typed.trim();
    add.mutate(
      { body: { address } },
      {
        onSuccess(saved) {
          client.setQueryData(["GET /failure-mail", undefined], saved);
          // Text that was typed meanwhile stays.
          setTyped((now) => (now === typed ? "" : now));
        },
        onError: () => input.current?.focus(),
      },
    );
  };
  const sent = add.variables?.body.address ?? "";
  return (
    <form onSubmit={submit} noValidate>
      <Field
        label="Add an address"
        help="It gets one e-mail with a link, by which its reader confirms it."
        error={refusalInWords(add.error, sent)}
      >
        {(control) => (
          <>
            <div className="flex flex-wrap gap-2">
              <Input
                {...control}
                ref={input}
                type="email"
                className="min-w-0 flex-1 basis-56"
                value={typed}
                readOnly={ownersOnly !== undefined}
                onChange={(event) => setTyped(event.target.value)}
                autoComplete="off"
                spellCheck={false}
              />
              <Button type="submit" isBusy={add.isPending} disabledReason={disabledReason}>
                Add address
              </Button>
            </div>
            <PasteHint
              kind="token"
              value={typed}
              control={control.id}
              error={refusalInWords(add.error, sent)}
              onUse={setTyped}
            />
          </>
        )}
      </Field>
      <p role="status" className="mt-2 text-sm text-ink-soft">
        {add.isSuccess && `${sent} is asked to confirm.`}
      </p>
    </form>
  );
}

/** The sentence is about the address that was sent; another one may have been typed since. */
function refusalInWords(error: Error | null, sent: string): string | undefined {
  if (error === null) return undefined;
  const [first] = error instanceof ApiProblem ? error.errors : [];
  return first === undefined ? error.message : `“${sent}” ${first.message}`;
}

/* One address for e-mail about failures: how it stands with its reader's word, and what an owner can do about it. */

interface Props {
  readonly address: FailureMailAddress;
  /** The operator has set up e-mail. */
  readonly isSetUp: boolean;
}

const LOOKS = {
  waiting: { word: "Waiting", tone: "warn", icon: Clock },
  confirmed: { word: "Confirmed", tone: "ok", icon: Check },
  stopped: { word: "Stopped", tone: "neutral", icon: OctagonX },
} as const;

function FailureMailRow({ address: row, isSetUp }: Props) {
  const { id, address, state } = row;
  const client = useQueryClient();
  const [isRemoving, setRemoving] = useState(false);
  const ask = useChange("POST /failure-mail/:id/email", "GET /audit");
  const remove = useChange("DELETE /failure-mail/:id", "GET /audit");
  const disabledReason = useOwnersOnly("change who is told about failures");
  const keep = (saved: unknown): void => void client.setQueryData(["GET /failure-mail", undefined], saved);
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{address}</span>
          <StatusChip {...LOOKS[state]} />
        </p>
        <p className="text-sm text-ink-soft">{toFact(row, isSetUp)}</p>
        <FieldError id={`${id}-error`} message={ask.error?.message} />
        <span role="status" className="text-sm text-ink-soft">
          {ask.isSuccess && state === "waiting" && "Asked again."}
        </span>
      </div>
      <div className="flex flex-wrap gap-1">
        {state === "waiting" && (
          <Button
            size="sm"
            isBusy={ask.isPending}
            disabledReason={disabledReason}
            aria-label={`Send again to ${address}`}
            onClick={() => ask.mutate({ params: { id } }, { onSuccess: keep })}
          >
            Send again
          </Button>
        )}
        <Button
          size="sm"
          tone="quiet"
          icon={<Trash2 />}
          disabledReason={disabledReason}
          aria-label={`Remove ${address}`}
          onClick={() => setRemoving(true)}
        >
          Remove
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Remove ${address}?`}
        action="Remove address"
        isDestructive
        onConfirm={async () => keep(await remove.mutateAsync({ params: { id } }))}
      >
        No more e-mails go to it. If it is added again, its reader has to confirm again.
      </ConfirmDialog>
    </li>
  );
}

function toFact({ state, sinceMs, confirmation }: FailureMailAddress, isSetUp: boolean): ReactNode {
  if (state === "confirmed") {
    return (
      <>
        Gets e-mails since <RelativeTime atMs={sinceMs} />
      </>
    );
  }
  if (state === "stopped") {
    return (
      <>
        Its reader stopped e-mails <RelativeTime atMs={sinceMs} />, and can start them again by the link in any of them.
      </>
    );
  }
  switch (confirmation.state) {
    case "sent":
      return (
        <>
          E-mail sent <RelativeTime atMs={confirmation.atMs} />. Its link works for three days.
        </>
      );
    case "waiting":
      return isSetUp ? "The e-mail is on its way." : "The e-mail waits until e-mail is set up.";
    case "no_mailbox":
      return "The mail server has no mailbox of this name. Check the spelling.";
    case "dropped":
      return "The e-mail could not be sent for a day. Send it again.";
  }
}
