/** Who gets an e-mail when webhooks fail, are turned off, or work again: only those who have confirmed it. */
import { useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useRef, useState } from "react";
import type { FailureMailAnswer } from "../../../src/dashboard/contract/failure-mail.ts";
import { ApiProblem } from "../../api-problem.ts";
import { useAnswer, useChange } from "../../query.ts";
import { useOwnersOnly } from "../../session.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PasteHint } from "../paste-hint.tsx";
import { FailureMailRow } from "./failure-mail-row.tsx";

const DESCRIPTION =
  "Sent when webhooks begin to fail, are turned off, still fail a day later or work again, as one letter in 15 " +
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
          No letter goes out, and none can be confirmed, until the people who run this service set it up: ask them. The
          dashboard shows failures in any case.
        </Banner>
      )}
      {addresses.length === 0 ? (
        <p className="text-ink-soft">No address gets these letters yet.</p>
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
        help="It gets one letter with a link, by which its reader confirms it."
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
