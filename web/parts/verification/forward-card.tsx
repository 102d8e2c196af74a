/** Copies of the account's webhooks for a developer's machine: one command to paste, with a code that works once. */
import { useState } from "react";
import { useChange, useOwnersOnly } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { timeOfDay } from "../../words.ts";

export function ForwardCard() {
  const [to, setTo] = useState("http://localhost:3000/webhooks");
  const make = useChange("POST /forward-codes", "GET /audit");
  const ownersOnly = useOwnersOnly("make a code");
  const made = make.data;
  return (
    <Card title="Forward to your machine" description={INTRODUCTION}>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (ownersOnly === undefined) make.mutate({});
        }}
      >
        <div className="flex flex-wrap items-end gap-3">
          <Field label="Your receiver’s address" className="min-w-0 grow basis-72">
            {(control) => <Input {...control} isCode value={to} onChange={(event) => setTo(event.target.value)} />}
          </Field>
          <Button type="submit" isBusy={make.isPending} disabledReason={ownersOnly}>
            {made === undefined ? "Make a command" : "Make another"}
          </Button>
        </div>
        {make.error !== null && <Banner tone="bad" role="alert" title={make.error.message} />}
        {made !== undefined && (
          <div role="status" className="space-y-2">
            <CodeBlock
              label="Run this on your machine"
              isWrapped
              code={`npx bellwire forward --url ${made.serviceUrl} --to ${inShell(to)} --code ${made.code}`}
            />
            <p className="text-sm text-ink-soft">
              The code works once, until {timeOfDay(made.expiresAtMs)}. Who runs it sees the bodies of this account’s
              webhooks until they press <span className="whitespace-nowrap">Ctrl-C</span>, or an owner ends it under
              Account → Who is signed in.
            </p>
          </div>
        )}
      </form>
    </Card>
  );
}

const INTRODUCTION =
  "While you build your receiver: a command that brings a copy of each new webhook to it, signed. Your saved Webhook " +
  "URLs get theirs as before.";

/** Quoted where a shell would read more than an address. */
function inShell(text: string): string {
  const address = text.trim();
  return /^[\w:/.[\]%@+,=~-]+$/.test(address) ? address : `'${address.replaceAll("'", String.raw`'\''`)}'`;
}
